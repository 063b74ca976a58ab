"""A panel with a red and a blue button that spring back, or stay down when pressed far enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from assay.worlds.look import COLOURS
from assay.worlds.moves import Move, Pose, tool_pose
from assay.worlds.state import State
from assay.worlds.tasks._parts import PALE, WOOD, add_part
from assay.worlds.tasks.base import Place

__all__ = [
    "BEGIN",
    "DOWN",
    "OUT",
    "PANEL",
    "REACH",
    "STAY",
    "TRIP",
    "add_panel",
    "press",
    "sides",
]

PANEL: Final = ("panel", "red-button", "blue-button")
"""The bodies: a task's `fixtures`."""

CAP: Final = 0.015  # half the height of a button's cap [m]
TRIP: Final = 0.014  # pressed deeper than this, a button goes down by itself and stays there [m]
STAY: Final = 0.020  # how deep it stays [m]
DOWN: Final = 0.016  # it can't be so deep without staying [m]
OUT: Final = 0.006  # less deep it is as good as untouched [m]
REACH: Final = CAP + 0.009  # from a cap's middle to the tool when the fingers touch it [m]
BEGIN: Final = 0.02  # from a cap up to the fingers when a press begins [m]
_HIGH = 0.05  # ... and on the way
_SLOT = 0.058  # from the middle of the panel to a button [m]
_TOP = 0.03  # height of the panel [m]
_SPRING = 6e6  # N/m^4: 4 N at the most


def sides(rng: np.random.Generator) -> dict[str, Place]:
    """Draw on which side of the panel each button is."""
    side = float(rng.choice((-_SLOT, _SLOT)))
    height = _TOP + CAP + 0.003
    return {"red-button": Place(0.0, side, height), "blue-button": Place(0.0, -side, height)}


def add_panel(worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add the panel.

    A button's spring force -c x (x - TRIP) (x - STAY) at the depth x rests at 0 and at STAY: it is
    a spring whose stiffness is c (TRIP STAY - (TRIP + STAY) x + x^2).
    """
    import mujoco

    panel = worldbody.add_body(name="panel")
    add_part(panel, (0.05, 0.105, _TOP / 2), (0.0, 0.0, _TOP / 2), WOOD)
    for colour, y in (("red", _SLOT), ("blue", -_SLOT)):
        button = panel.add_body(name=f"{colour}-button", pos=[0.0, y, _TOP + CAP], gravcomp=1.0)
        button.add_joint(
            name=f"{colour}-button",
            type=int(mujoco.mjtJoint.mjJNT_SLIDE),
            axis=[0, 0, -1],
            limited=True,
            range=[0.0, 0.024],
            stiffness=[_SPRING * TRIP * STAY, -_SPRING * (TRIP + STAY), _SPRING],
            damping=[8.0, 0.0, 0.0],
        )
        add_part(button, (0.022, CAP, 0.0), (0.0, 0.0, 0.0), COLOURS[colour], "cylinder")
        add_part(panel, (0.03, 0.002, 0.0), (0.0, y, _TOP), PALE, "cylinder")


def press(button: str, miss: float = 0.0) -> tuple[Move, ...]:
    """Return the moves that press a button with closed fingers from above.

    With `miss` 1 it is let go a little before it goes down by itself.
    """
    depth = STAY + (0.95 * TRIP - STAY) * miss

    def over(state: State, height: float) -> Pose:
        x, y, z = (float(v) for v in state.position(button))
        return Pose(x, y, z + REACH + height, tool_pose(state).yaw)

    def high(state: State) -> Pose:
        return replace(over(state, _HIGH), yaw=0.0)

    def astray(state: State) -> bool:
        return float(np.linalg.norm((state.position("tool") - state.position(button))[:2])) > 0.02

    return (
        Move(f"above {button}", high, opening=0.0, speed=0.35, tolerance=0.015),
        Move(f"over {button}", lambda s: over(s, BEGIN), opening=0.0, tolerance=0.006),
        Move(
            f"press {button}",
            lambda s: over(s, s.slide(button) - depth),
            opening=0.0,
            speed=0.05,
            tolerance=0.003,
            hold_s=0.25,
            lost=astray,
            retry=f"above {button}",
        ),
        Move(f"leave {button}", lambda s: over(s, _HIGH), opening=0.0, tolerance=0.02),
    )
