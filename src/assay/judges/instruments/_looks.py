"""What a part of the picture looks like before and during a spell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, hue_of
from assay.judges.instruments._limits import STEP_LEVEL
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._spells import Spell
from assay.records import Floats, Image

__all__ = ["Look", "look"]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What happened to a part of the picture.

    Attributes:
        stirred: Share of the surroundings that moves just before or after one of its ends.
        left: Share of the picture that showed something and shows its surroundings since then.
        came: Share of the picture of which the contrary holds.
        turned: Share of it that stood out before and stands out meanwhile, by inside and rim.
        left_at: The middle of what has left, row and column, of shape (2,); NaN without any.
        came_at: The middle of what has come.
        before: Mean colour of what has left, of shape (3,); NaN without any.
        after: Mean colour of what has come.
        ground: Median colour of the surroundings.
        rest: Share of the rim outside that shows what has left still, or showed what has come.
    """

    stirred: float
    left: float
    came: float
    turned: tuple[float, float]
    left_at: Floats
    came_at: Floats
    before: Floats
    after: Floats
    ground: Floats
    rest: float


def look(footage: Footage, spell: Spell) -> Look:
    """Describe a spell by its surroundings: things stand out from them, empty places do not."""
    before, during = footage.small[spell.first - 1], footage.small[spell.settled]
    was, now = _standing_out(before, spell.mask), _standing_out(during, spell.mask)
    left, came = was > now + limits.LOOK_LEVEL, now > was + limits.LOOK_LEVEL
    inside, both = spell.mask, np.minimum(was, now) > limits.TURNED_LEVEL
    return Look(
        stirred=_stirred(footage, spell),
        left=float((left & inside).mean()),
        came=float((came & inside).mean()),
        turned=(float(both[inside].mean()), float(both[_rim(inside)].mean())),
        left_at=_middle(left & inside),
        came_at=_middle(came & inside),
        before=_colour(before, left & inside),
        after=_colour(during, came & inside),
        ground=_ground(before, inside),
        rest=max(
            _alike(during, inside, _colour(before, left & inside)),
            _alike(before, inside, _colour(during, came & inside)),
        ),
    )


def _middle(mask: Flags) -> Floats:
    """Return the middle of a part, row and column; NaN without any."""
    where = np.nonzero(mask)
    return np.array([float(np.mean(at)) if len(at) else np.nan for at in where])


def _alike(picture: Image, mask: Flags, colour: Floats) -> float:
    """Return which share of the rim just outside a part has a colour, in whatever light."""
    from scipy import ndimage

    if np.isnan(colour).any():
        return 0.0
    rim = ndimage.binary_dilation(mask, iterations=3) & ~ndimage.binary_dilation(mask)
    far = np.abs(hue_of(picture[rim]) - hue_of(colour)).max(axis=-1)
    other = np.abs(hue_of(colour) - hue_of(_ground(picture, mask))).max()
    # Where the thing has the hue of the ground, nothing can be told.
    return float((far < limits.PATCH_HUE / 2).mean()) if other > limits.PATCH_HUE else 0.0


def _standing_out(picture: Image, mask: Flags) -> Floats:
    """Return how far each pixel of a part is from the nearest ones around the part, (s, s)."""
    from scipy import ndimage

    # Its soft edge lies just outside.
    wide = ndimage.binary_dilation(mask, iterations=3)
    smooth = ndimage.uniform_filter(picture.astype(np.float32), (3, 3, 1))
    nearest = ndimage.distance_transform_edt(wide, return_distances=False, return_indices=True)
    far: Floats = np.abs(picture - smooth[tuple(nearest)]).max(axis=-1)
    return far


def _ring(mask: Flags, far: int) -> Flags:
    """Return what lies within `far` pixels of a mask, but for its soft edge."""
    from scipy import ndimage

    wide = ndimage.binary_dilation(mask, iterations=far)
    return np.asarray(wide & ~ndimage.binary_dilation(mask))


def _rim(mask: Flags) -> Flags:
    from scipy import ndimage

    return np.asarray(mask & ~ndimage.binary_erosion(mask))


def _stirred(footage: Footage, spell: Spell) -> float:
    """Return the largest share of the surroundings that moves beside one of the two ends."""
    ring = _ring(spell.mask, limits.STEP_NEAR)
    moved = footage.changes > STEP_LEVEL
    worst = 0.0
    # changes[k] leads from frame k to k + 1.
    for first, settled in ((spell.first, spell.settled), (spell.leaves, spell.stop)):
        for part in (moved[max(first - 3, 0) : first - 1], moved[settled : settled + 2]):
            if len(part) and ring.any():
                worst = max(worst, float(part[:, ring].any(axis=0).mean()))
    return worst


def _ground(picture: Image, mask: Flags) -> Floats:
    ring = _ring(mask, limits.STEP_NEAR)
    return np.median(picture[ring], axis=0) if ring.any() else np.full(3, np.nan)


def _colour(picture: Image, where: Flags) -> Floats:
    return picture[where].mean(axis=0) if where.any() else np.full(3, np.nan)
