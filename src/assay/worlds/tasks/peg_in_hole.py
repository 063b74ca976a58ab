"""Put the red peg into the hole of the yellow socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.look import COLOURS
from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._conditions import Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import add_part
from assay.worlds.tasks._skills import Spot, beside, pick, put
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["PegInHole"]

PEG, LENGTH = 0.015, 0.045  # radius and half the length of a peg [m]
HOLE, SIDE, DEPTH = 0.019, 0.042, 0.03  # half the widths of a hole and its socket; its depth [m]
SLACK = 0.008  # a peg in the hole can't be further off: it stands 4 mm off, or leans [m]
NEAR = 0.11
BESIDE = SIDE + PEG + 0.015
APART = 0.16  # between sockets; from them to the pegs [m]
SOCKETS = {"socket": "yellow", "spare": "cyan"}


@dataclass(frozen=True)
class PegInHole:
    """Put the red peg, not the other one, upright into the yellow socket, not the cyan one."""

    name: str = "peg-in-hole"
    instruction: str = "Put the red peg into the hole of the yellow socket."
    paraphrases: tuple[str, str, str] = (
        "Insert the red peg in the yellow socket.",
        "The hole in the yellow socket is for the red peg: put it in.",
        "Take the red peg and plug it into the yellow socket.",
    )
    limit_s: float = 12.0
    things: tuple[Thing, ...] = (
        Thing("peg", "cylinder", (LENGTH, PEG), colour="red"),
        Thing("other-peg", "cylinder", (LENGTH, PEG), distractor=True),
        Thing("block", distractor=True),
    )
    fixtures: tuple[str, ...] = tuple(SOCKETS)
    wrongs: tuple[Wrong, ...] = ("object", "target")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry, put."""
        return _delivery("peg", "socket").subgoals

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add two sockets: four walls around a hole each."""
        wall, middle = (SIDE - HOLE) / 2, (SIDE + HOLE) / 2
        for name, colour in SOCKETS.items():
            socket = worldbody.add_body(name=name)
            for side in (-middle, middle):
                across, along = (wall, SIDE, DEPTH / 2), (HOLE, wall, DEPTH / 2)
                add_part(socket, across, (side, 0.0, DEPTH / 2), COLOURS[colour])
                add_part(socket, along, (0.0, side, DEPTH / 2), COLOURS[colour])

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put the sockets near the middle and scatter the things around them."""
        sockets = scatter(rng, list(SOCKETS), (0.42, 0.56), (-0.16, 0.16), gap=APART)
        taken = [(place.x, place.y, 0.13) for place in sockets.values()]
        names = [thing.name for thing in self.things]
        things = scatter(rng, names, (0.36, 0.60), (-0.26, 0.26), gap=0.10, taken=taken)
        return Layout({**things, **sockets})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pick it up and put it in; a near miss stands it beside the socket."""
        name = "other-peg" if aim.wrong == "object" else "peg"
        socket = "spare" if aim.wrong == "target" else "socket"
        return (
            *pick(name),
            *put(
                name,
                beside(_in_hole(socket), BESIDE * aim.miss),
                lies=always if aim.miss else _delivery(name, socket).done,
                close=0.003,
            ),
        )


def _in_hole(socket: str) -> Spot:
    """Return where the centre of a peg in the hole is: it stands on the table."""

    def spot(state: State) -> tuple[float, float, float]:
        x, y, z = (float(v) for v in state.position(socket))
        return x, y, z + LENGTH

    return spot


def _delivery(name: str, socket: str) -> Delivery:
    words = ("red peg", "into the hole")
    return Delivery(name, *words, _in_hole(socket), SLACK, NEAR, width=PEG)
