"""Choose the pairs that the page shows, and fetch their pictures."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from assay.benchmarks.pulse.items import Item
from assay.benchmarks.pulse.scores import Answers
from assay.benchmarks.pulse.thresholds import SHOWN_ITEMS
from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.records import Episode, Image
from assay.reports.pulse_page import Shown

__all__ = ["choose_shown", "jpeg", "show"]

_WIDTH = 160


def choose_shown(
    items: Sequence[Item], table: Mapping[str, Answers], nulls: Sequence[str]
) -> list[int]:
    """Return the places of items to show: where judges disagree first, orders in turn."""
    judges = [answers for name, answers in table.items() if name not in nulls]
    right = np.array(
        [answers == np.array([item.y for item in items]) for answers in judges or table.values()]
    )
    split = np.abs(right.mean(axis=0) - 0.5)  # 0 where half of them are right
    # By a hash among equals: names would show one episode after the other.
    rank = sorted(range(len(items)), key=lambda k: (split[k], zlib.crc32(items[k].item.encode())))
    by_order: dict[tuple[str, bool], list[int]] = {}
    for k in rank:
        by_order.setdefault((items[k].order, bool(right[:, k].mean() >= 0.5)), []).append(k)
    queues = [by_order[key] for key in sorted(by_order, reverse=True)]
    most = max(map(len, queues), default=0)
    turns = [queue[turn] for turn in range(most) for queue in queues if turn < len(queue)]
    return turns[:SHOWN_ITEMS]


def show(item: Item, episode: Episode, answers: Mapping[str, int]) -> Shown:
    """Return an item with its pictures: the first frame, before and after, from the first view."""
    about: dict[str, Any] = {
        "item": item.item,
        "instruction": item.instruction or item.task,
        "facts": f"{item.task}, {item.policy}, {item.order}, {item.bin} hop {item.hop:+.2f}",
        "y": item.y,
        "answers": dict(answers),
    }
    if not episode.views:
        return Shown(**about, pictures={}, note="the episode has no views")
    name, view = next(iter(episode.views.items()))
    moments = {"start": 0.0, "before": item.t_before, "after": item.t_after}
    times = np.unique(list(moments.values()))
    try:
        frames = list(sampling.synced({name: view}, times))
    except EpisodeError as error:
        return Shown(**about, pictures={}, note=str(error))
    at = dict(zip(times.tolist(), (frame[name] for frame in frames), strict=True))
    pictures = {which: _address(at[t]) for which, t in moments.items()}
    return Shown(**about, pictures=pictures, note=f"view {name}")


def _address(image: Image) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg(image)).decode()


def jpeg(image: Image) -> bytes:
    """Return `image` as a small JPEG; the same picture gives the same bytes."""
    import av

    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    width = min(_WIDTH, frame.width) // 2 * 2
    height = max(2, round(frame.height * width / frame.width) // 2 * 2)
    small = frame.reformat(width, height, "yuvj420p", threads=1)
    codec = av.CodecContext.create("mjpeg", "w")
    codec.width, codec.height, codec.pix_fmt = width, height, "yuvj420p"
    codec.time_base = Fraction(1, 25)
    codec.options = {"q:v": "5"}
    return b"".join(bytes(packet) for packet in [*codec.encode(small), *codec.encode(None)])
