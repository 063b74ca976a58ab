"""Label a moment with its phase and its primitive, from the simulator's state alone.

Both labels are functions of the present state: positions, velocities, contacts and the gripper's
opening. Nothing is remembered, so a restored moment has the labels it had.

What a label is about is, of what can be moved, the one that is held, else the one that the
gripper presses on hardest, else one within `NEAR_M` of the tool that goes along with it: what is
pushed loses touch for milliseconds at a time. "Touched" below means any of the three. Closed
fingers hold nothing, even when both press on the same thing. "Between the fingers" is a centre
within `GRASP_M` of the tool; a thing that reaches further than that, such as a bar, may be farther
by as much. Fingers that bounce back from what they touch are still closing.

Phase, the first that fits:

    release     the fingers open, at something touched or between them
    engage      the fingers close, on something touched or between them
    manipulate  it is touched and moves, or is held off everything else
    engage      it is touched and does not move yet
    release     nothing is touched and the tool leaves something within `NEAR_M`
    approach    else

Primitive, the first that fits:

    release     the fingers open, at something touched or between them
    grasp       the fingers close, on something touched or between them
    none        nothing is touched: reaching is no primitive
    nudge       it is touched, not held, and hardly moves
    push        it is touched, not held, and moves
    grasp       it is held and is still
    twist       it is a part of a fixture, such as a knob, is held and turns on the spot
    pull        it is a part of a fixture, such as a handle, is held and moves
    twist       it is held and turns about the vertical faster than `TWIST_RAD_S`
    lift        it is held and goes up
    align       it is held and is carried, lowered or turned
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from assay.worlds.state import GRIPPER, State

__all__ = ["PHASES", "PRIMITIVES", "Phase", "Primitive", "phase", "primitive"]

Phase: TypeAlias = Literal["approach", "engage", "manipulate", "release"]
Primitive: TypeAlias = Literal[
    "align", "push", "nudge", "release", "twist", "lift", "grasp", "pull", "none"
]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
PRIMITIVES: Final[tuple[Primitive, ...]] = get_args(Primitive)

MOVES_M_S = 0.02  # a thing that is slower is still
TURNS_RAD_S = 0.2  # ... and does not turn faster than this
TWIST_RAD_S = 0.6  # a carried thing that is merely swung along turns slower
RISES_M_S = 0.02  # a held thing that goes up faster is being lifted
FINGERS_PER_S = 0.1  # in whole openings: fingers that are slower neither open nor close
BOUNCE_PER_S = 0.4  # closing fingers bounce back at up to 0.32; opened on purpose they are faster
GRASP_M = 0.035  # a centre this near is between the fingers
NEAR_M = 0.08  # a hand this near can go along with a thing or leave it; hands travel higher
ALONG = 0.5  # what differs less in velocity, as a share of the tool's speed, goes along with it
LEAVE_M_S = 0.02  # how fast the tool must move away to leave something
CLOSED = 0.05  # below this opening there is no room for anything between the fingers


def phase(state: State, movable: Sequence[str]) -> Phase:
    """Return the phase of this moment.

    Args:
        state: The present moment.
        movable: Names of everything that can be moved: things, and drawers with their handles.
    """
    name, held = _subject(state, movable)
    fingers = _fingers(state, movable, name)
    if fingers:
        return "release" if fingers > 0 else "engage"
    if name:
        moved = _moves(state, name) or (held and _carried(state, name))
        return "manipulate" if moved else "engage"
    return "release" if _leaves(state, movable) else "approach"


def primitive(state: State, movable: Sequence[str]) -> Primitive:
    """Return what the hand does at this moment.

    Args:
        state: The present moment.
        movable: Names of everything that can be moved: things, and drawers with their handles.
    """
    name, held = _subject(state, movable)
    fingers = _fingers(state, movable, name)
    if fingers:
        return "release" if fingers > 0 else "grasp"
    if not name:
        return "none"
    moves = _moves(state, name)
    if not held:
        return "push" if moves else "nudge"
    return _handled(state, name) if moves else "grasp"


def _handled(state: State, name: str) -> Primitive:
    """Return what is done with something that is held and moves."""
    velocity = state.velocity(name)
    if name not in state.things:
        return "pull" if np.linalg.norm(velocity[3:]) > MOVES_M_S else "twist"
    if abs(velocity[2]) > TWIST_RAD_S:
        return "twist"
    return "lift" if velocity[5] > RISES_M_S else "align"


def _subject(state: State, movable: Sequence[str]) -> tuple[str, bool]:
    """Return what the hand is at, and whether it is held; an empty name when it touches nothing."""
    force = {name: state.force(GRIPPER, name) for name in movable}
    touched = sorted((name for name in movable if force[name] > 0.0), key=lambda n: -force[n])
    if state.opening > CLOSED:
        for name in touched:
            if state.held(name):
                return name, True
    touched += [name for name in movable if _goes_along(state, name)]
    return (touched[0] if touched else ""), False


def _goes_along(state: State, name: str) -> bool:
    """Tell whether something moves as the tool does, right beside it."""
    if _far(state, name) > NEAR_M or not _moves(state, name):
        return False
    tool, thing = state.velocity("tool")[3:], state.velocity(name)[3:]
    return bool(np.linalg.norm(tool - thing) < ALONG * np.linalg.norm(tool))


def _fingers(state: State, movable: Sequence[str], touched: str) -> int:
    """Return 1 when the fingers open at something, -1 when they close on it, else 0."""
    speed = state.opening_speed
    at_something = touched or any(_far(state, name) <= GRASP_M for name in movable)
    if not at_something or abs(speed) <= FINGERS_PER_S:
        return 0
    if speed > (BOUNCE_PER_S if touched else FINGERS_PER_S):
        return 1
    return -1 if state.opening > CLOSED else 0


def _moves(state: State, name: str) -> bool:
    velocity = state.velocity(name)
    turning, moving = np.linalg.norm(velocity[:3]), np.linalg.norm(velocity[3:])
    return bool(moving > MOVES_M_S or turning > TURNS_RAD_S)


def _carried(state: State, name: str) -> bool:
    """Tell whether a thing touches nothing but grippers; a part of a fixture never is."""
    others = (o for o in state.owners if o != name and not o.startswith(GRIPPER))
    return name in state.things and not any(state.touching(name, other) for other in others)


def _far(state: State, name: str) -> float:
    """Return how far the tool is from something, from a long one as if it were `GRASP_M` long."""
    far = float(np.linalg.norm(state.position("tool") - state.position(name)))
    return max(far - max(state.extent(name) - GRASP_M, 0.0), 0.0)


def _leaves(state: State, movable: Sequence[str]) -> bool:
    """Tell whether the tool moves away from the nearest of what can be moved, still close to it."""
    nearest = min(movable, key=lambda name: _far(state, name), default="")
    if not nearest or _far(state, nearest) > NEAR_M:
        return False
    gap = state.position("tool") - state.position(nearest)
    drift = (state.velocity("tool") - state.velocity(nearest))[3:]
    return float(drift @ gap) > LEAVE_M_S * float(np.linalg.norm(gap))
