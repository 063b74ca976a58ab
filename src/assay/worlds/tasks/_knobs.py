"""A board with a red and a blue knob that stay where they are turned to."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from assay.worlds.look import COLOURS
from assay.worlds.tasks._parts import PALE, RUBBER, WOOD, add_part
from assay.worlds.tasks.base import Place

__all__ = ["BAR", "KNOBS", "add_knobs", "sides"]

KNOBS: Final = ("board", "red-knob", "blue-knob")
"""The bodies: a task's `fixtures`."""

BAR: Final = 0.011  # half the thickness of what the fingers take [m]
_SLOT = 0.07  # from the middle of the board to a knob [m]
_TOP = 0.02  # height of the board [m]
_HEIGHT = 0.042  # of the middle of a knob's bar [m]
_CHARCOAL = (0.15, 0.15, 0.17)
_STARTS = (math.radians(-45), math.radians(-15))  # how a knob is turned at the start


def sides(rng: np.random.Generator) -> dict[str, Place]:
    """Draw on which side of the board each knob is, and how it is turned."""
    side = float(rng.choice((-_SLOT, _SLOT)))
    turns = rng.uniform(*_STARTS, 2)
    return {
        name: Place(0.0, y, _HEIGHT, float(turn))
        for name, y, turn in zip(KNOBS[1:], (side, -side), turns, strict=True)
    }


def add_knobs(worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
    """Add the board; a knob is a dark disc with a bar across it that ends in a pale pointer.

    On a disc in the bar's own colour nobody could see from afar how far it is turned.
    """
    import mujoco

    board = worldbody.add_body(name="board")
    add_part(board, (0.055, 0.125, _TOP / 2), (0.0, 0.0, _TOP / 2), WOOD)
    for colour, y in (("red", _SLOT), ("blue", -_SLOT)):
        knob = board.add_body(name=f"{colour}-knob", pos=[0.0, y, _HEIGHT])
        knob.add_joint(
            name=f"{colour}-knob",
            type=int(mujoco.mjtJoint.mjJNT_HINGE),
            axis=[0, 0, 1],
            limited=True,
            range=[-1.7, 1.7],
            damping=[0.02, 0.0, 0.0],
            frictionloss=0.02,
        )
        disc = _TOP - _HEIGHT + 0.004
        add_part(knob, (0.04, 0.004, 0.0), (0.0, 0.0, disc), _CHARCOAL, "cylinder")
        add_part(knob, (0.034, BAR, 0.018), (0.0, 0.0, 0.0), COLOURS[colour], **RUBBER)
        add_part(knob, (0.004, BAR, 0.0005), (0.03, 0.0, 0.0185), PALE, mass=1e-4)
