"""Print the size of a fresh base install: a new venv with what requirements.lock pins, no extras.

The limit is 480 MB. Byte-compiled files are not part of it: `--no-compile` leaves them out, and
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


def install(folder: Path) -> Path:
    """Make a venv in `folder` with the base requirements; return its site-packages."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    lock = ROOT / "requirements.lock"
    environment = {**os.environ, "PIP_BUILD_CONSTRAINT": str(lock), "PIP_CONSTRAINT": str(lock)}
    subprocess.run(
        [python, "-m", "pip", "install", "-qq", "--no-compile", ROOT], check=True, env=environment
    )
    return next((folder / "lib").glob("python*/site-packages"))


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
        total = sizes(install(Path(name)))
    for package, size in total.most_common(8):
        print(f"{package:<16} {size / 1e6:6.1f} MB")
    whole = total.total() / 1e6
    print(f"{'base install':<16} {whole:6.1f} MB (limit {LIMIT_MB} MB)")
    sys.exit(whole > LIMIT_MB)


if __name__ == "__main__":
    main()
