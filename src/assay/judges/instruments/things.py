"""Things that vanish, appear, jump or turn into others from one moment to the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, permutations, product

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, Greys, apart, hue_of
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._limits import LEAST_FPS, STEP_LEVEL
from assay.judges.instruments._looks import Look, look
from assay.judges.instruments._patches import Patch, patches
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._spells import Spell, lasting, spells, transitions
from assay.records import Event, Floats, Image

__all__ = ["things"]


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """A part of the picture that turns, and what it looks like before and meanwhile."""

    spell: Spell
    look: Look
    returns: bool


def things(footage: Footage) -> Reading:
    """Return where a thing is gone, made up or elsewhere, until it is put right again.

    Clips under `LEAST_FPS` and cameras that ride on the robot are left out: there, what moves
    honestly changes at once too.
    """
    if len(footage) < 4 or footage.moves or footage.fps < LEAST_FPS or _restless(footage):
        return Reading()
    events = [_event(footage, group) for group in _groups(_turns(footage))]
    return Reading((), tuple(e for e in events if e is not None))


def _turns(footage: Footage) -> list[_Turn]:
    """Return the parts that turn at one moment while nothing passes them."""
    found = transitions(footage)
    back = _alone(footage, spells(footage, found), returns=True)
    good = _alone(footage, lasting(footage, found), returns=False)
    # What the robot takes away later can't come back: it still belongs to what turned with it.
    moments = {turn.spell.first for turn in back}
    known = [*back, *(t for t in good if t.spell.first in moments or _surely(footage, t))]
    slow = _slowly(footage, known)
    # What dissolves bit by bit has bits that turn at one moment.
    return [*(t for t in known if not any(_twice(t, other) for other in slow)), *slow]


def _slowly(footage: Footage, known: list[_Turn]) -> list[_Turn]:
    """Return the parts that turn within several frames, each with what it looks like."""
    seen = [turn for patch in patches(footage) if (turn := _clear(footage, patch)) is not None]
    made: list[_Turn] = []
    for one in seen:
        turn = _spanned(footage, one)
        whole = [other for other in known if other.spell.area > limits.PATCH_BIT * one.spell.area]
        if turn is None or any(_twice(turn, other) for other in (*whole, *made)):
            continue
        if one.look.stirred <= limits.PATCH_CALM or _seen_twice(turn, one, seen):
            made.append(turn)
    return made


def _seen_twice(turn: _Turn, one: _Turn, seen: list[_Turn]) -> bool:
    """Tell whether the other end of a spell, too, is a clear turn."""
    ends = (turn.spell.first, turn.spell.leaves)
    return any(
        other is not one
        and min(abs(other.spell.first - end) for end in ends) <= limits.PATCH_NEAR
        and abs(other.spell.first - one.spell.first) > limits.PATCH_NEAR
        and _shared(other.spell.mask, turn.spell.mask) > 0.5
        for other in seen
    )


def _spanned(footage: Footage, turn: _Turn) -> _Turn | None:
    """Return a turn with the time for which its place is not as at first; None if it can't be told.

    What makes a place look as at first ends a spell. How that began may have been hidden.
    """
    spell, inside = turn.spell, footage.small[:, turn.spell.mask]
    first, settled = spell.first, spell.settled
    if not _as_in(inside, 0, inside[first - 1]) and _as_in(inside, 0, inside[settled]):
        like = [k for k in range(2, first) if _as_in(inside, k - 2, inside[settled])]
        if not like:
            return None
        begun = replace(spell, first=like[-1] + 1, settled=like[-1] + 1, leaves=first, stop=settled)
        seen = turn.look
        there = replace(seen, left=seen.came, came=seen.left, before=seen.after, after=seen.before)
        return _Turn(replace(begun, stop=max(settled, first + 1)), there, returns=True)
    again = range(settled + 1, len(footage) - 2)
    back = next((k for k in again if _as_in(inside, k, inside[first - 1])), None)
    if back is not None:
        return _Turn(replace(spell, leaves=back, stop=back), turn.look, returns=True)
    good = limits.LASTING_FRAMES <= first < len(footage) - limits.LASTING_FRAMES
    calm = turn.look.stirred <= limits.LASTING_CALM
    return turn if good and calm and spell.area >= limits.THING_ALONE else None


def _as_in(inside: Image, first: int, colours: Image) -> bool:
    """Tell whether a part looks like `colours`, of shape (n, 3), for three frames."""
    hue = hue_of(colours)
    near = [
        (apart(one, colours) <= limits.SPELL_BACK)
        | (np.abs(hue_of(one) - hue).max(axis=-1) <= limits.PATCH_HUE / 2)  # in another light
        for one in inside[first : first + 3]
    ]
    return min(float(each.mean()) for each in near) >= limits.PATCH_BACK


def _clear(footage: Footage, patch: Patch) -> _Turn | None:
    """Return a patch as a turn if a thing comes or goes with it; None for shadows and limbs."""
    frames = len(footage)
    spell = Spell(patch.first, patch.settled, frames, frames, patch.mask, 0.0)
    if _at_the_edge(patch.mask):
        return None  # limbs come in from outside
    seen = look(footage, spell)
    thing = seen.before if seen.left > seen.came else seen.after
    pure = max(seen.left, seen.came) >= limits.PATCH_PURE * spell.area
    other = np.abs(hue_of(thing) - hue_of(seen.ground)).max() >= limits.PATCH_HUE
    clear = max(seen.left, seen.came) >= limits.PATCH_CLEAR * spell.area
    calm = seen.stirred <= (limits.STEP_RESTLESS if clear else limits.PATCH_RESTLESS)
    if not (pure and other and calm):
        return None
    return _Turn(spell, seen, returns=False)


def _at_the_edge(mask: Flags) -> bool:
    """Tell whether a part touches the edge of the picture."""
    return bool(mask[[0, -1]].any() or mask[:, [0, -1]].any())


def _twice(turn: _Turn, known: _Turn) -> bool:
    """Tell whether a turn is known already."""
    near = abs(turn.spell.first - known.spell.first) <= limits.LASTING_FRAMES
    return near and _shared(turn.spell.mask, known.spell.mask) > 0.3


def _surely(footage: Footage, turn: _Turn) -> bool:
    """Tell whether a part that never turns back does so as no robot does it."""
    inside = limits.LASTING_FRAMES <= turn.spell.first < len(footage) - limits.LASTING_FRAMES
    return inside and turn.spell.crisp and turn.look.stirred <= limits.LASTING_RESTLESS


def _alone(footage: Footage, found: list[Spell], *, returns: bool) -> list[_Turn]:
    """Return those that turn with one frame, and beside which nothing moves at that time."""
    sharp = [
        spell
        for spell in found
        if spell.sharp >= limits.SPELL_SHARP
        and spell.leaves - spell.first >= max(limits.SPELL_LEAST_S * footage.fps, 3)
        and spell.area <= limits.THING_MOST
    ]
    made = [_Turn(spell, look(footage, spell), returns) for spell in sharp]
    return [
        turn
        for turn in made
        if turn.look.stirred
        <= (limits.STEP_RESTLESS if turn.spell.crisp else limits.STEP_RESTLESS_SLOW)
    ]


def _all_of_it(footage: Footage, group: list[_Turn], area: float) -> bool:
    """Tell whether the parts are most of what changes at their ends beyond the usual.

    If far more of the picture changes at once, it is the robot or the picture, not a thing.
    """
    changed = (footage.changes > STEP_LEVEL).mean(axis=(1, 2))
    ends = [min(turn.spell.first for turn in group)]
    ends += [max(turn.spell.leaves for turn in group if turn.returns)] if group[0].returns else []

    def sudden(frame: int) -> float:
        # changes[k] leads from frame k to k + 1.
        before, after = changed[max(frame - 4, 0) : frame - 1], changed[frame : frame + 3]
        beside = max(float(before.max(initial=0.0)), float(after.max(initial=0.0)))
        return float(changed[frame - 1]) - beside

    return area > limits.THING_SUDDEN * max(sudden(frame) for frame in ends)


def _restless(footage: Footage) -> bool:
    """Tell whether so much moves in most frames that the camera must."""
    changed = (footage.changes > STEP_LEVEL).mean(axis=(1, 2))
    return bool(np.median(changed) > limits.THING_RESTLESS)


def _groups(found: list[_Turn]) -> list[list[_Turn]]:
    """Put together what turns at the same moment, or turns on where another turns back."""
    groups: list[list[_Turn]] = []
    for turn in sorted(found, key=lambda t: t.spell.first):
        fitting = [g for g in groups if any(_linked(one, turn) for one in g)]
        groups = [g for g in groups if g not in fitting]
        groups.append([*(one for g in fitting for one in g), turn])
    return groups


def _linked(one: _Turn, other: _Turn) -> bool:
    """Tell whether two turns are one fault: they share a moment, or a place soon after."""
    a, b = one.spell, other.spell
    near = limits.PATCH_NEAR if 0.0 in (a.sharp, b.sharp) else 1
    back = one.returns and other.returns
    if abs(a.first - b.first) <= near or abs(a.leaves - b.first) <= 1:
        return True
    if back and abs(a.leaves - b.leaves) <= near:
        return True
    soon = abs(b.first - a.leaves) <= limits.PATCH_PAUSE and one.returns
    return soon and _shared(a.mask, b.mask) > 0.5


_KINDS = {
    "hop": ("object_teleportation", "A thing is at another place from one moment to the next"),
    "gone": ("object_disappearance", "A thing is gone from one moment to the next"),
    "new": ("object_hallucination", "A thing is there from one moment to the next"),
    "up": ("object_floating", "A thing hangs in the air from one moment to the next"),
    "swap": ("object_identity_swap", "A thing looks like another one from one moment to the next"),
}


def _kind(group: list[_Turn]) -> str:
    """Tell what happened: what leaves and comes in one colour has jumped."""
    if any(_exchanged(a, b) for a, b in combinations(group, 2)):
        return "swap"
    if any(_moved(a, b) for a, b in permutations(group, 2)):
        return "hop"
    if any(_jumps(group, moment) for moment in {t.spell.first for t in group}):
        return "hop"
    if any(_jumps(group, moment) for moment in {t.spell.leaves for t in group if t.returns}):
        return "hop"
    if _turned(group):
        return "swap"
    left, came = (sum(t.look.left for t in group), sum(t.look.came for t in group))
    return "gone" if left >= came else "new"


def _turned(group: list[_Turn]) -> bool:
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


def _exchanged(one: _Turn, other: _Turn) -> bool:
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


def _main(turn: _Turn) -> Floats:
    """Return the colour of most of what has left or come."""
    return turn.look.before if turn.look.left > turn.look.came else turn.look.after


def _moved(one: _Turn, other: _Turn) -> bool:
    """Tell whether what has left one place, which is empty since then, has come to another."""
    empty = one.look.turned[0] < limits.TURNED_BOTH and one.look.left > 0.5 * one.spell.area
    there = other.look.came > limits.THING_SIZES * one.look.left
    near = limits.PATCH_NEAR if 0.0 in (one.spell.sharp, other.spell.sharp) else 1
    at_once = abs(one.spell.first - other.spell.first) <= near
    apart_from = _far(other.look.after, other.look.ground) > limits.THING_COLOUR
    same = _far(one.look.before, other.look.after) < limits.THING_COLOUR
    return empty and there and at_once and apart_from and same


def _jumps(group: list[_Turn], moment: int) -> bool:
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
    if any(_shared(a, b) > 0.3 for a, b in product(starts, ends)):
        return False  # it blinks at one place
    (left_area, was), (came_area, now) = _summed(gone), _summed(new)
    balanced = min(left_area, came_area) > limits.THING_SIZES * max(left_area, came_area)
    ground = np.median([turn.look.ground for turn in group], axis=0)
    # Ground that shows where a part of a thing was cut off is no thing that came.
    thing = min(_far(was, ground), _far(now, ground)) > limits.LOOK_LEVEL
    return balanced and thing and _far(was, now) < limits.THING_COLOUR


def _elsewhere(footage: Footage, turn: _Turn, what: str) -> str:
    """Return what happened to a thing that is gone or new; empty if it can't be told.

    Its hue is all over the picture as often as before: then it is only at another place.
    """
    if turn.look.rest > limits.PATCH_REST:
        return ""
    spell, gone = turn.spell, what == "gone"
    pictures = footage.small[spell.first - 1], footage.small[spell.settled]
    ground: Greys = hue_of(turn.look.ground)
    way: Greys = np.subtract(hue_of(turn.look.before if gone else turn.look.after), ground)
    if np.abs(way).max() < limits.PATCH_HUE:
        return what  # grey things on grey ground are everywhere
    there, here = (_on_the_way(np.subtract(hue_of(p), ground), way) for p in pictures)
    if not gone:
        there, here = here, there
    other = here & ~there & ~spell.mask
    if other.mean() < limits.THING_ELSEWHERE * max(turn.look.left, turn.look.came):
        return what
    if spell.settled - spell.first > 1:
        return ""  # it is on its way
    up, aside = _middle_of(spell.mask) - _middle_of(other)
    up, aside = (float(up), abs(float(aside))) if gone else (-float(up), abs(float(aside)))
    return "up" if up > 0 and aside < limits.LIFTED * up else "hop"


def _on_the_way(hues: Greys, way: Greys) -> Flags:
    """Return which hues (..., 2) are half-way from the ground's to a thing's, or further."""
    long = float(way @ way)
    along = hues @ way / long
    aside = np.abs(hues @ np.array([-way[1], way[0]])) / long
    return np.asarray((along > 0.5) & (along < 2.0) & (aside < limits.THING_ASIDE * along))


def _lifted(group: list[_Turn]) -> bool:
    """Tell whether a thing has gone straight up."""
    left = np.average([_middle(t) for t in group], axis=0, weights=[t.look.left for t in group])
    came = np.average([_middle(t) for t in group], axis=0, weights=[t.look.came for t in group])
    up, aside = float(left[0] - came[0]), abs(float(left[1] - came[1]))
    return up > 0 and aside < limits.LIFTED * up


def _middle(turn: _Turn) -> Floats:
    return _middle_of(turn.spell.mask)


def _middle_of(mask: Flags) -> Floats:
    """Return the middle of a part, row and column."""
    return np.array([float(np.mean(where)) for where in np.nonzero(mask)])


def _shared(one: Flags, other: Flags) -> float:
    """Return which share of the smaller of two parts lies in the other one."""
    return float((one & other).sum()) / max(float(min(one.sum(), other.sum())), 1.0)


def _summed(found: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    """Return the whole area and the mean colour of some parts."""
    areas = np.array([area for area, _ in found])
    colours = np.array([np.nan_to_num(colour) for _, colour in found])
    whole = float(areas.sum())
    return whole, (areas[:, None] * colours).sum(axis=0) / max(whole, 1e-9)


def _far(one: Floats, other: Floats) -> float:
    far = float(np.abs(one - other).max())
    return far if np.isfinite(far) else np.inf


def _event(footage: Footage, group: list[_Turn]) -> Event | None:
    """Return the fault; what is never put right must be larger."""
    area = float(np.any([turn.spell.mask for turn in group], axis=0).mean())
    back = any(turn.returns for turn in group)
    certain = all(turn.spell.crisp or not turn.spell.sharp for turn in group)
    least = limits.THING_LEAST if certain else limits.THING_BLURRED
    moments = [turn.spell.first for turn in group]
    parts = max(moments.count(moment) for moment in moments)
    if area < (least if back else limits.THING_ALONE) or parts > limits.THING_PARTS:
        return None
    if len(group) > 2 and area > limits.THING_GROUP:
        return None
    if not _all_of_it(footage, group, area):
        return None
    main = max(group, key=lambda turn: turn.spell.area)
    first = min(turn.spell.first for turn in group)
    stop = max(turn.spell.stop for turn in group if turn.returns or not back)
    what = _kind(group)
    if what in ("gone", "new"):
        what = _elsewhere(footage, main, what)
    elif what == "hop" and _lifted(group):
        what = "up"
    if not what:
        return None
    kind, says = _KINDS[what]
    rows, columns = (
        float(np.mean(where)) / len(main.spell.mask) for where in np.nonzero(main.spell.mask)
    )
    ends = f"until {footage.ends(stop - 1):.1f} s" if back else "for good"
    return event(
        footage,
        (first, stop),
        Fault(
            kind,
            graded(area, 0.006, 0.015) + (kind == "object_teleportation"),
            0.85 if back else 0.6,
            f"{says}, and nothing touches it.",
            f"{area:.1%} of the picture around {columns:.0%} from the left and {rows:.0%} "
            f"from the top changes at {float(footage.times[first]):.2f} s, {ends}; all "
            f"around it is still",
        ),
    )
