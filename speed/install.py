"""Print the size of a fresh base install, and of the same with the extra that `make demo` adds.

A new venv gets what requirements.lock pins. The limit of the base install is 480 MB; the simulated
worlds come on top. Byte-compiled files are not part of it: `--no-compile` leaves them out, and
Python writes them later for the modules that are really used.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT_MB = 480


def make(folder: Path) -> Path:
    """Make a venv in `folder`; return its site-packages."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return next((folder / "lib").glob("python*/site-packages"))


def install(folder: Path, what: str) -> None:
    """Install `what`, such as the checkout with an extra, into the venv in `folder`."""
    python = folder / "bin" / "python"
    lock = ROOT / "requirements.lock"
    environment = {**os.environ, "PIP_BUILD_CONSTRAINT": str(lock), "PIP_CONSTRAINT": str(lock)}
    subprocess.run(
        [python, "-m", "pip", "install", "-qq", "--no-compile", what], check=True, env=environment
    )


def sizes(site: Path) -> Counter[str]:
    """Return the bytes below each entry of `site`; a wheel's `x.libs` counts for `x`."""
    total: Counter[str] = Counter()
    for file in site.rglob("*"):
        if file.is_file() and not file.is_symlink() and file.suffix != ".pyc":
            owner = file.relative_to(site).parts[0].split("-")[0].removesuffix(".libs")
            total[owner] += file.stat().st_size
    return total


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site = make(folder)
        install(folder, str(ROOT))
        base = sizes(site)
        install(folder, f"{ROOT}[worlds]")
        added = sizes(site) - base
    show(base, 8)
    print(f"{'base install':<16} {base.total() / 1e6:6.1f} MB (limit {LIMIT_MB} MB)")
    show(added, 4)
    whole = base.total() + added.total()
    print(f"{'with worlds':<16} {whole / 1e6:6.1f} MB ({added.total() / 1e6:.1f} MB added)")
    sys.exit(base.total() / 1e6 > LIMIT_MB)


def show(sizes: Counter[str], count: int) -> None:
    for package, size in sizes.most_common(count):
        print(f"{package:<16} {size / 1e6:6.1f} MB")


if __name__ == "__main__":
    main()
