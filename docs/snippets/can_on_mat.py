"""A task in one file: put the yellow can on the mat."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._conditions import Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import PALE, add_part
from assay.worlds.tasks._skills import beside, pick, put
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["CanOnMat"]

TALL, WIDE, MAT = 0.03, 0.02, 0.05  # half the can's height, its radius, half the mat's width [m]


@dataclass(frozen=True)
class CanOnMat:
    """Put the yellow can, not the block nor the can of another colour, on the mat."""

    name: str = "can-on-mat"
    instruction: str = "Put the yellow can on the mat."
    paraphrases: tuple[str, str, str] = (
        "Place the yellow can on the mat.",
        "The yellow can belongs on the mat.",
        "Take the yellow can and stand it on the mat.",
    )
    limit_s: float = 12.0
    things: tuple[Thing, ...] = (
        Thing("can", "cylinder", (TALL, WIDE), colour="yellow"),
        Thing("other", "cylinder", (TALL, WIDE), distractor=True),
        Thing("block", distractor=True),
    )
    fixtures: tuple[str, ...] = ("mat",)
    wrongs: tuple[Wrong, ...] = ("object",)

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry, put."""
        return standing("can").subgoals

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add the mat, a mark that nothing bumps into."""
        flat = {"contype": 0, "conaffinity": 0}
        mat = worldbody.add_body(name="mat")
        add_part(mat, (MAT, MAT, 0.001), (0.0, 0.0, 0.001), PALE, **flat)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Draw the mat's place, and around it those of the things."""
        mat = scatter(rng, ["mat"], (0.44, 0.54), (-0.12, 0.12), gap=0.0)
        taken = [(place.x, place.y, 0.15) for place in mat.values()]
        names = [thing.name for thing in self.things]
        things = scatter(rng, names, (0.36, 0.60), (-0.24, 0.24), gap=0.12, taken=taken)
        return Layout({**things, **mat})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pick it up and put it down; a near miss puts it down beside the mat."""
        name = "other" if aim.wrong else "can"
        spot = beside(on_mat, (MAT + WIDE) * aim.miss)
        done = always if aim.miss else standing(name).done  # else it is picked up again
        return (*pick(name), *put(name, spot, lies=done))


def on_mat(state: State) -> tuple[float, float, float]:
    """Return where the centre of a can is that stands on the mat."""
    x, y, z = state.position("mat")
    return float(x), float(y), float(z) + TALL


def standing(name: str) -> Delivery:
    """Return the can's way: within 3 cm of the mat's middle it stands right."""
    return Delivery(name, "yellow can", "on the mat", on_mat, slack=0.03, near=0.11, width=WIDE)


if __name__ == "__main__":
    from assay.worlds.policies._scripted import ScriptedActor
    from assay.worlds.session import Session
    from assay.worlds.world import World

    world = World(CanOnMat())
    for what, aim in {"expert": Aim(), "near miss": Aim(miss=1.0), "wrong": Aim("object")}.items():
        session = Session(world, ScriptedActor(world.task, aim), what)
        session.reset(seed=0)
        highest = 0.0
        while not session.finished:
            session.step()
            highest = max(highest, world.progress())
        print(f"{what}: {'done' if session.success else 'not done'}, progress up to {highest:.2f}")
        if session.success != (what == "expert"):
            raise SystemExit(f"{what} should end otherwise")
