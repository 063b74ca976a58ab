"""Joints, from traces: too fast, turned too far, at another angle at once, or not turned at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.judges.instruments import _limits_things as limits
from assay.judges.instruments._signals import jumps, lasting, physical
from assay.judges.instruments._spans import stretches
from assay.records import Episode, Event, Floats, Series

__all__ = ["of_joints"]


def of_joints(episode: Episode, series: Series) -> Iterator[Event]:
    """Yield what no joint can do.

    The ranges of a robot's joints are not among its signals. What is known of all arms is used: how
    fast their motors are, that cables stop a joint after a turn, and that the hand goes nowhere
    while no joint turns.
    """
    angles, times = np.asarray(series.values, np.float64), series.times
    angles = angles.reshape(len(times), -1)
    turned = np.abs(np.diff(angles, axis=0))
    yield from _too_fast(turned, times)
    beyond = np.abs(angles).max(axis=1) > limits.JOINT_MOST_RAD
    for run in lasting(beyond, times, 0.0):
        most = float(np.abs(angles[run[0] : run[1]]).max())
        says = f"a joint was turned by {most:.1f} rad, more than a whole turn"
        yield physical("impossible_motion", times, run, 3.0, says)
    yield from _frozen(episode, turned, times)


def _too_fast(turned: Floats, times: Floats) -> Iterator[Event]:
    """Yield where a joint is faster than any motor, or jumps between two moments of rest."""
    speed = turned.max(axis=1) / np.diff(times)
    wild = speed > limits.JOINT_RAD_S
    for joint in range(turned.shape[1]):
        wild |= jumps(turned[:, joint], limits.JOINT_JUMP_RAD, limits.JOINT_REST_RAD)
    late = np.concatenate([[False], wild])
    for run in stretches(late, late, gap=1):
        steps = slice(run[0] - 1, run[1] - 1)
        far, fast = float(turned[steps].max()), float(speed[steps].max())
        says = (
            f"a joint turned by {fast:.0f} rad/s, {far:.1f} rad between two samples; motors of "
            f"arms reach about 4"
        )
        yield physical("impossible_motion", times, run, 4.0, says)


def _frozen(episode: Episode, turned: Floats, times: Floats) -> Iterator[Event]:
    """Yield where the hand moves while every joint says that it does not turn at all."""
    if "ee_position" not in episode.signals:
        return
    hand = np.asarray(episode.at("ee_position", times, "linear"), np.float64)
    still = np.concatenate([[False], (turned == 0.0).all(axis=1)])
    for run in lasting(still, times, limits.FROZEN_S):
        first = max(run[0] - 1, 0)
        path = hand[first : run[1]]
        far = float(np.linalg.norm(path - path[0], axis=1).max())
        if far > limits.FROZEN_M:
            says = f"the hand moved {far * 100:.0f} cm while no joint turned"
            yield physical("impossible_motion", times, run, 3.0, says)
