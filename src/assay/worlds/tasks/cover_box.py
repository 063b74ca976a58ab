"""Put the green block into the box and the lid on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.scene import KNOB
from assay.worlds.state import State
from assay.worlds.tasks._conditions import BLOCK, Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import add_walls
from assay.worlds.tasks._skills import Spot, beside, on_top, pick, put
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["CoverBox"]

INSIDE, WALL, RIM = 0.056, 0.005, 0.06  # of the box: half its width, its walls, their height [m]
LID, KNOB_HEIGHT = 0.066, 0.027  # half a lid's width, and how high its knob's middle is [m]
ROOM = 0.9  # how far the hand opens between the walls
NEAR = 0.15
BESIDE = INSIDE + WALL + LID + 0.008
KEEP = 0.17  # from the box's centre to the blocks at the start [m]


@dataclass(frozen=True)
class CoverBox:
    """Put the green block, not the other one, into the box, then the red lid on the box."""

    name: str = "cover-box"
    instruction: str = "Put the green block into the box, then put the red lid on the box."
    paraphrases: tuple[str, str, str] = (
        "Pack the green block into the box and close it with the red lid.",
        "First the green block goes into the box, then the red lid on top.",
        "Lay the green block in the box and cover the box with the red lid.",
    )
    limit_s: float = 24.0
    things: tuple[Thing, ...] = (
        Thing("block", colour="green"),
        Thing("lid", "lid", (KNOB_HEIGHT, LID), colour="red", mass=0.08),
        Thing("other", distractor=True),
    )
    fixtures: tuple[str, ...] = ("box",)
    wrongs: tuple[Wrong, ...] = ("object", "order")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry and put for the block, then for the lid."""
        return (*_packing("block").subgoals, *_covering().subgoals)

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the box: a floor and four walls."""
        add_walls(worldbody, "box", INSIDE, WALL, RIM)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put box and lid on two sides, and the blocks where there is room."""
        side = float(rng.choice((-1.0, 1.0)))
        x, far = rng.uniform(0.42, 0.54, 2), side * rng.uniform(0.10, 0.14, 2)
        yaws = rng.uniform(-np.pi / 8, np.pi / 8, 2)
        box, lid = (
            Place(float(x[k]), float(y), yaw=float(yaws[k]))
            for k, y in enumerate((far[0], -far[1]))
        )
        taken = ((box.x, box.y, KEEP), (lid.x, lid.y, 0.14))
        blocks = scatter(rng, ["block", "other"], (0.35, 0.61), (-0.26, 0.26), 0.12, taken)
        return Layout({**blocks, "box": box, "lid": lid})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pack, then cover, or the other way round; a near miss lays the lid beside the box."""
        name = "other" if aim.wrong == "object" else "block"
        shift, drop = BESIDE * aim.miss, RIM if aim.miss > 0.5 else 0.0
        lies = always if aim.miss else _covering().done
        covered = (*pick("lid", lift=0.18), *_place("lid", beside(_on_box, shift, drop), lies))
        if aim.wrong == "order":
            return (*covered, *pick(name, lift=0.18), *_place(name, _on_lid, always))
        return (*pick(name), *_place(name, _in_box, _packing(name).done), *covered)


def _place(name: str, spot: Spot, lies: Callable[[State], bool]) -> tuple[Move, ...]:
    """Return the moves that put a thing down, in line with the box."""

    def along(state: State) -> float:
        return state.yaw("box")

    return put(name, spot, carry=0.18, along=along, lies=lies, close=0.006, opening=ROOM)


_in_box, _on_box = on_top("box", WALL + BLOCK), on_top("box", RIM + KNOB_HEIGHT)
_on_lid = on_top("box", RIM + 2 * KNOB_HEIGHT + BLOCK)


def _packing(name: str) -> Delivery:
    return Delivery(name, "green block", "into the box", _in_box, slack=0.04, near=NEAR)


def _covering() -> Delivery:
    return Delivery("lid", "red lid", "on the box", _on_box, slack=0.02, near=NEAR, width=KNOB)
