"""Folders of videos, with or without a manifest."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from assay.episodes.clips.episodes import episode_of, files_as_names, grouped
from assay.episodes.clips.files import find_videos, is_video
from assay.episodes.clips.manifest import MANIFESTS, Item, read_manifest
from assay.episodes.faults import check_file
from assay.episodes.joining import join_curves
from assay.episodes.paths import inside
from assay.errors import InputError
from assay.records import Episode, Unreadable

__all__ = ["VideoFolder"]

_CURVES = ("progress.csv", "progress.jsonl")
_BESIDE = (
    "labels.csv",
    "references.jsonl",
    "clips.csv",
    "log.jsonl",
)  # what others read, or `assay build` wrote


class VideoFolder:
    """A folder of videos; a manifest names episodes, views and labels, else each video is one.

    Episodes come in the order of the manifest, without one sorted by folder and file name. Each
    file's header is read at once, its frames only when asked for.
    """

    reads: ClassVar[str] = (
        "a folder of videos (mp4, m4v, mov, mkv, webm, avi), with or without a manifest "
        "(csv, jsonl, json); or one video"
    )
    last_resort: ClassVar[bool] = True  # many datasets have videos beside other files

    def sniff(self, path: Path) -> bool:
        """Claim a video, a manifest, or a folder with a manifest or a video somewhere in it."""
        if path.is_file():
            return is_video(path.name) or path.name in MANIFESTS
        if not path.is_dir():
            return False
        manifest = any((path / name).is_file() for name in MANIFESTS)
        return manifest or next(find_videos(path), None) is not None

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes; one with a missing, broken or outside file is unreadable."""
        root = path if path.is_dir() else path.parent
        items = _items(path)
        groups = grouped(items)
        episodes = (episode_of(root, name, rows) for name, rows in groups.items())
        curves = None if is_video(path.name) else _one_of(root, _CURVES)
        if curves is None:
            _warn_of_tables(path)
            yield from episodes
        else:
            yield from join_curves(episodes, curves, files_as_names(groups))


def _warn_of_tables(path: Path) -> None:
    """Name the tables of a folder that might be curves under another name."""
    if not path.is_dir():
        return
    tables = sorted(
        entry.name
        for entry in path.iterdir()
        if entry.suffix in (".csv", ".tsv", ".jsonl") and entry.name not in (*MANIFESTS, *_BESIDE)
    )
    if tables:
        _log().warning(
            "%s: %s is not read; recorded curves are joined from progress.csv or progress.jsonl.",
            path,
            ", ".join(tables),
        )


def _items(path: Path) -> list[Item]:
    """Return the videos of a folder, of a manifest, or the one video that `path` is."""
    if is_video(path.name) and path.is_file():
        return [Item(path.name)]
    manifest = path if path.is_file() else _one_of(path, MANIFESTS)
    if manifest is not None:
        return _listed(manifest)
    return [Item(file) for file in find_videos(path, _log())]


def _one_of(root: Path, names: Sequence[str]) -> Path | None:
    found = [root / name for name in names if (root / name).exists()]
    for file in found:
        inside(root, file.name, file=root)
        check_file(file)
    if len(found) > 1:
        raise InputError(f"holds both {found[0].name} and {found[1].name}; keep one.", root)
    return found[0] if found else None


def _listed(manifest: Path) -> list[Item]:
    """Return the rows of a manifest that are videos, and say what is left out."""
    rows = read_manifest(manifest)
    items = [row for row in rows if is_video(row.file)]
    others = Counter(Path(r.file).suffix or "no suffix" for r in rows if not is_video(r.file))
    if not items:
        raise InputError("names no video.", manifest)
    if others:
        kinds = ", ".join(f"{count} {suffix}" for suffix, count in others.most_common(5))
        _log().warning(
            "%s: %d of %d rows are not videos and were left out (%s).",
            manifest, others.total(), len(rows), kinds,
        )  # fmt: skip
    named = {Path(item.file).as_posix() for item in items}
    unnamed = [file for file in find_videos(manifest.parent, _log()) if file not in named]
    if unnamed:
        _log().warning(
            "%s: %d videos of the folder are not in it and were left out, such as %r.",
            manifest, len(unnamed), unnamed[0],
        )  # fmt: skip
    return items


def _log() -> logging.Logger:
    return logging.getLogger("assay")
