"""What happened to things that turn: gone, new, elsewhere, or others than before."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, Greys, hue_of
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._turns import Turn, shared
from assay.records import Floats

__all__ = ["happened"]


def happened(footage: Footage, group: list[Turn]) -> str:
    """Return "gone", "new", "hop", "up" or "swap"; empty if it can't be told."""
    what = _kind(group)
    if what in ("gone", "new"):
        return _elsewhere(footage, max(group, key=lambda turn: turn.spell.area), what)
    return "up" if what == "hop" and _lifted(group) else what


def _kind(group: list[Turn]) -> str:
    """Tell what happened: what leaves and comes in one colour has jumped; empty if unsure."""
    if any(_exchanged(a, b) for a, b in combinations(group, 2)):
        return "swap"
    if any(_moved(a, b) for a, b in permutations(group, 2)):
        return "hop"
    moments = {t.spell.first for t in group} | {t.spell.leaves for t in group if t.returns}
    if any(_jumps(group, moment) for moment in moments):
        return "hop"
    if _turned(group):
        return "swap"
    left, came = (sum(t.look.left for t in group), sum(t.look.came for t in group))
    # What grows, bends or sinks both leaves some ground and takes some.
    if abs(left - came) < limits.THING_PURE * sum(t.spell.area for t in group):
        return ""
    return "gone" if left >= came else "new"


def _turned(group: list[Turn]) -> bool:
    """Tell whether something else than the surroundings was there and still is."""
    areas = [turn.spell.area for turn in group]
    inside, rim = np.average([turn.look.turned for turn in group], axis=0, weights=areas)
    if inside > limits.TURNED_WHOLE and rim > limits.TURNED_ROUND and len(group) == 1:
        return True  # all of it, up to its rim
    # Beside other things an empty place stands out as well, but a thing does so far more.
    lopsided = abs(sum(t.look.left - t.look.came for t in group)) / sum(areas)
    if not any(turn.spell.sharp for turn in group):
        lopsided = 0.0  # a hue that turns stands out more or less than the one before
    return bool(inside > limits.TURNED_SHARE + 0.3 * lopsided and rim > limits.TURNED_RIM)


def _exchanged(one: Turn, other: Turn) -> bool:
    """Tell whether each of two parts shows since then what the other one showed."""
    pair = (one, other)
    # Where a thing came close, the ground beside it stands out too: it is not what came.
    colours = [(t, colour) for t in pair for colour in (t.look.before, t.look.after)]
    if abs(one.spell.first - other.spell.first) > 1:
        return False
    known = [(t, colour) for t, colour in colours if np.isfinite(colour).all()]
    if any(_far(colour, t.look.ground) < limits.TURNED_LEVEL for t, colour in known):
        return False
    mixed = all(min(t.look.left, t.look.came) > limits.TURNED_RIM * t.spell.area for t in pair)
    # A thing that takes the place of a paler one stands out more all over.
    filled = all(t.look.turned[0] > limits.TURNED_BOTH for t in pair)
    filled = filled and (one.look.left > one.look.came) != (other.look.left > other.look.came)
    if filled and _far(_main(one), _main(other)) < limits.THING_COLOUR:
        return True
    return (
        mixed
        and _far(one.look.before, one.look.after) > limits.THING_COLOUR
        and _far(one.look.before, other.look.after) < limits.THING_COLOUR
        and _far(other.look.before, one.look.after) < limits.THING_COLOUR
    )


def _main(turn: Turn) -> Floats:
    """Return the colour of most of what has left or come."""
    return turn.look.before if turn.look.left > turn.look.came else turn.look.after


def _moved(one: Turn, other: Turn) -> bool:
    """Tell whether what has left one place, which is empty since then, has come to another."""
    empty = one.look.turned[0] < limits.TURNED_BOTH and one.look.left > 0.5 * one.spell.area
    there = other.look.came > limits.THING_SIZES * one.look.left
    near = limits.PATCH_NEAR if 0.0 in (one.spell.sharp, other.spell.sharp) else 1
    at_once = abs(one.spell.first - other.spell.first) <= near
    apart_from = _far(other.look.after, other.look.ground) > limits.THING_COLOUR
    same = _far(one.look.before, other.look.after) < limits.THING_COLOUR
    return empty and there and at_once and apart_from and same


