"""Occlusion by something that moves: a surface in colours that the scene does not have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage, apart
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._palette import Palette
from assay.records import Event, Floats

__all__ = ["foreign"]


@dataclass(frozen=True, slots=True)
class _Cover:
    """Foreign colours that come at `first`, are all there at `settled` and gone at `stop`."""

    first: int
    settled: int
    stop: int
    area: float


@dataclass(frozen=True, slots=True)
class _Limit:
    """Share of the picture that turns foreign with a frame, and within some of them."""

    jumps: float
    grows: float


_COLOURS = _Limit(limits.FOREIGN_JUMPS, limits.FOREIGN_GROWS)
_HUES = _Limit(limits.FOREIGN_HUE_JUMPS, limits.FOREIGN_HUE_GROWS)


def foreign(footage: Footage) -> Reading:
    """Return where a large part of the picture takes on foreign colours within a few frames.

    The robot has its colours all the time, wherever it is. What comes before the lens brings its
    own. A camera that rides on the robot sees new colours wherever it goes: nothing is said.
    """
    if len(footage) < 4 or footage.moves:
        return Reading()
    found: list[_Cover] = []
    for palette, limit in ((footage.palette, _COLOURS), (footage.hue_palette, _HUES)):
        covers = _covers(footage, palette.share, limit)
        found += [cover for cover in covers if _whole(footage, palette, cover)]
    share = footage.palette.share
    gauge = Gauge("{:.0%} of the picture in foreign colours", footage.times, share, high=0.1)
    return Reading((gauge,), tuple(_covered(footage, cover) for cover in found))


def _covers(footage: Footage, share: Floats, limit: _Limit) -> list[_Cover]:
    """Return the stretches that begin with a jump of the share and end when it has gone back."""
    slope = max(round(limits.FOREIGN_S * footage.fps), 2)
    waver = limits.FOREIGN_TEMPO * float(np.quantile(np.abs(np.diff(share)), 0.75))
    found: list[_Cover] = []
    frame = 1
    while frame < len(share):
        settled = _settled(share[frame - 1 : frame + slope], limit, waver)
        if settled is None:
            frame += 1
            continue
        settled += frame
        base = float(share[frame - 1])
        area = float(share[settled]) - base
        below = np.flatnonzero(share[settled:] < base + 0.3 * area)
        stop = settled + int(below[0]) if len(below) else len(share)
        found.append(_Cover(frame, settled, stop, area))
        frame = stop + 1
    return found


def _settled(share: Floats, limit: _Limit, waver: float) -> int | None:
    """Return when a jump from the first of some shares to the next is over; None without one."""
    risen = share[1:] - share[0]
    if risen[0] <= 0.2 * risen.max(initial=0.0):  # it begins later
        return None
    jumps = risen[0] > max(limit.jumps, waver)
    grows = risen.max() > max(limit.grows, waver * np.sqrt(len(risen)))
    if not (jumps or grows):
        return None
    return int(np.flatnonzero(risen > 0.8 * risen.max())[0])


def _whole(footage: Footage, palette: Palette, cover: _Cover) -> bool:
    """Tell whether most of the foreign colours are one connected part that has just changed."""
    from scipy import ndimage

    if cover.area > limits.FOREIGN_MOST:
        return False
    # What stays to the end may be the robot that comes back: was it there before?
    stays = cover.stop == len(footage)
    if stays and palette.before(cover.settled, cover.first) > 0.3 * cover.area:
        return False
    before, now = footage.small[cover.first - 1], footage.small[cover.settled]
    new = palette.where(cover.settled) & (apart(before, now) > limits.STEP_LEVEL)
    labels, count = ndimage.label(ndimage.binary_closing(new))
    if not count:
        return False
    largest = float(np.bincount(labels.reshape(-1))[1:].max()) / new.size
    return largest > limits.FOREIGN_WHOLE * cover.area


def _covered(footage: Footage, cover: _Cover) -> Event:
    return event(
        footage,
        (cover.first, cover.stop),
        Fault(
            "occlusion",
            graded(cover.area, 0.1, 0.2),
            0.75,
            "Something that is no part of the task covers a part of the picture.",
            f"{cover.area:.0%} of the picture takes on colours that the clip else does not have, "
            f"within {cover.settled - cover.first + 1} frames",
        ),
    )
