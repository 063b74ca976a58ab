"""Physics from traces: where things were, what touched what, how the joints went."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges.instruments import _limits as limits
from assay.judges.instruments._spans import Flags, Run, stretches
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
        found += _of_joints(joints)
    return tuple(found)


def _of_thing(episode: Episode, name: str, series: Series) -> Iterator[Event]:
    """Yield jumps, floating, sinking and being carried by nothing."""
    places, times = np.asarray(series.values, np.float64), series.times
    for at in np.flatnonzero(_jumps(np.linalg.norm(np.diff(places, axis=0), axis=1))).tolist():
        far = float(np.linalg.norm(places[at + 1] - places[at]))
        stop = min(int(np.searchsorted(times, times[at + 1] + limits.JUMP_S)), len(times) - 1)
        says = f"{name} moved {far * 100:.0f} cm between two samples and stood still around that"
        yield _event("object_teleportation", times, (at + 1, stop), 4.0, says)
    sunk = places[:, 2] < float(np.min(places[:2, 2])) - limits.SUNK_M
    for run in _lasting(sunk, times, limits.SUNK_S):
        deep = float(places[0, 2] - places[run[0] : run[1], 2].min())
        says = f"{name} was {deep * 100:.1f} cm lower than where it first lay"
        yield _event("object_penetration", times, run, 3.0, says)
    touched = _touched(episode, name, times)
    if touched is None:
        return
    speed = _speeds(places, times)
    up = places[:, 2] > float(np.min(places[:, 2])) + limits.UP_M
    hung = up & ~touched & (speed < limits.HUNG_M_S)
    for run in _lasting(hung, times, limits.HUNG_S):
        says = f"{name} stayed up, touched by nothing and slower than {limits.HUNG_M_S:g} m/s"
        yield _event("object_floating", times, run, 4.0, says)
    yield from _carried(episode, name, series, up & ~touched & (speed >= limits.HUNG_M_S))


def _carried(episode: Episode, name: str, series: Series, free: Flags) -> Iterator[Event]:
    """Yield where a thing that nothing touches keeps its place in the hand."""
    if "ee_position" not in episode.signals:
        return
    times = series.times
    hand = np.asarray(episode.at("ee_position", times, "linear"), np.float64)
    beside = _speeds(np.asarray(series.values, np.float64) - hand, times) < limits.HUNG_M_S
    for run in _lasting(free & beside, times, limits.HUNG_S):
        says = f"{name} went along with the hand, and no contact held it"
        yield _event("grasp_without_visible_support", times, run, 4.0, says)


def _of_joints(series: Series) -> Iterator[Event]:
    """Yield where a joint is faster than any motor."""
    turned = np.abs(np.diff(np.asarray(series.values, np.float64), axis=0))
    fastest = turned.max(axis=1) / np.diff(series.times)
    wild = np.concatenate([[False], fastest > limits.JOINT_RAD_S])
    for run in stretches(wild, wild, gap=1):
        most = float(fastest[run[0] - 1 : run[1] - 1].max())
        says = f"a joint turned by {most:.0f} rad/s; motors of arms reach about 4"
        yield _event("impossible_motion", series.times, run, 4.0, says)


def _jumps(moved: Floats) -> Flags:
    """Return which steps, of shape (T - 1,) [m], are large between small ones."""
    padded = np.concatenate([[0.0], moved, [0.0]])
    calm = np.maximum(padded[:-2], padded[2:]) < limits.JUMP_REST_M
    return np.asarray((moved > limits.JUMP_M) & calm)


def _speeds(places: Floats, times: Floats) -> Floats:
    """Return the speed at each sample, of shape (T,) [m/s]."""
    speeds: Floats = np.linalg.norm(np.gradient(places, times, axis=0), axis=1)
    return speeds


def _touched(episode: Episode, name: str, times: Floats) -> Flags | None:
    """Return when anything touches a thing; None if the episode does not tell."""
    pairs = [s for s in episode.signals if s.startswith(_CONTACT) and name in s.split(".")[1:]]
    if not pairs:
        return None
    forces = [np.asarray(episode.at(pair, times, "nearest"), np.float64) for pair in pairs]
    return np.asarray(np.max(forces, axis=0) > 0)


def _lasting(flags: Flags, times: Floats, least_s: float) -> list[Run]:
    found = stretches(flags, flags)
    return [run for run in found if times[run[1] - 1] - times[run[0]] >= least_s]


def _event(kind: str, times: Floats, run: Run, severity: float, says: str) -> Event:
    first, last = int(run[0]), min(int(run[1]), len(times) - 1)
    return Event(
        dimension=taxonomy().dimension_of(kind),
        type=kind,
        start_s=float(times[first]),
        end_s=float(times[last]),
        severity=severity,
        description=taxonomy().dimensions["physical_plausibility"].types[kind],
        evidence=f"{says} (recorded signals)",
        confidence=0.9,
        source="instruments",
        frames_s=(float(times[first]),),
    )
