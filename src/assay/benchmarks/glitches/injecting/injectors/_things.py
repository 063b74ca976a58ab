"""Things of a simulated scene: which one to choose, and where there is room for one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from assay.benchmarks.glitches.injecting.prepared import Prepared, stretch
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image
from assay.worlds.look import COLOURS

__all__ = [
    "at_rest",
    "bears",
    "box_of",
    "carried",
    "filled",
    "free_spot",
    "in_fixture",
    "in_hand",
    "in_sight",
    "left_alone",
    "new_colour",
    "rising",
    "seen_whole",
    "two_at_rest",
    "way_of",
    "with_place",
    "with_pose",
    "with_rest",
]

_TRIES = 40
_LEAST = 0.0022  # of the picture shows the thing
_TABLE = ((0.33, 0.66), (-0.26, 0.26))  # where the arm gets [m]
_APART_M = 0.075
_TOUCHING_M = 0.05  # the middles of things that touch are nearer than that
_BEARS_M = 0.04  # what is so near to a thing's rim may lie on it
_STIRRED_M = 0.004  # what is farther from where it lay has been moved


def at_rest(
    clip: Prepared, rng: np.random.Generator, least_s: float = 0.8, most_s: float = 1.6
) -> tuple[str, int, int]:
    """Draw a stretch and a thing that can be seen in it and that no hand touches.

    Raises:
        EpisodeError: There is none.
    """
    take = clip.attempt
    for _ in range(_TRIES):
        start, stop = stretch(clip, rng, least_s, most_s)
        near = slice(max(start - 2, 0), stop + 2)
        names = [name for name in take.things if not take.trace.touched[name][near].any()]
        for name in rng.permutation(names):
            if seen_whole(take, str(name), (start, (start + stop) // 2, stop - 1)):
                return str(name), start, stop
    raise EpisodeError("no thing lies in sight and untouched for long enough")


def in_sight(clip: Prepared, rng: np.random.Generator) -> tuple[str, int, int]:
    """Return a thing that can be seen from an early frame up to the end of the clip, and both.

    Raises:
        EpisodeError: There is none.
    """
    take, stop = clip.attempt, len(clip)
    start = int(rng.uniform(0.15, 0.4) * stop)
    for name in rng.permutation(list(take.things)):
        if seen_whole(
            take, str(name), (start, (start + stop) // 2, (start + 3 * stop) // 4, stop - 1)
        ):
            return str(name), start, stop
    raise EpisodeError("no thing stays in sight")


def left_alone(
    clip: Prepared, rng: np.random.Generator, least: float, most: float
) -> tuple[str, int, int]:
    """Return a thing that no hand touches any more from some frame on, that frame, and the end.

    Args:
        clip: The clip.
        rng: Where chance comes from.
        least: Of the clip has gone by then, at least.
        most: And at most.

    Raises:
        EpisodeError: There is none.
    """
    take, stop = clip.attempt, len(clip)
    start = int(rng.uniform(least, most) * stop)
    for name in rng.permutation(list(take.things)):
        untouched = not take.trace.touched[name][start - 2 :].any()
        if untouched and seen_whole(take, str(name), (start, (start + stop) // 2, stop - 1)):
            return str(name), start, stop
    raise EpisodeError("no thing lies in sight and untouched up to the end")


def two_at_rest(
    clip: Prepared, rng: np.random.Generator, least_s: float, most_s: float
) -> tuple[str, str, int, int]:
    """Draw a stretch and two things that can be seen in it and that no hand touches.

    Raises:
        EpisodeError: There are none.
    """
    take = clip.attempt
    for _ in range(_TRIES // 4):
        one, start, stop = at_rest(clip, rng, least_s, most_s)
        near = slice(max(start - 2, 0), stop + 2)
        for name in rng.permutation(list(take.things)):
            still = name != one and not take.trace.touched[name][near].any()
            if still and seen_whole(take, str(name), (start, stop - 1)):
                return one, str(name), start, stop
    raise EpisodeError("no two things lie in sight and untouched for long enough")


def carried(clip: Prepared, rng: np.random.Generator, least_s: float) -> tuple[str, int, int]:
    """Return a thing that a hand holds in the air, and from when to when.

    Raises:
        EpisodeError: None is, or not for long enough.
    """
    take = clip.attempt
    for name in rng.permutation(list(take.things)):
        lift = take.trace.positions[name][:, 2] - take.trace.positions[name][0, 2]
        up = take.trace.held[name] & (lift > 0.015)
        frames = np.flatnonzero(up)
        if len(frames) < round(least_s * clip.fps):
            continue
        start, stop = int(frames[0]), int(frames[-1]) + 1
        if up[start:stop].all() and seen_whole(take, str(name), ((start + stop) // 2,)):
            return str(name), start, stop
    raise EpisodeError("nothing is carried in sight for long enough")


def in_hand(
    clip: Prepared, rng: np.random.Generator, least_s: float, most_s: float
) -> tuple[str, int, int]:
    """Draw a stretch in which a hand carries a thing in sight, away from all others.

    Raises:
        EpisodeError: There is none.
    """
    take = clip.attempt
    name, first, last = carried(clip, rng, least_s)
    count = min(
        int(rng.integers(round(least_s * clip.fps), round(most_s * clip.fps) + 1)), last - first
    )
    start = first + int(rng.integers(0, last - first - count + 1))
    here = take.trace.positions[name][start : start + count]
    others = (
        take.trace.positions[other][start : start + count] for other in take.things if other != name
    )
    if any(np.linalg.norm(here - there, axis=1).min() < _TOUCHING_M for there in others):
        raise EpisodeError("another thing is on what is carried, or in it")
    if not seen_whole(take, name, (start, start + count - 1)):
        raise EpisodeError("what is carried is out of sight")
    return name, start, start + count


def way_of(take: Take, name: str) -> tuple[int, int] | None:
    """Return the first frame in which a thing has left its place, and the first at its last one.

    Args:
        take: The attempt.
        name: The thing; None is returned if it stays where it lies.
    """
    places = take.trace.positions[name]
    left = np.flatnonzero(np.linalg.norm(places - places[0], axis=1) > _STIRRED_M)
    away = np.flatnonzero(np.linalg.norm(places - places[-1], axis=1) > _STIRRED_M)
    return (int(left[0]), int(away[-1]) + 1) if len(left) and len(away) else None


def bears(take: Take, name: str, start: int, stop: int) -> bool:
    """Tell whether another thing lies on a thing in a stretch: without it, that one would float."""
    places, near = take.trace.positions, _BEARS_M + take.thing(name).size[1]
    gaps = (places[o][start:stop] - places[name][start:stop] for o in take.things if o != name)
    return any(
        bool(((np.linalg.norm(gap[:, :2], axis=1) < near) & (gap[:, 2] > 0.01)).any())
        for gap in gaps
    )


def seen_whole(take: Take, name: str, numbers: Iterable[int]) -> bool:
    """Tell whether each of some frames shows enough of a thing."""
    masks = (take.mask(number, name) for number in numbers)
    return all(float(mask.mean()) >= _LEAST for mask in masks)


def free_spot(
    take: Take, number: int, rng: np.random.Generator, near: Floats | None = None, far_m: float = 0
) -> Floats:
    """Return a place on the table, x and y [m], with room around it and in the picture.

    Args:
        take: The attempt.
        number: The frame that the place must be free in.
        rng: Where chance comes from.
        near: Where to start from; None for anywhere.
        far_m: How far from there it must be, up to a third more [m].
    """
    taken = [values[number, :2] for values in take.trace.positions.values()]
    taken += [tool[number, :2] for tool in take.trace.tools.values()]
    side = take.renderer.size
    for _ in range(10 * _TRIES):
        if near is None:
            spot = np.array([rng.uniform(*_TABLE[0]), rng.uniform(*_TABLE[1])])
        else:
            angle, far = rng.uniform(0.0, 2 * np.pi), far_m * rng.uniform(1.0, 1.33)
            spot = near[:2] + far * np.array([np.cos(angle), np.sin(angle)])
        on_table = all(
            low <= value <= high for value, (low, high) in zip(spot, _TABLE, strict=True)
        )
        clear = all(np.linalg.norm(spot - other) > _APART_M for other in taken)
        column, row = take.pixel(np.array([*spot, 0.02]))
        if on_table and clear and 0.05 * side < min(column, row) < max(column, row) < 0.95 * side:
            return np.asarray(spot, dtype=np.float64)
    raise EpisodeError("there is no room on the table")


def box_of(take: Take, number: int, geoms: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest corner, (3,) each [m], of the box around some geoms."""
    take.renderer.follow(take.poses[number])
    data, shapes = take.renderer.data, np.array(take.model.geom_aabb)[geoms]  # middle, half edges
    turns = np.array(data.geom_xmat)[geoms].reshape(-1, 3, 3)
    middles = np.array(data.geom_xpos)[geoms] + np.einsum("gij,gj->gi", turns, shapes[:, :3])
    halves = np.einsum("gij,gj->gi", np.abs(turns), shapes[:, 3:])
    return (middles - halves).min(axis=0), (middles + halves).max(axis=0)


