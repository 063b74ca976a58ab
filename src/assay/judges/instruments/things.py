"""Things that vanish, appear, jump or turn into others from one moment to the next."""

from __future__ import annotations

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._breaches import Breach
from assay.judges.instruments._colours import Coloured, coloured
from assay.judges.instruments._footage import Footage
from assay.judges.instruments._found import Fault, Reading, event, graded
from assay.judges.instruments._happened import happened
from assay.judges.instruments._kept import breaches
from assay.judges.instruments._limits import LEAST_FPS, STEP_LEVEL
from assay.judges.instruments._turns import Turn, groups_of, turns_of
from assay.records import Event

__all__ = ["things"]

_KINDS = {
    "hop": ("object_teleportation", "A thing is at another place from one moment to the next"),
    "gone": ("object_disappearance", "A thing is gone from one moment to the next"),
    "new": ("object_hallucination", "A thing is there from one moment to the next"),
    "up": ("object_floating", "A thing hangs in the air from one moment to the next"),
    "sunk": ("object_penetration", "A thing sinks into what it stands on"),
    "swap": ("object_identity_swap", "A thing looks like another one from one moment to the next"),
}


def things(footage: Footage) -> Reading:
    """Return where a thing is gone, made up or elsewhere, until it is put right again.

    Clips under `LEAST_FPS` and cameras that ride on the robot are left out: there, what moves
    honestly changes at once too.
    """
    if len(footage) < 4 or footage.moves or footage.fps < LEAST_FPS or _restless(footage):
        return Reading()
    clip = coloured(footage)
    lost = [_lost(footage, breach) for breach in breaches(clip)]
    turned = [_event(clip, group) for group in groups_of(turns_of(footage))]
    # What a colour tells is sure: parts that turn meanwhile, or as it is put right, belong to it.
    near = limits.PATCH_NEAR * footage.step_s
    other = [e for e in turned if e is not None and not any(_near(e, one, near) for one in lost)]
    return Reading((), (*lost, *other))


def _near(one: Event, other: Event, pause_s: float) -> bool:
    """Tell whether two faults overlap, or follow each other at once."""
    return one.start_s < other.end_s + pause_s and other.start_s < one.end_s + pause_s


def _lost(footage: Footage, breach: Breach) -> Event:
    """Return the fault of a thing that is not kept."""
    kind, says = _KINDS[breach.what]
    area = breach.end.blob.area
    row, column = breach.end.blob.middle / len(breach.end.blob.mask)
    ends = f"until {footage.ends(breach.stop - 1):.1f} s" if breach.back else "for good"
    return event(
        footage,
        (breach.first, breach.stop),
        Fault(
            kind,
            graded(area, 0.006, 0.015) + (kind == "object_teleportation"),
            0.9 if breach.back else 0.7,
            f"{says}, and nothing took, brought or hides it.",
            f"a thing of {area:.1%} of the picture, {column:.0%} from the left and {row:.0%} from "
            f"the top, is not kept at {float(footage.times[breach.first]):.2f} s, {ends}: its "
            f"colour comes or goes while {breach.end.bare:.0%} of its place show the scene",
        ),
    )


def _all_of_it(footage: Footage, group: list[Turn], area: float) -> bool:
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


def _followed(clip: Coloured, turn: Turn) -> bool:
    """Tell whether a part showed a thing whose colour is followed: if it is not kept, that tells.

    What comes to where such a thing was is the same one in another look.
    """
    inside = clip.thing(turn.spell.first - 1)[turn.spell.mask]
    return float(inside.mean()) > limits.TURNED_SHARE


def _restless(footage: Footage) -> bool:
    """Tell whether so much moves in most frames that the camera must."""
    changed = (footage.changes > STEP_LEVEL).mean(axis=(1, 2))
    return bool(np.median(changed) > limits.THING_RESTLESS)


def _event(clip: Coloured, group: list[Turn]) -> Event | None:
    """Return the fault; what is never put right must be larger."""
    footage = clip.footage
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
    what = happened(footage, group)
    if not what or (what in ("gone", "new") and _followed(clip, main)):
        return None
    if what == "hop" and len(group) == 1 and main.look.stirred > limits.LASTING_RESTLESS:
        return None  # one part in which something moves is a limb
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
