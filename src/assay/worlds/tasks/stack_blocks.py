"""Put the blue block on the yellow block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.tasks._conditions import BLOCK, Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import beside, on_top, pick, put
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["StackBlocks"]

SLACK = 0.02  # less than half a block: its centre is over the one below [m]
NEAR = 0.085
KEEP = 0.16  # from the lower block to anything else: room to set a block down beside it [m]
BESIDE = 2 * BLOCK + 0.012


@dataclass(frozen=True)
class StackBlocks:
    """Put the blue block on the yellow block, not the block of a third colour."""

    name: str = "stack-blocks"
    instruction: str = "Put the blue block on top of the yellow block."
    paraphrases: tuple[str, str, str] = (
        "Stack the blue block on the yellow block.",
        "Build a tower: the yellow block below, the blue block above.",
        "Take the blue block and set it down on the yellow one.",
    )
    limit_s: float = 12.0
    things: tuple[Thing, ...] = (
        Thing("upper", colour="blue"),
        Thing("lower", colour="yellow"),
        Thing("other", distractor=True),
        Thing("can", "cylinder", (0.03, 0.02), distractor=True),
    )
    fixtures: tuple[str, ...] = ()
    wrongs: tuple[Wrong, ...] = ("object", "target")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry, put."""
        return _delivery("upper").subgoals

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add nothing: the things are all there is."""

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put the lower block near the middle and scatter the rest around it."""
        lower = scatter(rng, ["lower"], (0.42, 0.54), (-0.15, 0.15), gap=0.0)
        taken = [(place.x, place.y, KEEP) for place in lower.values()]
        rest = [thing.name for thing in self.things if thing.name != "lower"]
        around = scatter(rng, rest, (0.36, 0.60), (-0.23, 0.23), gap=0.12, taken=taken)
        return Layout({**lower, **around})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pick it up and set it on top; a near miss sets it down on the table beside."""
        name = "other" if aim.wrong == "object" else "upper"
        base = "other" if aim.wrong == "target" else "lower"
        shift = BESIDE * aim.miss
        drop = 2 * BLOCK if shift > 2 * BLOCK else 0.0
        return (
            *pick(name),
            *put(
                name,
                beside(on_top(base), shift, drop),
                along=lambda state: state.yaw(base),
                lies=always if aim.miss else _delivery(name, base).done,
            ),
        )


def _delivery(name: str, base: str = "lower") -> Delivery:
    return Delivery(name, "blue block", "on the yellow block", on_top(base), SLACK, NEAR)
