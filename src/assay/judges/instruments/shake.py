"""Camera instability: all that stands still in the scene moves together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._aligning import Alignment, Template, aligned
from assay.judges.instruments._footage import Footage, Greys
from assay.judges.instruments._found import Fault, Gauge, Reading, event, graded
from assay.judges.instruments._spans import Flags, Run, stretches
from assay.judges.instruments._tiles import reference
from assay.records import Event, Floats

__all__ = ["camera_motion", "shake"]

_TILE = 12  # [px]
_SLOW = 4  # frames in which a camera that sets out is not seen to

Floats32 = npt.NDArray[np.float32]


def camera_motion(pictures: Greys, at_first: int = 5) -> tuple[Floats, Floats]:
    """Return how far the camera is off its place, and how much of the picture that explains.

    Its place is where it stands most of the time, or where it stood at first if it stayed there for
    a while: what is knocked over does not come back.

    Args:
        pictures: Of shape (T, S, S).
        at_first: Frames that make a while.

    Returns:
        The root mean square over the picture, of shape (T,) [px], and the share of the difference
        to the usual picture that the motion explains, of shape (T,), in 0..1.
    """
    side = pictures.shape[1]
    far, gain = _told(_laid(Template(reference(pictures)), pictures), side)
    away = np.flatnonzero((far > limits.SHAKE_STARTS) & (gain > limits.SHAKE_EXPLAINS))
    if not len(away):
        return far, gain
    first = int(away[0])
    if first == 0:
        first = _stays(pictures, side)
    if first < at_first:
        return far, gain
    # The usual picture is smeared by what the camera did; before that it was not.
    return _told(_laid(Template(reference(pictures[:first])), pictures), side)


def _stays(pictures: Greys, side: int) -> int:
    """Return for how many frames the camera keeps the place that it has at first."""
    far, gain = _told(_laid(Template(pictures[0]), pictures), side)
    gone = np.flatnonzero((far > limits.SHAKE_KEEPS) & (gain > limits.SHAKE_EXPLAINS / 4))
    return int(gone[0]) if len(gone) else len(pictures)


def _laid(template: Template, pictures: Greys) -> list[Alignment]:
    """Lay every picture on the template; each begins where the one before was, or at rest."""
    still = np.zeros(4)
    found: list[Alignment] = []
    for picture in pictures:
        before = found[-1].motion if found and found[-1].gain > limits.SHAKE_EXPLAINS else still
        found.append(aligned(template, picture, [still] if before is still else [still, before]))
    return found


def _told(found: list[Alignment], side: int) -> tuple[Floats, Floats]:
    gain = np.array([a.gain if a.spoilt < limits.SHAKE_SPOILS else 0.0 for a in found])
    # A motion that explains nothing is none: the picture has changed in another way.
    far = np.array([a.far * side for a in found]) * (gain > 0)
    return far, np.maximum(gain, 0.0)


def shake(footage: Footage) -> Reading:
    """Return how far the camera has moved, and where it is unsteady; nothing for a riding one."""
    if footage.moves or len(footage) < 3:
        return Reading()
    far, gain = camera_motion(footage.grey, max(round(limits.SHAKE_HOME_S * footage.fps), 3))
    sure = (far > limits.SHAKE_STARTS) & (gain > limits.SHAKE_EXPLAINS)
    also = (far > limits.SHAKE_KEEPS) & (gain > limits.SHAKE_EXPLAINS / 4)
    also |= _lost(footage.grey, far, sure)
    gap = max(round(limits.SHAKE_PAUSE_S * footage.fps), 1)
    found = stretches(sure, also, gap=gap, least=2)
    gauge = Gauge("the camera {:.1f} px off its place", footage.times, far, high=0.8)
    return Reading((gauge,), tuple(_unsteady(footage, run, far) for run in found))


def _lost(pictures: Greys, far: Floats, sure: Flags) -> Flags:
    """Return where a camera that has gone far is out of sight of its place, of shape (T,).

    No motion lays such a picture on the usual one any more. It is back when parts of the picture
    that had moved are as they were: the robot, which goes on, is in a part of them only.
    A camera goes there bit by bit; what is far off at once is something before the lens.
    """
    lost = np.zeros(len(far), bool)
    away = np.flatnonzero(sure)
    if not len(away) or not away[0] or far[away[0]] > limits.SHAKE_LEAPS:
        return lost
    begins = max(int(away[0]) - _SLOW, 0)  # where it surely has not set out yet
    home = pictures[begins].astype(np.float32)
    noise = float(np.median(np.abs(pictures[begins + 1] - home)))
    level = limits.SHAKE_LEVEL + 2 * noise
    moved: Flags | None = None
    for k in range(int(away[0]), len(far)):
        changed = _tiled(np.abs(pictures[k] - home)) > level
        if sure[k]:
            moved = changed if far[k] > limits.SHAKE_FAR else None
        elif moved is not None and float(changed[moved].mean()) < limits.SHAKE_UNLIKE:
            moved = None
        lost[k] = moved is not None
    return lost


def _tiled(picture: Floats32) -> Floats32:
    """Return the mean over tiles of a picture, of shape (s, s)."""
    count = len(picture) // _TILE
    whole = picture[: count * _TILE, : count * _TILE]
    tiles: Floats32 = whole.reshape(count, _TILE, count, _TILE).mean(axis=(1, 3))
    return tiles


def _unsteady(footage: Footage, run: Run, motion: Floats) -> Event:
    within = motion[run[0] : run[1]]
    most, usual = float(within.max()), float(np.sqrt((within**2).mean()))
    side = footage.colour.shape[1]
    return event(
        footage,
        run,
        Fault(
            "camera_instability",
            graded(usual / side, 0.02, 0.04),
            0.6 + 0.1 * min(usual, 3.0),
            "The camera, which should stand still, moves.",
            f"the standing parts of the picture move together by up to {most:.1f} px of {side}",
        ),
    )
