"""Learn, without decoding, when each frame of a video file is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.episodes._containers import opened

if TYPE_CHECKING:
    from av import Packet
    from av.container import InputContainer
    from av.video.stream import VideoStream

__all__ = ["HOLD_S", "TOLERANCE_S", "Index", "index", "packets_from"]

TOLERANCE_S = 1e-3  # two clocks of one frame may differ by rounding, never by this much
HOLD_S = 0.5  # the longest time a frame may stand in for one that is not there


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Where the frames of a stretch of video are, in ticks of the stream's clock.

    Attributes:
        pts: When each frame is shown, of shape (N,), increasing. Frames that the header promises
            but a cut file lacks are included, at their likely times.
        whole: How many of them, counted from the first, are in the file.
        keys: Positions in `pts` from which a keyframe serves, of shape (K,), not decreasing.
        key_pts: When each keyframe is shown, of shape (K,), increasing. A keyframe that an edit
            list hides is here too: the frames after it need it.
        key_dts: When each keyframe is decoded, of shape (K,).
        tick: Length of a tick [s].
        counted: Whether the file tells no display times, so that frames are found by counting.
    """

    pts: npt.NDArray[np.int64]
    whole: int
    keys: npt.NDArray[np.int64]
    key_pts: npt.NDArray[np.int64]
    key_dts: npt.NDArray[np.int64]
    tick: float
    counted: bool = False


# One packet: display and decode time [ticks], whether it is a keyframe, and whether it is hidden.
# A bare tuple, because making named ones costs as much as reading the packets.
Row: TypeAlias = tuple[int | None, int | None, bool, bool]


def index(
    container: InputContainer, stream: VideoStream, start_s: float, end_s: float | None
) -> Index:
    """Index the frames shown from `start_s` to `end_s` [s], and those needed to decode them.

    `container` must be freshly opened; it is left somewhere in the middle.
    """
    tick = float(stream.time_base or 1)
    start = int((start_s - TOLERANCE_S) / tick) if start_s > 0 else None
    stop = math.inf if end_s is None else end_s / tick
    rows = _promised(container, stream, start, stop)
    if rows is None:
        packets = (
            container.demux(stream)
            if start is None or _is_counted(container, stream)
            else packets_from(container, stream, start)
        )
        rows = _scan(packets, stop)
    if all(row[0] is not None for row in rows) and not _is_counted(container, stream):
        return _by_time(container, stream, rows, stop)
    with opened(container.name) as (again, same):
        return _by_count(len(_scan(again.demux(same))), again, same)


def _promised(
    container: InputContainer, stream: VideoStream, start: int | None, stop: float
) -> list[Row] | None:
    """Return the rows from `start` to `stop` [ticks] by the header of an MP4 file, if it tells.

    Reading the packets costs ten times as much. But the header as FFmpeg shows it holds decode
    times: they are display times only where no picture is coded before one shown earlier, and
    where the first is shown when it is decoded. A file that is cut off, or that an edit list
    shortens, is left to its packets too.
    """
    entries = stream.index_entries
    if (
        not container.format.name.startswith("mov")
        or not 0 < stream.frames == len(entries)
        or stream.codec_context.has_b_frames
        or entries[0].timestamp != stream.start_time
        or entries[-1].pos + entries[-1].size > container.size
    ):
        return None
    # A keyframe; -1 when there is none so early.
    first = 0 if start is None else max(entries.search_timestamp(start), 0)
    rows: list[Row] = []
    before = -math.inf
    for entry in (entries[number] for number in range(first, len(entries))):
        time = entry.timestamp
        if time >= stop:
            break
        if entry.is_discard or entry.size == 0 or time <= before:
            return None
        rows.append((time, time, entry.is_keyframe, False))
        before = time
    return rows


def _scan(packets: Iterator[Packet[VideoStream]], stop: float = math.inf) -> list[Row]:
    """Return what `packets` say of their frames, until one is decoded at `stop` [ticks]."""
    rows: list[Row] = []
    for packet in packets:
        if packet.size == 0 or packet.is_corrupt:
            continue
        dts = packet.dts
        if dts is not None and dts >= stop:
            break
        rows.append((packet.pts, dts, packet.is_keyframe, packet.is_discard))
    return rows


def packets_from(
    container: InputContainer, stream: VideoStream, target: int, guess: int | None = None
) -> Iterator[Packet[VideoStream]]:
    """Seek, and return the packets from a keyframe shown at or before `target` [ticks].

    Containers search by display or by decode time as they like, and some land too late. So the
    place is verified, and if need be looked for further back. `guess` is where to look first.
    """
    look = target if guess is None else guess
    for back_s in (0, 1, 8, 64):
        _seek(container, stream, look - _ticks(stream, back_s))
        packets = container.demux(stream)
        first = next((p for p in packets if p.is_keyframe), None)
        if first is not None and first.pts is not None and first.pts <= target:
            return chain([first], packets)
    _seek(container, stream, (stream.start_time or 0) - _ticks(stream, 64))
    return container.demux(stream)


