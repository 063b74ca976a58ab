"""From rows of a manifest, or bare video files, to episodes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assay.episodes.clips.manifest import Item
from assay.episodes.names import slug
from assay.episodes.paths import inside
from assay.episodes.recorded.fields import FIELDS
from assay.episodes.recorded.segments import read_segments
from assay.episodes.video import VideoFrames, VideoInfo, probe
from assay.errors import EpisodeError, InputError, UnsafePathError
from assay.records import Episode, Segment, Status, Unreadable, View

__all__ = ["episode_of", "files_as_names", "grouped"]


def grouped(items: Sequence[Item]) -> dict[str, list[Item]]:
    """Return the rows by episode id, in the order of the rows.

    The id is `episode`, else `group`, else the file without its suffix. Where one `episode` value
    stands in several groups, as when each group counts its own, the id is `group/episode`. Where
    two files differ in their suffix alone, the suffix stays.
    """
    groups_of = defaultdict(set)
    for item in items:
        groups_of[item.episode].add(item.group)
    counted = any(name and len(groups) > 1 for name, groups in groups_of.items())
    stems = Counter(_stem(item.file) for item in items)
    found: dict[str, list[Item]] = {}
    for item in items:
        parts = [item.group, item.episode] if counted else [item.episode or item.group]
        bare = _stem(item.file) if stems[_stem(item.file)] == 1 else Path(item.file).as_posix()
        found.setdefault("/".join(part for part in parts if part) or bare, []).append(item)
    return found


def files_as_names(groups: Mapping[str, Sequence[Item]]) -> dict[str, str]:
    """Return ids by file name, with and without folder and suffix, as far as they are unique."""
    owners = defaultdict(set)
    for name, items in groups.items():
        for file in (Path(item.file) for item in items):
            for alias in (file, file.with_suffix(""), file.name, file.stem):
                owners[Path(alias).as_posix()].add(name)
    return {alias: next(iter(names)) for alias, names in owners.items() if len(names) == 1}


def episode_of(root: Path, name: str, items: Sequence[Item]) -> Episode | Unreadable:
    """Return one episode; its rows are its views."""
    fields = {
        key: _agreed(name, items, key, [item.fields.get(key) for item in items])
        for key in FIELDS
        if any(key in item.fields for item in items)
    }
    if "task" not in fields:
        text = fields.get("instruction", "")
        folder = Path(items[0].file).parent.name or root.resolve().name
        fields["task"] = slug(text) if text else folder
    outcome = _agreed(name, items, "outcome", [item.outcome for item in items])
    bare = Episode(name, outcome=outcome, source=str(root), **fields)
    try:
        videos = [_video(root, item) for item in items]
    except UnsafePathError as error:
        return Unreadable.of(bare, str(error))
    except EpisodeError as error:
        return Unreadable.of(bare, str(error), cast("Status", error.status))
    return replace(
        bare,
        views=_views(name, items, [path for path, _ in videos]),
        segments=_segments(items, [info for _, info in videos]),
    )


def _agreed(name: str, items: Sequence[Item], key: str, values: Sequence[Any]) -> Any:  # noqa: ANN401 - fields differ in type
    """Return the one value that the rows of an episode give, None when none gives any."""
    given = [(item, v) for item, v in zip(items, values, strict=True) if v is not None]
    for item, value in given:
        if value != given[0][1]:
            raise InputError(
                f"the episode {name!r} has the {key} {value!r} here "
                f"and {given[0][1]!r} in {given[0][0].row}.",
                item.place,
            )
    return given[0][1] if given else None


def _video(root: Path, item: Item) -> tuple[Path, VideoInfo]:
    """Return the file of a row and what its header says; the path may not leave `root`."""
    path = inside(root, item.file, file=item.place)
    try:
        info = probe(str(path))
    except EpisodeError as error:
        if item.place is None:
            raise
        raise EpisodeError(f"{item.place}: {error}", error.status) from error
    if 0 < info.duration_s <= item.start_s:  # a header may not tell
        raise EpisodeError(
            f"{item.place}: the episode starts at {item.start_s:g} s, "
            f"but {path} ends at {info.duration_s:g} s."
        )
    return path, info


def _views(name: str, items: Sequence[Item], paths: Sequence[Path]) -> dict[str, View]:
    """Return the views; one without a name is "main", or its file's name beside others."""
    views: dict[str, View] = {}
    rows: dict[str, str] = {}
    for item, path in zip(items, paths, strict=True):
        view = item.view or ("main" if len(items) == 1 else Path(item.file).stem)
        if view in views:
            raise InputError(
                f"the episode {name!r} has the view {view!r} in {rows[view]} already.", item.place
            )
        rows[view] = item.row
        views[view] = View(VideoFrames(str(path), item.start_s, item.end_s), moves=item.moves)
    return views


def _segments(items: Sequence[Item], infos: Sequence[VideoInfo]) -> tuple[Segment, ...]:
    """Return the segments of the first row that has some; views of one episode share them."""
    for item, info in zip(items, infos, strict=True):
        if item.segments is not None:
            return read_segments(item.segments, item.place, None, _frame_clock(item, info))
    return ()


def _frame_clock(item: Item, info: VideoInfo) -> Callable[[float], float]:
    """Return the function from a frame of the file to seconds from the episode's start."""

    def seconds(frame: float) -> float:
        rate = item.fps or info.fps
        if rate <= 0:
            raise InputError(
                "the segments count frames, but the frame rate is unknown.", item.place
            )
        return frame / rate - item.start_s

    return seconds


def _stem(file: str) -> str:
    return Path(file).with_suffix("").as_posix()