def _jumps(group: list[Turn], moment: int) -> bool:
    """Tell whether as much comes as leaves with one frame, in one colour."""
    gone: list[tuple[float, Floats]] = []
    new: list[tuple[float, Floats]] = []
    ends: list[Flags] = []
    starts: list[Flags] = []
    for turn in group:
        left, came = (turn.look.left, turn.look.before), (turn.look.came, turn.look.after)
        near = 1 if turn.spell.sharp else limits.PATCH_NEAR
        if abs(turn.spell.first - moment) <= near:
            gone.append(left)
            new.append(came)
            starts.append(turn.spell.mask)
        elif abs(turn.spell.leaves - moment) <= near:
            gone.append(came)
            new.append(left)
            ends.append(turn.spell.mask)
    if any(shared(a, b) > 0.3 for a, b in product(starts, ends)):
        return False  # it blinks at one place
    (left_area, was), (came_area, now) = _summed(gone), _summed(new)
    balanced = min(left_area, came_area) > limits.THING_SIZES * max(left_area, came_area)
    ground = np.median([turn.look.ground for turn in group], axis=0)
    # Ground that shows where a part of a thing was cut off is no thing that came.
    thing = min(_far(was, ground), _far(now, ground)) > limits.LOOK_LEVEL
    return balanced and thing and _far(was, now) < limits.THING_COLOUR


def _elsewhere(footage: Footage, turn: Turn, what: str) -> str:
    """Return what happened to a thing that is gone or new; empty if it can't be told.

    Its hue is all over the picture as often as before: then it is only at another place.
    """
    if turn.look.rest > limits.PATCH_REST:
        return ""
    spell, gone = turn.spell, what == "gone"
    ends = (spell.first - 1, spell.settled) if gone else (spell.settled, spell.first - 1)
    ground: Greys = hue_of(turn.look.ground)
    way: Greys = np.subtract(hue_of(turn.look.before if gone else turn.look.after), ground)
    if np.abs(way).max() < limits.PATCH_HUE:
        return what  # grey things on grey ground are everywhere
    here, away = (_on_the_way(np.subtract(hue_of(footage.small[end]), ground), way) for end in ends)
    other = away & ~here & ~spell.mask
    if other.mean() < limits.THING_ELSEWHERE * max(turn.look.left, turn.look.came):
        return what
    if spell.settled - spell.first > 1:
        return ""  # it is on its way
    places = _middle_of(spell.mask), _middle_of(other)
    return "up" if _straight_up(*(places if gone else places[::-1])) else "hop"


def _on_the_way(hues: Greys, way: Greys) -> Flags:
    """Return which hues (..., 2) are half-way from the ground's to a thing's, or further."""
    long = float(way @ way)
    along = hues @ way / long
    aside = np.abs(hues @ np.array([-way[1], way[0]])) / long
    return np.asarray((along > 0.5) & (along < 2.0) & (aside < limits.THING_ASIDE * along))


def _lifted(group: list[Turn]) -> bool:
    """Tell whether a thing has gone straight up."""
    gone = [t for t in group if t.look.left > 0]
    new = [t for t in group if t.look.came > 0]
    if not gone or not new:
        return False
    left = np.average([t.look.left_at for t in gone], axis=0, weights=[t.look.left for t in gone])
    came = np.average([t.look.came_at for t in new], axis=0, weights=[t.look.came for t in new])
    return _straight_up(left, came)


def _straight_up(old: Floats, new: Floats) -> bool:
    """Tell whether the way from one place to another, rows and columns, leads up."""
    up, aside = float(old[0] - new[0]), abs(float(old[1] - new[1]))
    return up > 0 and aside < limits.LIFTED * up


def _middle_of(mask: Flags) -> Floats:
    """Return the middle of a part, row and column."""
    return np.array([float(np.mean(where)) for where in np.nonzero(mask)])


def _summed(found: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    """Return the whole area and the mean colour of some parts."""
    areas = np.array([area for area, _ in found])
    colours = np.array([np.nan_to_num(colour) for _, colour in found])
    whole = float(areas.sum())
    return whole, (areas[:, None] * colours).sum(axis=0) / max(whole, 1e-9)


def _far(one: Floats, other: Floats) -> float:
    far = float(np.abs(one - other).max())
    return far if np.isfinite(far) else np.inf
