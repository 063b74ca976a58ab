"""One list of faults out of what all instruments and views say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assay.judges.instruments._found import SURE
from assay.records import Event

__all__ = ["settled"]

_FRAME_S = 0.05
_TOGETHER_S = 0.15
_FADES_S = 0.25
_PAUSE_S = 0.35
_WHOLE_S = 0.5  # for which broken frames may pause
_SWINGS_S = 0.75
_PART = 0.3  # of a fault of the picture in which a thing is not to be trusted
_THINGS = (
    "object_teleportation",
    "object_disappearance",
    "object_hallucination",
    "object_identity_swap",
    "object_floating",
    "object_penetration",
)
_ROBOT = (
    "missing_robot_part",
    "hallucinated_robot_part",
    "duplicated_arm_or_gripper",
    "robot_body_deformation",
)
_DRIFT = "object_color_or_shape_drift"
_BODY = (*_ROBOT, _DRIFT)
"""What is told by comparing with the usual picture: any fault of the picture changes it."""
_PICTURE = ("low_visibility", "camera_instability", "blur", "occlusion", *_THINGS, *_BODY)
"""What a frame that is surely broken looks like to the other instruments."""
_LEADS = {
    # A picture that can't be seen has no edges, no corners to follow and no things in it.
    "low_visibility": (
        "occlusion",
        "blur",
        "camera_instability",
        "frame_corruption",
        *_THINGS,
        *_BODY,
    ),
    # When all moves, rows and blocks do not stay where they were.
    "camera_instability": ("frame_corruption", "occlusion", *_THINGS, *_BODY),
    "frame_corruption": ("occlusion", *_THINGS, *_BODY),
    # A smear has no corners to follow either, and level edges spread over whole rows.
    "blur": ("frame_corruption", "occlusion", "camera_instability", *_THINGS, *_BODY),
    "occlusion": (*_THINGS, *_BODY),
    # What jumps or vanishes changes the outline of all that moves as well.
    **dict.fromkeys(_THINGS, _ROBOT),
    # A colour that drifts is another one in the end.
    _DRIFT: _THINGS,
}
"""What each fault of the picture looks like to the instruments for other faults."""
_BREAKS = ("blur", "occlusion", "camera_instability")
"""What breaks a few frames as it comes, goes or passes over the picture."""


def settled(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the faults earliest first: doubles made one, consequences left out."""
    joined = _joined(sorted(events, key=lambda e: (e.type, e.start_s, e.end_s)))
    kept = [e for e in joined if not any(_explains(o, e) and not _hidden(e, o) for o in joined)]
    return tuple(sorted(kept, key=lambda e: (e.start_s, e.end_s, e.type)))


def _joined(events: list[Event]) -> list[Event]:
    """Make one of faults of a type that overlap: views and windows see the same one.

    A picture that is whole for a moment is still a broken one.
    """
    found: list[Event] = []
    for event in events:
        pause = _WHOLE_S if event.type == "frame_corruption" else _PAUSE_S
        pause = 0.0 if event.type in _THINGS else pause
        if found and found[-1].type == event.type and event.start_s <= found[-1].end_s + pause:
            found[-1] = _both(found[-1], event)
        else:
            found.append(event)
    return found


def _both(a: Event, b: Event) -> Event:
    """Return one fault for two: the surer one's words, the span of both."""
    surer = a if (a.confidence or 0) >= (b.confidence or 0) else b
    return replace(
        surer,
        start_s=min(a.start_s, b.start_s),
        end_s=max(a.end_s, b.end_s),
        severity=max(a.severity, b.severity),
        frames_s=tuple(sorted({*a.frames_s, *b.frames_s})),
    )


def _sure(event: Event) -> bool:
    return (event.confidence or 0.0) >= SURE


def _explains(cause: Event, event: Event) -> bool:
    """Tell whether `event` is only what `cause` looks like to another instrument.

    That is so if they go on together, or if a thing changes while the picture is at fault.
    """
    if _passing(cause, event) or _hidden(cause, event):
        return True
    sure = cause.type == "frame_corruption" and _sure(cause)
    if sure:
        if event.type == cause.type or event.type not in _PICTURE:
            return False
    elif event.type not in _LEADS.get(cause.type, ()) or _sure(event):
        return False
    # Light fades in and out; what changes meanwhile is still the light.
    fades = _FADES_S if cause.type == "low_visibility" else 0.0
    shared = min(cause.end_s + fades, event.end_s) - max(cause.start_s - fades, event.start_s)
    if shared > 0.5 * (event.end_s - event.start_s):
        return True
    if event.type in _THINGS and shared > _PART * (cause.end_s - cause.start_s):
        return True
    begins = cause.start_s - _TOGETHER_S < event.start_s < cause.end_s + _TOGETHER_S
    return event.type in _THINGS and begins


def _hidden(cover: Event, blur: Event) -> bool:
    """Tell whether there are no edges to see because something close hides them.

    What is out of focus shows no colours that the scene does not have before it is blurred, nor
    after that.
    """
    return (
        (cover.type, blur.type) == ("occlusion", "blur")
        and cover.start_s + _FRAME_S < blur.start_s
        and blur.end_s + _FRAME_S < cover.end_s
    )


def _passing(cause: Event, event: Event) -> bool:
    """Tell whether frames are broken for a part of a longer fault, or as it comes or goes.

    A picture that was frozen jumps on: what looks like a cover then is the robot.
    """
    if cause.type == "frame_corruption" and event.type == "occlusion":
        return abs(event.start_s - cause.end_s) < _TOGETHER_S
    # A camera that swings ever less passes through its place, and still breaks frames after that.
    after = _SWINGS_S if cause.type == "camera_instability" else _TOGETHER_S
    start, end = cause.start_s - _TOGETHER_S, cause.end_s + after
    return (
        cause.type in _BREAKS
        and event.type == "frame_corruption"
        and not _sure(event)
        and start <= event.start_s
        and event.end_s <= end
        and event.end_s - event.start_s < 0.5 * (cause.end_s - cause.start_s)
    )
