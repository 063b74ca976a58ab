"""Put three blocks in a row in the order of their colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._conditions import BLOCK, Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import Spot, beside, pick, put
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["RankBlocks"]

ORDER = ("red", "green", "blue")
# The front camera looks at the robot: what it sees on the left is at negative y.
PADS = ("pad-left", "pad-middle", "pad-right")
APART = 0.11  # between the centres of two pads [m]
PAD = 0.03  # half a pad's width [m]
SLACK = 0.02
NEAR = 0.08
KEEP = 0.135  # from a pad's centre to anything at the start [m]
BESIDE = PAD + BLOCK + 0.01


@dataclass(frozen=True)
class RankBlocks:
    """Put the red, the green and the blue block in a row, in that order, on three pads."""

    name: str = "rank-blocks"
    instruction: str = (
        "Put the red block on the left pad, the green block on the middle pad and the blue block "
        "on the right pad, as seen from the front camera."
    )
    paraphrases: tuple[str, str, str] = (
        "Line up the red, green and blue block on the pads, from left to right in the front view.",
        "On the pads, in the front view, put the red block left, green in the middle, blue right.",
        "Sort the three blocks onto the pads: seen from the front, red, then green, then blue.",
    )
    limit_s: float = 36.0
    things: tuple[Thing, ...] = (
        *(Thing(colour, colour=colour) for colour in ORDER),
        Thing("other", distractor=True),
    )
    fixtures: tuple[str, ...] = PADS
    wrongs: tuple[Wrong, ...] = ("object", "order")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry and put for the red, then the green, then the blue block."""
        pairs = zip(ORDER, PADS, strict=True)
        return tuple(goal for block, pad in pairs for goal in _delivery(block, pad).subgoals)

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add three pads: flat marks that nothing bumps into."""
        import mujoco

        for name in PADS:
            worldbody.add_body(name=name).add_geom(
                name=name,
                type=int(mujoco.mjtGeom.mjGEOM_BOX),
                pos=[0.0, 0.0, 0.001],
                size=[PAD, PAD, 0.001],
                contype=0,
                conaffinity=0,
                rgba=[0.93, 0.93, 0.90, 1.0],
            )

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Lay the pads in a row in front and scatter the things off them."""
        x, y = float(rng.uniform(0.52, 0.57)), float(rng.uniform(-0.05, 0.05))
        pads = {pad: Place(x, y + APART * number) for number, pad in enumerate(PADS, start=-1)}
        names = [thing.name for thing in self.things]
        taken = [(place.x, place.y, KEEP) for place in pads.values()]
        things = scatter(rng, names, (0.34, 0.60), (-0.24, 0.24), gap=0.11, taken=taken)
        return Layout({**things, **pads})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Put one block after the other; a near miss sets the last one down beside its pad."""
        orders = {"object": (ORDER[1], ORDER[0], ORDER[2]), "order": ORDER[::-1]}
        order = orders.get(aim.wrong, ORDER)
        moves: list[Move] = []
        for block, pad in zip(order, PADS, strict=True):
            miss = aim.miss if pad == PADS[-1] else 0.0
            moves += pick(block)
            moves += put(
                block,
                beside(_on(pad), BESIDE * miss),
                along=_straight,
                lies=always if miss else _delivery(block, pad).done,
            )
        return tuple(moves)


def _on(pad: str) -> Spot:
    """Return where the centre of a block on the pad is."""

    def spot(state: State) -> tuple[float, float, float]:
        x, y, z = (float(v) for v in state.position(pad))
        return x, y, z + BLOCK

    return spot


def _straight(state: State) -> float:  # noqa: ARG001 - a direction takes the state
    """Return the yaw of the row, which is that of the table."""
    return 0.0


def _delivery(block: str, pad: str) -> Delivery:
    goal = f"on the {pad.removeprefix('pad-')} pad"
    return Delivery(block, f"{block} block", goal, _on(pad), SLACK, NEAR)
