"""Put three things into the basket and leave a fourth on the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._conditions import Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import add_walls
from assay.worlds.tasks._skills import Spot, beside, pick, put
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["ClearTable"]

INSIDE, WALL, RIM = 0.085, 0.006, 0.045  # half the basket's width, its walls, their height [m]
SMALL = 0.02  # half the width of a thing [m]
# Things in the basket are at most 0.092 m from its centre and 0.066 m high, one on another; outside
# no nearer than 0.111 m.
SLACK, HEIGHT, FLUSH = 0.1, 0.03, 0.036
NEAR = 0.15
KEEP = 0.165  # from the basket's centre to anything at the start [m]
BESIDE = INSIDE + WALL + 2 * SMALL
DROP = 0.085  # the height that things are let go at: over what lies in the basket already [m]
SPOTS = ((-0.04, -0.04), (0.04, -0.04), (0.0, 0.04), (0.0, 0.0))  # from the basket's centre [m]
WORDS = {"block": "red block", "brick": "green block", "can": "blue can", "cup": "yellow can"}
CLEARED = ("block", "brick", "can")


@dataclass(frozen=True)
class ClearTable:
    """Put the red block, the green block and the blue can, not the yellow can, into the basket."""

    name: str = "clear-table"
    instruction: str = (
        "Put the red block, the green block and the blue can into the basket, but leave the "
        "yellow can on the table."
    )
    paraphrases: tuple[str, str, str] = (
        "Clear red block, green block and blue can into the basket; the yellow can must stay.",
        "The red block, the green block and the blue can go in the basket; the yellow can stays.",
        "Into the basket go the red block, the green block and the blue can, never the yellow can.",
    )
    limit_s: float = 40.0
    things: tuple[Thing, ...] = (
        Thing("block", size=(SMALL, SMALL), colour="red"),
        Thing("brick", size=(SMALL, SMALL), colour="green"),
        Thing("can", "cylinder", (0.028, SMALL), colour="blue"),
        Thing("cup", "cylinder", (0.028, SMALL), colour="yellow"),
        Thing("other", size=(SMALL, SMALL), distractor=True),
    )
    fixtures: tuple[str, ...] = ("basket",)
    wrongs: tuple[Wrong, ...] = ("object", "constraint")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry and put for three things; and that the fourth was left."""
        spared = Subgoal("leave the yellow can on the table", lambda s: not _taken(s), _taken)
        return (*(goal for name in CLEARED for goal in _delivery(name).subgoals), spared)

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the basket: a floor and four walls."""
        add_walls(worldbody, "basket", INSIDE, WALL, RIM)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put the basket on one side and scatter the things over what is left."""
        side = float(rng.choice((-1.0, 1.0)))
        x, y = float(rng.uniform(0.44, 0.52)), side * float(rng.uniform(0.14, 0.17))
        names = [thing.name for thing in self.things]
        taken = ((x, y, KEEP),)
        places = scatter(rng, names, (0.35, 0.61), (-0.26, 0.26), gap=0.11, taken=taken)
        return Layout({**places, "basket": Place(x, y, yaw=float(rng.uniform(-0.4, 0.4)))})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Clear one thing after the other; a near miss sets the last one down beside the basket."""
        wrong = {"object": ("other", "brick", "can"), "constraint": ("cup", *CLEARED)}
        moves: list[Move] = []
        for number, name in enumerate(wrong.get(aim.wrong, CLEARED)):
            miss = aim.miss if name == CLEARED[-1] else 0.0
            spot = beside(_over(number), BESIDE * miss, (DROP - 0.03) * miss)
            lies = always if miss else _delivery(name).done
            moves += (*pick(name, lift=0.16), *put(name, spot, carry=0.16, lies=lies))
        return tuple(moves)


def _over(number: int) -> Spot:
    """Return where a thing is let go, over the basket."""

    def spot(state: State) -> tuple[float, float, float]:
        x, y, _ = state.position("basket") + state.matrix("basket") @ (*SPOTS[number], 0.0)
        return float(x), float(y), DROP

    return spot


def _in_basket(state: State) -> tuple[float, float, float]:
    x, y, _ = (float(v) for v in state.position("basket"))
    return x, y, HEIGHT


def _delivery(name: str) -> Delivery:
    words = (WORDS.get(name, name), "into the basket")
    return Delivery(name, *words, _in_basket, SLACK, NEAR, FLUSH, SMALL)


def _taken(state: State) -> float:
    """Return 1 when the yellow can is in the basket, else 0."""
    return float(_delivery("cup").lies(state))
