"""Examine the machine for what the verbs need."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assay.errors import MissingExtraError, UsageError

__all__ = ["Check", "examine"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    found: str


def examine() -> list[Check]:
    """Return every check; none of them changes anything or leaves a file behind."""
    looks: list[Callable[[], Check]] = [
        _python, _packages, _video, _mujoco, _mink, _rendering, _cores, _disk, _database, _ledger,
    ]  # fmt: skip
    return [_safely(look) for look in looks]


def _safely(look: Callable[[], Check]) -> Check:
    """Return the check, failed when the current folder is gone, full or not ours to write."""
    try:
        return look()
    except OSError as error:
        return Check(look.__name__.removeprefix("_"), ok=False, found=f"{error.strerror}")


def _python() -> Check:
    return Check("python", sys.version_info >= (3, 11), platform.python_version())


def _packages() -> Check:
    names = ("assay", "numpy", "scipy", "pyarrow", "av", "typer", "rich", "pydantic")
    return Check("packages", ok=True, found=", ".join(f"{n} {version(n)}" for n in names))


def _video() -> Check:
    import av

    wanted = {"h264": "H.264 decoding", "libx264": "H.264 writing", "libdav1d": "AV1 decoding"}
    missing = [text for codec, text in wanted.items() if codec not in av.codecs_available]
    found = "missing: " + ", ".join(missing) if missing else ", ".join(wanted.values())
    return Check("video", not missing, found)


def _mujoco() -> Check:
    return _optional("mujoco")


def _mink() -> Check:
    return _optional("mink")


def _optional(name: str) -> Check:
    """See whether a package of the worlds is there; recorded episodes need none of them."""
    if _is_installed(name):
        return Check(name, ok=True, found=version(name))
    hint = MissingExtraError("Simulating", name, "worlds")
    return Check(name, ok=True, found=f"not installed. {hint}")


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _rendering() -> Check:
    """See which GL library works; without one, only a machine that can simulate lacks something."""
    from assay.worlds.gl import find

    try:
        return Check("rendering", ok=True, found=find())
    except UsageError as error:
        return Check("rendering", ok=not _is_installed("mujoco"), found=f"none. {error}")


def _cores() -> Check:
    return Check("cores", ok=True, found=f"{len(os.sched_getaffinity(0))} usable")


def _disk() -> Check:
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    return Check("disk", free > 1.0, f"{free:.1f} GB free in the current folder")


def _database() -> Check:
    """See whether SQLite's write-ahead log works here; network file systems refuse it."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        base = sqlite3.connect(Path(folder) / "probe.sqlite")
        mode = base.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        base.close()
    how = "write-ahead log" if mode == "wal" else "rollback journal (slower, as safe)"
    return Check("database", ok=True, found=f"SQLite {sqlite3.sqlite_version}, {how}")


def _ledger() -> Check:
    """See where answers of models are kept, and how they are kept safe there."""
    from assay.models._ledger_places import default_path, file_system, is_networked, journal_mode

    try:
        path = default_path()
        mode = journal_mode(path)
    except (OSError, sqlite3.Error, UsageError) as error:
        return Check("ledger", ok=False, found=f"{error}; set ASSAY_LEDGER to a file of yours")
    how = "write-ahead log" if mode == "wal" else "rollback journal (slower, as safe)"
    kind = file_system(path)
    net = ", a network file system" if is_networked(path) else ""
    return Check("ledger", ok=True, found=f"{path}{f' on {kind}' if kind else ''}{net}: {how}")