def in_fixture(take: Take, number: int, place: Floats, room: float) -> bool:
    """Tell whether a place is in a fixture, seen from above, or so near to one [m]."""
    boxes = (box_of(take, number, take.geoms_of(name)) for name in take.world.task.fixtures)
    return any(
        bool(np.all((place[:2] > low[:2] - room) & (place[:2] < high[:2] + room)))
        for low, high in boxes
    )


def rising(number: int, start: int, stop: int, slope: int) -> float:
    """Return how far a change has come at a frame: it grows to 1, stays, and goes back.

    Args:
        number: The frame.
        start: The first frame of the change.
        stop: One past the last.
        slope: How many frames it takes to come and to go.
    """
    slope = max(min(slope, (stop - start) // 2), 1)
    return min(1.0, (number - start + 1) / slope, (stop - number) / slope)


def new_colour(take: Take, rng: np.random.Generator, *others: str) -> str:
    """Return a colour that no thing of the scene has, nor is among others."""
    taken = {*others, *(take.words(name).split()[0] for name in take.things)}
    return str(rng.choice([name for name in COLOURS if name not in taken]))


def with_place(take: Take, number: int, thing: str, position: Floats) -> Floats:
    """Return the pose of a frame with a thing somewhere else, turned as it is."""
    pose: Floats = take.poses[number].copy()
    pose[take.place(thing)][:3] = position
    return pose


def with_pose(take: Take, number: int, thing: str, lying: Floats) -> Floats:
    """Return the pose of a frame with a thing at another place and turned otherwise, (7,)."""
    pose: Floats = take.poses[number].copy()
    pose[take.place(thing)] = lying
    return pose


def with_rest(take: Take, number: int, thing: str, other: int) -> Floats:
    """Return the pose of a frame with a thing as it lies, place and turn, in another frame."""
    pose: Floats = take.poses[number].copy()
    pose[take.place(thing)] = take.poses[other][take.place(thing)]
    return pose


def filled(picture: Image, hole: npt.NDArray[np.bool_]) -> Image:
    """Return a picture whose hole is painted over with what is around it."""
    from scipy.ndimage import binary_dilation, distance_transform_edt, gaussian_filter

    wide = binary_dilation(hole, iterations=2)
    nearest = distance_transform_edt(wide, return_distances=False, return_indices=True)
    painted = picture[tuple(nearest)]
    smooth = gaussian_filter(painted.astype(np.float32), (2.0, 2.0, 0))
    return np.where(wide[..., None], np.rint(smooth).astype(np.uint8), picture)
