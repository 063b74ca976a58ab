"""Physics from traces: where things were, what touched what, how the joints went."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._signals import jumps, lasting, physical, speeds
from assay.judges.instruments._spans import Flags
from assay.judges.instruments.joints import of_joints
from assay.records import Episode, Event, Floats, Series

__all__ = ["physics"]

_OBJECT, _PLACE, _CONTACT = "object.", ".position", "contact."


def physics(episode: Episode) -> tuple[Event, ...]:
    """Return what no force at hand could do, as the signals tell; nothing without signals.

    Looks at `object.<name>.position`, `contact.<a>.<b>`, `ee_position` and `joint_position`, as far
    as the episode has them.
    """
    found: list[Event] = []
    for signal, series in episode.signals.items():
        if signal.startswith(_OBJECT) and signal.endswith(_PLACE) and len(series.times) > 3:
            name = signal[len(_OBJECT) : -len(_PLACE)]
            found += _of_thing(episode, name, series)
    joints = episode.signals.get("joint_position")
    if joints is not None and len(joints.times) > 3:
        found += of_joints(episode, joints)
    return tuple(found)


def _of_thing(episode: Episode, name: str, series: Series) -> Iterator[Event]:
    """Yield jumps, floating, sinking and being carried by nothing."""
    places, times = np.asarray(series.values, np.float64), series.times
    for at in np.flatnonzero(
        jumps(np.linalg.norm(np.diff(places, axis=0), axis=1), limits.JUMP_M, limits.JUMP_REST_M)
    ).tolist():
        far = float(np.linalg.norm(places[at + 1] - places[at]))
        stop = min(int(np.searchsorted(times, times[at + 1] + limits.JUMP_S)), len(times) - 1)
        says = f"{name} moved {far * 100:.0f} cm between two samples and stood still around that"
        yield physical("object_teleportation", times, (at + 1, stop), 4.0, says)
    sunk = places[:, 2] < float(np.min(places[:2, 2])) - limits.SUNK_M
    for run in lasting(sunk, times, limits.SUNK_S):
        deep = float(places[0, 2] - places[run[0] : run[1], 2].min())
        says = f"{name} was {deep * 100:.1f} cm lower than where it first lay"
        yield physical("object_penetration", times, run, 3.0, says)
    touched = _touched(episode, name, times)
    if touched is None:
        return
    speed = speeds(places, times)
    up = places[:, 2] > float(np.min(places[:, 2])) + limits.UP_M
    hung = up & ~touched & (speed < limits.HUNG_M_S)
    for run in lasting(hung, times, limits.HUNG_S):
        says = f"{name} stayed up, touched by nothing and slower than {limits.HUNG_M_S:g} m/s"
        yield physical("object_floating", times, run, 4.0, says)
    yield from _carried(episode, name, series, up & ~touched & (speed >= limits.HUNG_M_S))


def _carried(episode: Episode, name: str, series: Series, free: Flags) -> Iterator[Event]:
    """Yield where a thing that nothing touches keeps its place in the hand."""
    if "ee_position" not in episode.signals:
        return
    times = series.times
    hand = np.asarray(episode.at("ee_position", times, "linear"), np.float64)
    beside = speeds(np.asarray(series.values, np.float64) - hand, times) < limits.HUNG_M_S
    for run in lasting(free & beside, times, limits.HUNG_S):
        says = f"{name} went along with the hand, and no contact held it"
        yield physical("grasp_without_visible_support", times, run, 4.0, says)


def _touched(episode: Episode, name: str, times: Floats) -> Flags | None:
    """Return when anything touches a thing; None if the episode does not tell."""
    pairs = [s for s in episode.signals if s.startswith(_CONTACT) and name in s.split(".")[1:]]
    if not pairs:
        return None
    forces = [np.asarray(episode.at(pair, times, "nearest"), np.float64) for pair in pairs]
    return np.asarray(np.max(forces, axis=0) > 0)
