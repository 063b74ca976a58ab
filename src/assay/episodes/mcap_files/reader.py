"""From an MCAP file to an `Episode` record: one file is one episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes import jsonlines, tables
from assay.episodes.encoded_frames import EncodedFrames, Pictures
from assay.episodes.guarding import guarded
from assay.episodes.mcap_files.index import Channel, Index, load_index
from assay.episodes.mcap_files.messages import JOINTS, VIDEO, value_of
from assay.episodes.mcap_files.pictures import TopicPictures
from assay.episodes.mcap_files.video import TopicVideo
from assay.episodes.paths import inside
from assay.episodes.recorded.fields import FIELDS, from_cells
from assay.episodes.recorded.segments import read_segments
from assay.records import Episode, Floats, Series, Unreadable, View

__all__ = ["EPISODE", "read_mcap"]

EPISODE = "assay_episode"
"""The name of the metadata in which our own writer keeps the fields of an episode."""

_PARTS = {
    "position": "joint_position",
    "velocity": "joint_velocity",
    "effort": "joint_torque",
}


def read_mcap(path: Path) -> Iterator[Episode | Unreadable]:
    """Yield one episode a file, sorted by name."""
    files = [path] if path.is_file() else sorted(path.glob("*.mcap"))
    root = path.parent if path.is_file() else path
    for file in files:
        bare = Episode(file.stem, root.resolve().name, source=str(file))
        yield guarded(bare, file, partial(_filled, bare, root, file))


def _filled(bare: Episode, root: Path, file: Path) -> Episode:
    index = load_index(inside(root, file.name, file=root))
    read = [channel for channel in index.channels.values() if channel.is_read and channel.count]
    stamps = [p.log_time for c in read for p in c.places] + [t for c in read for t, _ in c.data]
    origin = min(stamps, default=0)
    views: dict[str, View] = {}
    signals: dict[str, Series] = {}
    unread = [c.words for c in index.channels.values() if not c.is_read]
    joints = [channel for channel in read if channel.kind in JOINTS]
    extra: dict[str, Any] = {}
    for channel in read:
        name = _name_of(channel.topic)
        if channel.shows:
            views[name] = _view(file, channel, origin)
        elif channel.kind in JOINTS:
            prefix = "" if len(joints) == 1 else f"{name}."
            names, found = _joints(channel, origin)
            signals |= {f"{prefix}{part}": series for part, series in found.items()}
            extra[f"{prefix}joint_names"] = names
        else:
            series = _values(channel, origin)
            if series is None:
                unread.append(channel.topic)
            else:
                signals[name] = series
    filled = replace(bare, views=views, signals=signals, extra={**extra, "unread": unread})
    return _noted(filled, index, file)


def _name_of(topic: str) -> str:
    plain = topic.strip("/").removeprefix("views/").removeprefix("signals/")
    return plain.removesuffix("/compressed").replace("/", ".") or "unnamed"


def _times(stamps: Sequence[int], origin: int) -> tuple[Floats, list[int]]:
    """Return the times [s] in order, and which stamps they are; of equal ones the first counts."""
    nanoseconds = np.array(stamps, np.uint64) - np.uint64(origin)
    unique, order = np.unique(nanoseconds, return_index=True)
    return unique.astype(np.float64) / 1e9, order.tolist()


def _view(file: Path, channel: Channel, origin: int) -> View:
    times, order = _times([place.log_time for place in channel.places], origin)
    places = tuple(channel.places[at] for at in order)
    pictures: Pictures = (
        TopicVideo(str(file), channel.topic, places)
        if channel.kind == VIDEO
        else TopicPictures(str(file), channel.topic, channel.kind, places)
    )
    return View(EncodedFrames(pictures, times), moves="wrist" in channel.topic)


def _joints(channel: Channel, origin: int) -> tuple[list[str], dict[str, Series]]:
    """Return the joints' names, and the parts that every message has for each of them."""
    times, order = _times([stamp for stamp, _ in channel.data], origin)
    messages = [JOINTS[channel.kind](channel.data[at][1]) for at in order]
    names = messages[0][0]
    if any(found != names for found, _ in messages):
        raise ValueError(f"the joints of {channel.topic} change their names or their order")
    parts = {
        signal: [found[part] for _, found in messages]
        for part, signal in _PARTS.items()
        if all(len(found[part]) == len(names) for _, found in messages)
    }
    if not names:
        return names, {}
    return names, {signal: Series(times, np.stack(rows)) for signal, rows in parts.items()}


def _values(channel: Channel, origin: int) -> Series | None:
    """Return the values of a channel of JSON, None when it tells something else."""
    times, order = _times([stamp for stamp, _ in channel.data], origin)
    values = [value_of(channel.data[at][1]) for at in order]
    if all(isinstance(value, str) for value in values):
        return Series(times, np.array(values, dtype=np.str_))
    shapes = {value.shape for value in values if isinstance(value, np.ndarray)}
    if len(shapes) != 1 or not all(isinstance(value, np.ndarray) for value in values):
        return None
    return Series(times, np.stack([value for value in values if isinstance(value, np.ndarray)]))


def _noted(episode: Episode, index: Index, file: Path) -> Episode:
    """Return the episode with the fields that our own writer kept."""
    note: Mapping[str, str] = index.metadata.get(EPISODE, {})
    if not note:
        return episode
    fields = from_cells({name: note.get(name, "") for name in FIELDS}, file, None)
    segments = jsonlines.parse(note["segments"], file) if note.get("segments") else None
    return replace(
        episode,
        id=note.get("id") or episode.id,
        outcome=tables.FLAGS.get(note.get("outcome", "").casefold()),
        segments=read_segments(segments, file, None),
        **fields,
    )
