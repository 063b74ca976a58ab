"""Parts of the picture that turn into something else while all around them is still."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._footage import Footage, apart, hue_of
from assay.judges.instruments._looks import Look, look
from assay.judges.instruments._patches import Patch, patches
from assay.judges.instruments._spans import Flags
from assay.judges.instruments._spells import Spell, lasting, spells, transitions
from assay.records import Image

__all__ = ["Turn", "groups_of", "shared", "turns_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A part of the picture that turns, and what it looks like before and meanwhile."""

    spell: Spell
    look: Look
    returns: bool


def turns_of(footage: Footage) -> list[Turn]:
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


def _slowly(footage: Footage, known: list[Turn]) -> list[Turn]:
    """Return the parts that turn within several frames, each with what it looks like."""
    seen = [turn for patch in patches(footage) if (turn := _clear(footage, patch)) is not None]
    made: list[Turn] = []
    for one in seen:
        turn = _spanned(footage, one)
        whole = [other for other in known if other.spell.area > limits.PATCH_BIT * one.spell.area]
        if turn is None or any(_twice(turn, other) for other in (*whole, *made)):
            continue
        if one.look.stirred <= limits.PATCH_CALM or _seen_twice(turn, one, seen):
            made.append(turn)
    return made


def _seen_twice(turn: Turn, one: Turn, seen: list[Turn]) -> bool:
    """Tell whether the other end of a spell, too, is a clear turn."""
    ends = (turn.spell.first, turn.spell.leaves)
    return any(
        other is not one
        and min(abs(other.spell.first - end) for end in ends) <= limits.PATCH_NEAR
        and abs(other.spell.first - one.spell.first) > limits.PATCH_NEAR
        and shared(other.spell.mask, turn.spell.mask) > 0.5
        for other in seen
    )


def _spanned(footage: Footage, turn: Turn) -> Turn | None:
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
        there = replace(
            seen,
            left=seen.came,
            came=seen.left,
            left_at=seen.came_at,
            came_at=seen.left_at,
            before=seen.after,
            after=seen.before,
        )
        return Turn(replace(begun, stop=max(settled, first + 1)), there, returns=True)
    again = range(settled + 1, len(footage) - 2)
    back = next((k for k in again if _as_in(inside, k, inside[first - 1])), None)
    if back is not None:
        return Turn(replace(spell, leaves=back, stop=back), turn.look, returns=True)
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


def _clear(footage: Footage, patch: Patch) -> Turn | None:
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
    return Turn(spell, seen, returns=False)


def _at_the_edge(mask: Flags) -> bool:
    """Tell whether a part touches the edge of the picture."""
    return bool(mask[[0, -1]].any() or mask[:, [0, -1]].any())


def _twice(turn: Turn, known: Turn) -> bool:
    """Tell whether a turn is known already."""
    near = abs(turn.spell.first - known.spell.first) <= limits.LASTING_FRAMES
    return near and shared(turn.spell.mask, known.spell.mask) > 0.3


def _surely(footage: Footage, turn: Turn) -> bool:
    """Tell whether a part that never turns back does so as no robot does it."""
    inside = limits.LASTING_FRAMES <= turn.spell.first < len(footage) - limits.LASTING_FRAMES
    return inside and turn.spell.crisp and turn.look.stirred <= limits.LASTING_RESTLESS


def _alone(footage: Footage, found: list[Spell], *, returns: bool) -> list[Turn]:
    """Return those that turn with one frame, and beside which nothing moves at that time."""
    sharp = [
        spell
        for spell in found
        if spell.sharp >= limits.SPELL_SHARP
        and spell.leaves - spell.first >= max(limits.SPELL_LEAST_S * footage.fps, 3)
        and spell.area <= limits.THING_MOST
    ]
    made = [Turn(spell, look(footage, spell), returns) for spell in sharp]
    return [
        turn
        for turn in made
        if turn.look.stirred
        <= (limits.STEP_RESTLESS if turn.spell.crisp else limits.STEP_RESTLESS_SLOW)
    ]


def groups_of(found: list[Turn]) -> list[list[Turn]]:
    """Put together what turns at the same moment, or turns on where another turns back."""
    groups: list[list[Turn]] = []
    for turn in sorted(found, key=lambda t: t.spell.first):
        fitting = [g for g in groups if any(_linked(one, turn) for one in g)]
        groups = [g for g in groups if g not in fitting]
        groups.append([*(one for g in fitting for one in g), turn])
    return groups


def _linked(one: Turn, other: Turn) -> bool:
    """Tell whether two turns are one fault: they share a moment, or a place soon after."""
    a, b = one.spell, other.spell
    near = limits.PATCH_NEAR if 0.0 in (a.sharp, b.sharp) else 1
    back = one.returns and other.returns
    if abs(a.first - b.first) <= near or abs(a.leaves - b.first) <= 1:
        return True
    if back and abs(a.leaves - b.leaves) <= near:
        return True
    soon = abs(b.first - a.leaves) <= limits.PATCH_PAUSE and one.returns
    return soon and shared(a.mask, b.mask) > 0.5


def shared(one: Flags, other: Flags) -> float:
    """Return which share of the smaller of two parts lies in the other one."""
    return float((one & other).sum()) / max(float(min(one.sum(), other.sum())), 1.0)
