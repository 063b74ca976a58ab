"""Write the contact sheet of a benchmark of glitches: a strip of frames for every kind of clip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from assay.episodes.glitches.taxonomy import taxonomy
from assay.episodes.jpeg import JpegCoder
from assay.episodes.shrinking import shrink
from assay.episodes.video import VideoFrames
from assay.records import Image
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, tag
from assay.reports._sections import section

__all__ = ["strip", "write_sheet"]

_TITLE = "Clips with known glitches"
_FOLDER = "sheet"
_SIDE: Final = 132  # of a frame on the sheet [pixels]
_SHARES: Final = (0.02, 0.3, 0.6, 0.98)  # of the glitch's span that are shown
_BAR: Final = 5  # height of the bar over frames of the glitch [pixels]
_MARKED, _PLAIN = (200, 40, 40), (215, 215, 215)


def write_sheet(root: Path, known: Sequence[Mapping[str, Any]]) -> None:
    """Write `index.html` and a strip of frames of the first clip of every injector.

    Args:
        root: The run directory, with the clips in it.
        known: What is known of every clip.
    """
    first: dict[str, Mapping[str, Any]] = {}
    for one in known:
        first.setdefault(one["recipe"], one)
    (root / _FOLDER).mkdir(exist_ok=True)
    coder = JpegCoder(4)
    for recipe, one in first.items():
        (root / _FOLDER / f"{recipe}.jpg").write_bytes(coder.code(strip(root, one)))
    kinds = {recipe: _kind(one) for recipe, one in first.items()}
    order = [*taxonomy().types, ""]
    sections = [
        section(
            f"type-{kind or 'clean'}",
            kind or "clean",
            *(_shown(first[recipe]) for recipe in sorted(first) if kinds[recipe] == kind),
        )
        for kind in order
        if kind in kinds.values()
    ]
    heading = tag(
        "header",
        tag("p", "Assay · glitches", class_="kicker"),
        tag("h1", _TITLE),
        tag(
            "p",
            "One clip of every injector: a frame before the glitch, frames of it under a red bar, "
            "and one after it.",
        ),
        class_="top",
    )
    write_still_page(_TITLE, [heading, tag("main", *sections, id="main")], root)


def strip(root: Path, one: Mapping[str, Any]) -> Image:
    """Return frames of a clip side by side, those of its glitch under a bar of another colour."""
    frames = VideoFrames(str(root / one["file"]))
    end = float(frames.clock()[-1])
    start, stop = one["events"][0]["span_s"] if one["events"] else (0.0, 0.0)
    inside = [start + share * (stop - start) for share in _SHARES] if one["events"] else []
    plain = [max(start - 0.15, 0.0), min(stop + 0.1, end)]
    times = sorted([plain[0], *inside, plain[1]] if inside else np.linspace(0.0, end, 6).tolist())
    made = []
    for time, picture in zip(times, frames.at(np.array(times)), strict=True):
        colour = _MARKED if inside and start <= time < stop else _PLAIN
        bar = np.broadcast_to(np.array(colour, np.uint8), (_BAR, _SIDE, 3))
        made.append(np.concatenate([bar, shrink(picture, _SIDE)]))
    return np.concatenate(made, axis=1)


def _kind(one: Mapping[str, Any]) -> str:
    return str(one["events"][0]["type"]) if one["events"] else ""


def _shown(one: Mapping[str, Any]) -> Safe:
    """Return the strip of a clip with what is to be known of it."""
    said = one["instruction"]
    if one["events"]:
        event = one["events"][0]
        start, end = event["span_s"]
        grave = f"severity {event['severity']:g}"
        said = f"{start:.2f} to {end:.2f} s, {grave}. {event['description']}"
    name = f"{one['recipe']} ({one['strength']})" if one["strength"] else one["recipe"]
    picture = tag(
        "img", src=f"{_FOLDER}/{one['recipe']}.jpg", alt=f"Frames of {one['clip']}", loading="lazy"
    )
    return tag("figure", picture, tag("figcaption", tag("b", name), f": {said} [{one['clip']}]"))
