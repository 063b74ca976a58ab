"""Put the red ring on the yellow post."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.look import COLOURS
from assay.worlds.moves import Move, always
from assay.worlds.state import State
from assay.worlds.tasks._conditions import Delivery
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._parts import PALE, add_part
from assay.worlds.tasks._skills import Spot, beside, pick, put
from assay.worlds.tasks.base import Aim, Layout, Subgoal, Thing, Wrong

__all__ = ["RingOnPost"]

RING, FLAT = 0.03, 0.011  # radius of a ring and half its height [m]
POST, TALL, BASE = 0.008, 0.07, 0.004  # radius and height of a post, height of its base [m]
SLACK = 0.014  # around the post a ring can be 11 mm off [m]
NEAR = 0.10
BESIDE = RING + POST + 0.025
POSTS = {"post": "yellow", "spare": "cyan"}


@dataclass(frozen=True)
class RingOnPost:
    """Put the red ring, not the other one, on the yellow post, not the cyan one."""

    name: str = "ring-on-post"
    instruction: str = "Put the red ring on the yellow post."
    paraphrases: tuple[str, str, str] = (
        "Slip the red ring over the yellow post.",
        "The red ring goes onto the yellow post.",
        "Take the red ring and drop it over the yellow post.",
    )
    limit_s: float = 12.0
    things: tuple[Thing, ...] = (
        Thing("ring", "ring", (FLAT, RING), colour="red"),
        Thing("other-ring", "ring", (FLAT, RING), distractor=True),
        Thing("block", distractor=True),
    )
    fixtures: tuple[str, ...] = tuple(POSTS)
    wrongs: tuple[Wrong, ...] = ("object", "target")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return reach, grasp, carry, put."""
        return _delivery("ring", "post").subgoals

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add two posts, each on a flat base."""
        for name, colour in POSTS.items():
            post = worldbody.add_body(name=name)
            add_part(post, (0.036, BASE / 2, 0.0), (0.0, 0.0, BASE / 2), PALE, "cylinder")
            half = TALL / 2
            add_part(post, (POST, half, 0.0), (0.0, 0.0, half), COLOURS[colour], "cylinder")

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Put the posts near the middle and scatter the things around them."""
        posts = scatter(rng, list(POSTS), (0.42, 0.56), (-0.16, 0.16), gap=0.16)
        taken = [(place.x, place.y, 0.125) for place in posts.values()]
        names = [thing.name for thing in self.things]
        things = scatter(rng, names, (0.36, 0.60), (-0.26, 0.26), gap=0.12, taken=taken)
        return Layout({**things, **posts})

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Pick it up and put it on; a near miss lays it beside the post."""
        name = "other-ring" if aim.wrong == "object" else "ring"
        post = "spare" if aim.wrong == "target" else "post"
        return (
            *pick(name),
            *put(
                name,
                beside(_around(post), BESIDE * aim.miss),
                lies=always if aim.miss else _delivery(name, post).done,
                close=0.004,
            ),
        )


def _around(post: str) -> Spot:
    """Return where the centre of a ring is that lies on the base of a post."""

    def spot(state: State) -> tuple[float, float, float]:
        x, y, z = (float(v) for v in state.position(post))
        return x, y, z + BASE + FLAT

    return spot


def _delivery(name: str, post: str) -> Delivery:
    words = ("red ring", "on the post")
    return Delivery(name, *words, _around(post), SLACK, NEAR, width=RING)
