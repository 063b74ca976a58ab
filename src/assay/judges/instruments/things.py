"""Things that vanish, appear, jump or turn into others from one frame to the next."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from assay.judges.instruments import _limits as limits
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._steps import Step, steps
from assay.records import Event, Floats

__all__ = ["things"]


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """What happened to a thing at one frame: it left a place, came to one, or both.

    `step` is what shows it best.
    """

    kind: str
    step: Step
    left: Step | None = None
    came: Step | None = None

    @property
    def frame(self) -> int:
        return self.step.frame


def things(footage: Footage) -> Reading:
    """Return where a thing is gone, made up or elsewhere, until it is put right again.

    Clips under `LEAST_FPS` and cameras that ride on the robot are left out: there, what moves
    honestly makes steps too.
    """
    if len(footage) < 4 or footage.moves or footage.fps < limits.LEAST_FPS or _restless(footage):
        return Reading()
    alone = [
        s for s in steps(footage) if s.alone and limits.THING_LEAST <= s.area <= limits.THING_MOST
    ]
    turns: list[_Turn] = []
    for _, group in groupby(alone, key=lambda s: s.frame):
        turns += _turns(list(group))
    events = []
    while turns:
        turn = turns.pop(0)
        back = next((t for t in turns if _undoes(t, turn)), None)
        if back is not None:
            turns.remove(back)
        found = _event(footage, turn, back)
        events += [found] if found else []
    return Reading((), tuple(events))


def _restless(footage: Footage) -> bool:
    """Tell whether so much moves in most frames that the camera must."""
    changed = (footage.changes > limits.STEP_LEVEL).mean(axis=(1, 2))
    return bool(np.median(changed) > limits.THING_RESTLESS)


def _turns(found: list[Step]) -> list[_Turn]:
    """Return what happened at one frame; what leaves and comes in one colour has jumped."""
    if len(found) > limits.THING_TOGETHER:  # the picture changed, not a thing
        return []
    biggest = max(found, key=lambda s: s.area)
    if all(s.turned for s in found if s.area > limits.THING_SIZES * biggest.area):
        return [_Turn("swap", biggest, biggest, biggest)]
    hops = [_Turn("hop", s, s, s) for s in found if _hops(s)]
    if hops:
        return hops[:1]
    gone = sorted((s for s in found if s.left.sum() >= s.came.sum()), key=lambda s: -s.area)
    new = sorted((s for s in found if s.left.sum() < s.came.sum()), key=lambda s: -s.area)
    pairs = [(a, b) for a in gone for b in new if _alike(a, b)]
    if pairs:
        return [_Turn("hop", pairs[0][0], *pairs[0])]
    whole = biggest.left.sum() >= biggest.came.sum()
    return [_Turn("gone", biggest, left=biggest) if whole else _Turn("new", biggest, came=biggest)]


def _hops(step: Step) -> bool:
    """Tell whether one part holds both places of a thing that jumped a short way."""
    left, came = int(step.left.sum()), int(step.came.sum())
    least = limits.STEP_LEAST * step.mask.size
    if min(left, came) < max(least, 0.35 * max(left, came)):
        return False
    return _distance(step.before, step.after) < limits.THING_COLOUR and not step.turned


def _alike(gone: Step, new: Step) -> bool:
    """Tell whether what left and what came can be one thing."""
    sizes = sorted((gone.area, new.area))
    return (
        sizes[0] > limits.THING_SIZES * sizes[1]
        and _distance(gone.before, new.after) < limits.THING_COLOUR
    )


def _distance(one: Floats, other: Floats) -> float:
    far = float(np.abs(one - other).max())
    return far if np.isfinite(far) else np.inf


def _undoes(later: _Turn, turn: _Turn) -> bool:
    """Tell whether `later` puts right what `turn` did."""
    if later.frame <= turn.frame:
        return False
    pairs = ((turn.left, later.came or later.left), (turn.came, later.left or later.came))
    return any(a is not None and b is not None and _shared(a, b) > 0.4 for a, b in pairs)


def _shared(one: Step, other: Step) -> float:
    """Return the share of the smaller part that lies in the larger one."""
    both = float((one.mask & other.mask).sum())
    return both / max(min(float(one.mask.sum()), float(other.mask.sum())), 1.0)


_KINDS = {
    "hop": ("object_teleportation", "A thing is at another place from one frame to the next"),
    "gone": ("object_disappearance", "A thing is gone from one frame to the next"),
    "new": ("object_hallucination", "A thing is there from one frame to the next"),
    "swap": ("object_identity_swap", "A thing looks like another one from one frame to the next"),
}


def _event(footage: Footage, turn: _Turn, back: _Turn | None) -> Event | None:
    """Return the fault; what is never put right must be larger and lie further off."""
    step = turn.step
    if back is None and (step.area < limits.THING_ALONE or not step.calm):
        return None
    stop = back.frame if back else len(footage)
    if back is None and turn.kind == "hop":
        stop = min(turn.frame + max(round(limits.JUMP_S * footage.fps), 1), len(footage))
    kind, says = _KINDS[turn.kind]
    rows, columns = (float(np.mean(where)) / step.mask.shape[0] for where in np.nonzero(step.mask))
    ends = f"until {float(footage.times[back.frame]):.1f} s" if back else "for good"
    return event(
        footage,
        (turn.frame, stop),
        Fault(
            kind,
            graded(step.area, 0.006, 0.015) + (turn.kind == "hop"),
            0.85 if back else 0.6,
            f"{says}, and nothing touches it.",
            f"{step.area:.1%} of the picture around {columns:.0%} from the left and {rows:.0%} "
            f"from the top changes at {float(footage.times[turn.frame]):.2f} s, {ends}; all "
            f"around it is still",
        ),
    )
