"""Parts of a simulated robot: which geoms they are, where they are, and when they are in sight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.prepared import Prepared, stretch
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image

__all__ = ["bodies_of", "geoms_of", "joints_of", "nearer", "part_in_sight", "part_mask", "place_of"]

_TRIES = 30
_HAND = ("hand", "left-finger", "right-finger")


def bodies_of(take: Take, side: str, part: str) -> list[int]:
    """Return the bodies of a part of an arm, from the base on.

    Args:
        take: The attempt.
        side: Which arm; empty for the only one.
        part: "hand" with its fingers, "forearm": the two links before it, or "arm": all but the
            base.
    """
    model = take.model
    arm = next(arm for arm in take.world.robot.arms if arm.side == side)
    hand = int(model.body(arm.part("hand")).id)
    links = [hand]
    while model.body(int(model.body_parentid[links[0]])).name != arm.part("base"):
        links.insert(0, int(model.body_parentid[links[0]]))
    hands = [int(model.body(arm.part(name)).id) for name in _HAND]
    if part == "hand":
        return hands
    return links[-3:-1] if part == "forearm" else [*links, *hands[1:]]


def geoms_of(take: Take, bodies: Sequence[int]) -> list[int]:
    """Return the geoms of some bodies."""
    owners = np.asarray(take.model.geom_bodyid)
    return [int(number) for number in np.flatnonzero(np.isin(owners, bodies))]


def joints_of(take: Take, side: str) -> list[int]:
    """Return where in a pose the joints of an arm and of its fingers stand."""
    arm = next(arm for arm in take.world.robot.arms if arm.side == side)
    names = [arm.part(name) for name in (*arm.joints, *arm.fingers)]
    return [int(take.model.joint(name).qposadr[0]) for name in names]


def part_mask(
    take: Take, number: int, geoms: Sequence[int], pose: Floats | None = None
) -> npt.NDArray[np.bool_]:
    """Return where a frame shows some geoms, (H, W)."""
    return np.isin(take.geoms(number, pose), geoms)


def part_in_sight(
    clip: Prepared, rng: np.random.Generator, parts: Sequence[str], least: float = 0.004
) -> tuple[str, str, int, int]:
    """Draw an arm, a part of it, and a stretch in which that part can be seen.

    Args:
        clip: The clip.
        rng: Where chance comes from.
        parts: What may be drawn, see `bodies_of`.
        least: Of the picture must show it.

    Returns:
        The arm's side, the part, the first frame and one past the last.

    Raises:
        EpisodeError: None can be seen.
    """
    take = clip.attempt
    sides = [arm.side for arm in take.world.robot.arms]
    for _ in range(_TRIES):
        start, stop = stretch(clip, rng, 0.8, 1.8)
        side, part = str(rng.choice(sides)), str(rng.choice(list(parts)))
        geoms = geoms_of(take, bodies_of(take, side, part))
        seen = [part_mask(take, n, geoms).mean() for n in (start, (start + stop) // 2, stop - 1)]
        if min(seen) >= least:
            return side, part, start, stop
    raise EpisodeError("the part of the robot is not in sight")


def place_of(take: Take, number: int, body: int) -> tuple[Floats, Floats]:
    """Return where a body is at a frame: position (3,) [m] and rotation (4,)."""
    take.renderer.follow(take.poses[number])
    data = take.renderer.data
    return np.array(data.xpos[body]), np.array(data.xquat[body])


def nearer(take: Take, number: int, pose: Floats, picture: Image, geoms: Sequence[int]) -> Image:
    """Return a frame with some geoms of another pose drawn into it, where they are not hidden.

    Args:
        take: The attempt.
        number: The frame.
        pose: The other pose.
        picture: The frame as it is.
        geoms: What is taken from the other pose.
    """
    take.renderer.follow(take.poses[number])
    here = take.renderer.depth(take.view)
    mask = part_mask(take, number, geoms, pose)
    there = take.renderer.depth(take.view)
    other = take.draw(number, pose)
    return np.where((mask & (there < here))[..., None], other, picture)
