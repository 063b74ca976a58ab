"""Put the green block into the basket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._conditions import BLOCK, Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import add_walls
from assay.worlds.tasks._skills import beside, pick, put
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["PlaceInBasket"]

INSIDE = 0.065  # half the basket's width between its walls [m]
WALL = 0.006  # how thick walls and floor are [m]
RIM = 0.042  # how high the walls are [m]
KEEP = 0.19  # from the basket's centre to anything that starts beside it [m]
# A block on the floor of the basket can't get further from its centre than 0.057 m, one outside
# no nearer than 0.096 m: the slack tells them apart.
SLACK = 0.06
NEAR = 0.14
BESIDE = INSIDE + WALL + BLOCK + 0.02


@dataclass(frozen=True)
class PlaceInBasket:
    """Put the green block into the basket, not the other things."""

    name: str = "place-in-basket"
    instruction: str = "Put the green block into the basket."
    paraphrases: tuple[str, str, str] = (
        "Place the green block in the basket.",
        "Take the green block and drop it into the basket.",
        "The green block belongs in the basket: put it there.",
    )
    limit_s: float = 12.0
    things: tuple[Thing, ...] = (
        Thing("block", colour="green"),
        Thing("other", distractor=True),
        Thing("can", "cylinder", (0.03, 0.02), distractor=True),
    )
    fixtures: tuple[str, ...] = ("basket",)
    wrongs: tuple[Wrong, ...] = ("object",)

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry, put."""
        return _delivery("block").subgoals

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the basket: a floor and four walls."""
        add_walls(worldbody, "basket", INSIDE, WALL, RIM)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put the basket on one side and scatter the things over what is left."""
        side = float(rng.choice((-1.0, 1.0)))
        x, y = float(rng.uniform(0.42, 0.54)), side * float(rng.uniform(0.10, 0.17))
        names = [thing.name for thing in self.things]
        taken = ((x, y, KEEP),)
        places = scatter(rng, names, (0.36, 0.60), (-0.23, 0.23), gap=0.12, taken=taken)
        basket = Place(x, y, yaw=float(rng.uniform(-np.pi / 8, np.pi / 8)))
        return Layout({**places, "basket": basket})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pick it up and put it in; a near miss sets it down beside the wall."""
        name = "other" if aim.wrong else "block"
        return (
            *pick(name),
            *put(
                name,
                beside(_in_basket, BESIDE * aim.miss),
                along=lambda state: state.yaw("basket"),
                lies=always if aim.miss else _delivery(name).done,
            ),
        )


def _in_basket(state: State) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in state.position("basket"))
    return x, y, z + WALL + BLOCK


def _delivery(name: str) -> Delivery:
    return Delivery(name, "green block", "into the basket", _in_basket, SLACK, NEAR)
