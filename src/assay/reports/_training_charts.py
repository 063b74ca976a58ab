"""Draw the figures of a training: its course, its calibration, and examples with their pictures."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.records import Floats, Image
from assay.reports._markup import Safe, join, tag
from assay.reports._palette import Look, looks, marker
from assay.reports._svg import Frame, picture, polyline
from assay.reports.figures import QUARTERS, legend, panel

__all__ = ["PLAIN", "Example", "calibration_chart", "course", "examples"]

_PER_TICK = 100  # a frame writes its ticks times 100, so other scales are divided by it
_THUMB = 88.0  # pixels of a picture above a curve
PLAIN = 1 / _PER_TICK
"""What brings a value to what a frame writes times 100."""

_OF_A_JUDGE = (
    ("Loss on what it learns from", "loss", PLAIN),
    ("Mean error on held-out episodes, %", "valid_error", 1.0),
    ("Pairs in the right order on held-out episodes, %", "valid_pairs", 1.0),
)


@dataclass(frozen=True, eq=False)
class Example:
    """One judged episode.

    Attributes:
        name: The heading.
        note: What to know of it.
        times: The judged moments [s], of shape (T,).
        curves: Values by name, each of shape (T,); the truth comes first and may hold NaN.
        pictures: Moments [s] and what they look like.
    """

    name: str
    note: str
    times: Floats
    curves: Mapping[str, Floats]
    pictures: Sequence[tuple[float, Image]]


def course(
    history: Sequence[Mapping[str, Any]], drawn: Sequence[tuple[str, str, float]] = _OF_A_JUDGE
) -> Safe:
    """Draw figures over the steps of training.

    Args:
        history: The looks, each with its `step`.
        drawn: Heading, key in a look, and 1 to show a value times 100, `PLAIN` to show it as it is.
    """
    panels = [panel(name, _over_steps(history, key, factor)) for name, key, factor in drawn]
    return tag("div", *panels, class_="panels")


def _over_steps(history: Sequence[Mapping[str, Any]], key: str, factor: float) -> Safe:
    """Draw one panel; `factor` brings a value to what a frame writes times 100."""
    known = [(p["step"] / _PER_TICK, p[key] * factor) for p in history if p[key] is not None]
    x_ticks = _ticks(history[-1]["step"] / _PER_TICK)
    y_ticks = _ticks(max([value for _, value in known], default=1.0) or 1.0)
    frame = Frame(x_top=x_ticks[-1], y_top=y_ticks[-1])
    look = looks([key])[key]
    at = [(frame.x(step), frame.y(value)) for step, value in known]
    parts = [
        frame.axes(x_ticks, y_ticks, "steps", ""),
        polyline(at, f"line {look.colour}"),
        *(marker(look, *point, size=2.5) for point in at),
    ]
    if not known:
        parts.append(frame.note("nothing was held out"))
    return picture(frame.width, frame.height, f"{key} over {history[-1]['step']} steps", parts)


def calibration_chart(bins: Sequence[Mapping[str, Any]]) -> Safe:
    """Draw the mean truth over the mean guess of each bin, with the spread of the truth."""
    frame = Frame(width=360, height=320)
    look = looks(["judge"])["judge"]
    parts = [frame.axes(QUARTERS, QUARTERS, "the judge says", "known progress")]
    parts.append(polyline([(frame.x(0), frame.y(0)), (frame.x(1), frame.y(1))], "axis"))
    for place in bins:
        x, y = frame.x(place["guess"]), frame.y(place["truth"])
        ends = [frame.y(min(max(place["truth"] + s * place["sd"], 0), 1)) for s in (-1, 1)]
        told = (
            f"says {100 * place['guess']:.0f}, known {100 * place['truth']:.0f}"
            f" (sd {100 * place['sd']:.0f}), {place['n']} moments"
        )
        bar = tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=f"bar {look.colour}")
        parts.append(tag("g", tag("title", told), bar, marker(look, x, y)))
    if not bins:
        parts.append(frame.note("nothing is known"))
    label = "Calibration: known progress over what the judge says, in ten bins."
    return tag(
        "div",
        panel("Known progress over judged progress", picture(360, 320, label, parts)),
        class_="panels",
    )


def examples(found: Sequence[Example]) -> Safe:
    """Draw the curves of some episodes under pictures of the moments they pass through."""
    names = list(dict.fromkeys(name for example in found for name in example.curves))
    styles = looks(names)
    drawn = [panel(e.name, _example(e, styles), e.note) for e in found]
    return join([legend(names, styles), tag("div", *drawn, class_="prints")])


def _example(example: Example, styles: Mapping[str, Look]) -> Safe:
    last = max(float(example.times[-1]), 1e-3)
    frame = Frame(width=760, height=330, top=_THUMB + 20, x_top=last / _PER_TICK)
    marks = [tick for tick in _ticks(last / _PER_TICK) if tick <= last / _PER_TICK]
    parts = [frame.axes(marks, QUARTERS, "seconds", "progress, %")]
    for time, image in example.pictures:
        x = min(max(frame.x(time / _PER_TICK) - _THUMB / 2, 0), frame.width - _THUMB)
        parts.append(tag("image", href=_png(image), x=float(x), y=2.0, width=_THUMB, height=_THUMB))
    parts += [
        polyline(at, f"line {styles[name].colour}", styles[name].dash)
        for name, values in example.curves.items()
        for at in _runs(frame, example.times, values)
    ]
    label = f"Progress of {example.name} by {', '.join(example.curves)}."
    return picture(frame.width, frame.height, label, parts, "wide")


def _runs(frame: Frame, times: Floats, values: Floats) -> list[list[tuple[float, float]]]:
    """Return the points of the curve, apart where there is no value."""
    runs: list[list[tuple[float, float]]] = [[]]
    for time, value in zip(times.tolist(), values.tolist(), strict=True):
        if math.isnan(value):
            runs.append([])
        else:
            runs[-1].append((frame.x(time / _PER_TICK), frame.y(value)))
    return [run for run in runs if run]


def _ticks(top: float) -> list[float]:
    """Return round ticks from 0 to at least `top`, four to six of them."""
    power = 10.0 ** math.floor(math.log10(top / 5))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power * 5 >= top)
    return [step * k for k in range(math.ceil(top / step - 1e-9) + 1)]


def _png(image: Image) -> str:
    """Return the picture, uint8 (H, W, 3), as a data address."""
    height, width = image.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)
    chunks = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
