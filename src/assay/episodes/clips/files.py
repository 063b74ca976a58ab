"""Find the video files of a folder."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.errors import InputError

__all__ = ["SUFFIXES", "find_files", "find_videos", "is_video"]

SUFFIXES = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi")


def is_video(name: str) -> bool:
    """Tell from its suffix whether a file is a video."""
    return Path(name).suffix.lower() in SUFFIXES


def find_videos(root: Path, log: logging.Logger | None = None) -> Iterator[str]:
    """Yield the paths of all videos under `root`, as `find_files` does."""
    return find_files(root, is_video, log)


def find_files(
    root: Path, wanted: Callable[[str], bool] = is_video, log: logging.Logger | None = None
) -> Iterator[str]:
    """Yield the paths of all wanted files under `root`, relative to it, sorted folder by folder.

    Hidden files and folders are passed over. So are folders below `root` that are something of
    their own: a LeRobot dataset, or a report that Assay wrote, whose videos are copies. A folder
    that can't be listed is an error.

    Args:
        root: The folder.
        wanted: Tells by its name whether a file is wanted; videos are by default.
        log: Where to name the folders of their own.
    """
    for here, folders, files in os.walk(root, onerror=_refuse):
        folder = Path(here)
        kept = sorted(name for name in folders if not name.startswith("."))
        folders[:] = [name for name in kept if not _is_foreign(folder / name, log)]
        for name in sorted(files):
            if wanted(name) and not name.startswith("."):
                yield (folder / name).relative_to(root).as_posix()


def _refuse(error: OSError) -> None:
    """Name a folder that can't be listed: its videos must not go missing in silence."""
    raise InputError(f"the folder can't be read: {error.strerror}.", error.filename) from error


def _is_foreign(folder: Path, log: logging.Logger | None) -> bool:
    kind = _kind_of(folder)
    if kind and log:
        log.warning("%s is %s and was passed over.", folder, kind)
    return bool(kind)


def _kind_of(folder: Path) -> str:
    try:
        if (folder / "meta" / "info.json").is_file():
            return "a LeRobot dataset"
        file = folder / "run.json"
        run = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
    except (OSError, ValueError, RecursionError):  # worded when the folder itself is walked
        return ""
    ours = isinstance(run, dict) and str(run.get("schema", "")).startswith("assay.")
    return "a report of Assay" if ours else ""
