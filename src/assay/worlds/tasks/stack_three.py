"""Build a tower of three blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.tasks._conditions import BLOCK, Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import beside, on_top, pick, put
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["StackThree"]

SLACK = 0.02  # less than half a block: its centre is over the one below [m]
NEAR = 0.085
KEEP = 0.16  # from the lowest block to anything else: room to set a block down beside it [m]
BESIDE = 2 * BLOCK + 0.012
CARRY = 0.18  # over two blocks [m]


@dataclass(frozen=True)
class StackThree:
    """Put the blue block on the yellow block and the red block on the blue one."""

    name: str = "stack-three"
    instruction: str = (
        "Build a tower: put the blue block on the yellow block, then the red block on top."
    )
    paraphrases: tuple[str, str, str] = (
        "Stack three blocks: yellow at the bottom, blue in the middle, red on top.",
        "Set the blue block on the yellow block, and on that the red block.",
        "Make a pile of the yellow block, the blue block and the red block, in this order.",
    )
    limit_s: float = 24.0
    things: tuple[Thing, ...] = (
        Thing("top", colour="red"),
        Thing("middle", colour="blue"),
        Thing("bottom", colour="yellow"),
        Thing("other", distractor=True),
    )
    fixtures: tuple[str, ...] = ()
    wrongs: tuple[Wrong, ...] = ("object", "target", "order")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry and put for the blue, then for the red block."""
        return (
            *_delivery("middle", "bottom", "blue block", "on the yellow block").subgoals,
            *_delivery("top", "middle", "red block", "on the blue block").subgoals,
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add nothing: the things are all there is."""

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put the lowest block near the middle and scatter the rest around it."""
        bottom = scatter(rng, ["bottom"], (0.42, 0.52), (-0.12, 0.12), gap=0.0)
        taken = [(place.x, place.y, KEEP) for place in bottom.values()]
        rest = [thing.name for thing in self.things if thing.name != "bottom"]
        around = scatter(rng, rest, (0.36, 0.60), (-0.24, 0.24), gap=0.12, taken=taken)
        return Layout({**bottom, **around})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Stack one block after the other; a near miss sets the last one down beside the tower."""
        towers = {
            "object": ("bottom", "other", "top"),
            "target": ("other", "middle", "top"),
            "order": ("bottom", "top", "middle"),
        }
        first, second, third = towers.get(aim.wrong, ("bottom", "middle", "top"))
        shift = BESIDE * aim.miss
        drop = 4 * BLOCK if shift > 2 * BLOCK else 0.0
        return (*_stack(second, first), *_stack(third, second, shift, drop))


def _stack(name: str, base: str, shift: float = 0.0, drop: float = 0.0) -> tuple[Move, ...]:
    """Return the moves that put a block on another one, or so far beside it and lower [m]."""
    return (
        *pick(name, lift=CARRY),
        *put(
            name,
            beside(on_top(base), shift, drop),
            carry=CARRY,
            along=lambda state: state.yaw(base),
            lies=always if shift else _delivery(name, base).done,
        ),
    )


def _delivery(name: str, base: str, words: str = "", goal: str = "") -> Delivery:
    return Delivery(name, words, goal, on_top(base), SLACK, NEAR)