def _ticks(stream: VideoStream, seconds: int) -> int:
    # Most seeks go no seconds back, and fractions are slow.
    return round(seconds / (stream.time_base or 1)) if seconds else 0


def _seek(container: InputContainer, stream: VideoStream, ticks: int) -> None:
    import av

    try:
        container.seek(ticks, stream=stream)
    except av.FFmpegError:  # some containers refuse to look before their first frame
        container.seek(max(ticks, 0), stream=stream)


def _is_counted(container: InputContainer, stream: VideoStream) -> bool:
    # AVI stores one time per packet, in decoding order: with B-frames it is no display time.
    return container.format.name == "avi" and bool(stream.codec_context.has_b_frames)


def _by_count(count: int, container: InputContainer, stream: VideoStream) -> Index:
    """Index frames that come one period apart, whatever their packets say."""
    period = _period(stream)
    lost = _promised_beyond(count * period, container, stream)
    pts = np.round(np.arange(count + lost) * period).astype(np.int64)
    zero = np.zeros(1, np.int64)
    return Index(pts, count, zero, zero, zero, float(stream.time_base or 1), counted=True)


def _by_time(container: InputContainer, stream: VideoStream, rows: list[Row], stop: float) -> Index:
    """Index frames by the display times of their packets."""
    pts = np.array([row[0] for row in rows], np.int64)
    dts = np.array([row[0] if row[1] is None else row[1] for row in rows], np.int64)
    is_key = np.array([row[2] for row in rows], bool)
    is_hidden = np.array([row[3] for row in rows], bool)
    if not is_key.any():
        is_key[:1] = True
    by_time = np.argsort(pts[is_key])
    key_pts, key_dts = pts[is_key][by_time], dts[is_key][by_time]
    # What is shown before the first keyframe refers to pictures that are not in the file.
    first = key_pts[0] if len(key_pts) else 0
    seen = ~is_hidden & (pts >= first)
    shown = np.unique(pts[seen])
    lost = _lost(container, stream, shown, np.sort(dts[seen]), stop)
    every = np.union1d(shown, lost)
    whole = int(np.searchsorted(every, lost[0])) if len(lost) else len(every)
    keys = np.searchsorted(every, key_pts)
    return Index(every, whole, keys, key_pts, key_dts, float(stream.time_base or 1))


def _lost(
    container: InputContainer,
    stream: VideoStream,
    shown: npt.NDArray[np.int64],
    decoded: npt.NDArray[np.int64],
    stop: float,
) -> npt.NDArray[np.int64]:
    """Return the likely display times of frames that the header promises and the file lacks.

    Args:
        container: The container of the frames.
        stream: Their stream.
        shown: When the frames that are there are shown, sorted [ticks].
        decoded: When their packets are decoded, sorted [ticks].
        stop: The end of the range [ticks].
    """
    period, entries = _period(stream), stream.index_entries
    last = int(shown[-1]) if len(shown) else -1
    if not container.format.name.startswith("mov"):
        # The last frame may last as long as the longest before it.
        longest = max(period, float(np.diff(shown).max(initial=0)))
        count = _promised_beyond(last + longest, container, stream)
        slots = np.round(last + period * np.arange(1, count + 1))
    elif len(entries) and entries[-1].pos + entries[-1].size > container.size:
        # The index of an MP4 holds decode times; display comes later by the reordering delay.
        delay = np.median(shown - decoded) if len(shown) == len(decoded) > 0 else 0
        first = decoded[0] if len(decoded) else -np.inf
        slots = np.array([e.timestamp for e in entries if e.timestamp >= first]) + delay
    else:
        return np.empty(0, np.int64)
    slots = slots[slots < stop]
    # A frame that is there fills its slot. With B-frames a cut leaves a few beyond the gap.
    before, after = np.searchsorted(shown, [slots - period / 2, slots + period / 2])
    lost: npt.NDArray[np.int64] = slots[before == after].astype(np.int64)
    return lost


def _period(stream: VideoStream) -> float:
    """Return the usual time between two frames [ticks]."""
    rate = stream.guessed_rate or stream.average_rate or 25
    return 1 / float(rate * (stream.time_base or 1))


def _promised_beyond(end: float, container: InputContainer, stream: VideoStream) -> int:
    """Return how many frames the header promises beyond `end` [ticks].

    Headers round, so up to `HOLD_S` is no promise. A container's duration may be that of another
    stream: it counts only when there is no other.
    """
    tick = float(stream.time_base or 1)
    length = max(stream.frames * _period(stream), stream.duration or 0)
    if len(container.streams) == 1 and container.duration is not None:
        length = max(length, container.duration / 1e6 / tick)
    missing = (stream.start_time or 0) + length - end
    return round(missing / _period(stream)) if missing * tick > HOLD_S else 0
