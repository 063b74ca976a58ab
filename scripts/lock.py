"""Resolve what the package, its tests and its documentation need; write requirements.lock.

The lock pins names and versions only, so it holds for every index and machine. It is resolved for
the oldest Python that is supported, 3.11.0: a newer patch release would pin versions that refuse
to install on Debian 12.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Any

__all__ = ["lock_text", "main"]

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11.0"
# What the make targets install; other extras are a user's own choice.
EXTRAS = ("worlds", "learned", "train", "models", "vlm", "zarr", "mcap", "roboarena", "dev", "docs")
# The build backend asks for this one only while it makes an editable install.
BUILD_EXTRAS = ["editables"]
HEADER = """\
# Made by `make lock`, for Python {python} and newer. Used as constraints: one lock for the base
# install, the simulated worlds, the judges that learn, the tests and the documentation.
"""


def main() -> None:
    """Write requirements.lock beside pyproject.toml."""
    wanted = _wanted(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    sys.stdout.write(f"==> Resolving {len(wanted)} requirements for Python {OLDEST_PYTHON}\n")
    text = lock_text(_resolve(wanted))
    (ROOT / "requirements.lock").write_text(text, encoding="utf-8")
    sys.stdout.write(f"==> requirements.lock pins {text.count('==')} packages\n")


def lock_text(report: dict[str, Any]) -> str:
    """Turn pip's installation report into the text of the lock.

    torch is left out: its builds differ from index to index, and pyproject.toml pins it.

    Raises:
        SystemExit: A package has a local version such as "2.0+cpu", which no other machine could
            find.
    """
    pins = {item["metadata"]["name"]: item["metadata"]["version"] for item in report["install"]}
    pins.pop("torch", None)
    refused = [f"{n}=={v}" for n, v in pins.items() if "+" in v]
    if refused:
        raise SystemExit(f"These can't be locked for other machines: {', '.join(refused)}.")
    lines = [f"{name}=={version}\n" for name, version in pins.items()]
    return HEADER.format(python=OLDEST_PYTHON) + "".join(sorted(lines, key=str.lower))


def _wanted(project: dict[str, Any]) -> list[str]:
    """List the requirements of the package, of `EXTRAS` and of its build.

    An extra may name another one of ours, as "assay[worlds]": that is no package of the index.
    """
    own = project["project"]["name"] + "["
    extras: dict[str, list[str]] = project["project"]["optional-dependencies"]
    return [
        *project["project"]["dependencies"],
        *(text for extra in EXTRAS for text in extras[extra] if not text.startswith(own)),
        *project["build-system"]["requires"],
        *BUILD_EXTRAS,
    ]


def _resolve(requirements: list[str]) -> dict[str, Any]:
    """Let pip resolve without installing anything; return its report."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        report = Path(folder, "report.json")
        command = [
            *(f"{folder}/bin/python", "-m", "pip", "install", "-qq", "--dry-run"),
            *("--ignore-installed", "--only-binary=:all:", "--python-version", OLDEST_PYTHON),
            # pip wants a target for a foreign Python, although a dry run writes nothing there.
            *("--target", f"{folder}/target", "--report", str(report)),
        ]
        # The command is pip in a fresh venv; the arguments are this project's own requirements.
        subprocess.run([*command, *requirements], check=True)  # noqa: S603
        result: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return result


if __name__ == "__main__":
    main()
