"""What is known of an episode's progress: states, their potential, and what lies between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.benchmarks.pulse.hops import states_per_phase
from assay.benchmarks.pulse.keyframes import Keyframes, Route, find_keyframes
from assay.benchmarks.pulse.phases import OSCILLATING, RETAINED, STATIC, kinds_of_steps
from assay.benchmarks.pulse.thresholds import STATE_FPS
from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.records import Episode, Floats

__all__ = ["Truth", "has_potential", "truth_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The states of an episode that pairs are made of.

    Attributes:
        route: Where it is known from.
        times: The states' moments [s], of shape (S,), increasing.
        phi: Their progress in 0..1, of shape (S,).
        kinds: The kind of phase that each step to the next state lies in, of shape (S - 1,).
    """

    route: Route
    times: Floats
    phi: Floats
    kinds: npt.NDArray[np.int64]


def has_potential(episode: Episode) -> bool:
    """Tell whether the episode comes from a world and brings its exact potential."""
    return bool(episode.world) and "progress" in episode.signals


def truth_of(episode: Episode) -> Truth:
    """Return what is known of the episode's progress.

    A world's episode has its exact potential. Any other one is split at keyframes, and its states
    are counted: that says something of successes only.

    Raises:
        EpisodeError: Nothing is known, or the episode is no known success.
    """
    if has_potential(episode):
        times = sampling.grid(episode.duration(), STATE_FPS)
        phi = np.asarray(episode.at("progress", times), dtype=np.float64)
        return Truth("potential", times, phi, kinds_of_steps(times, phi))
    if not episode.outcome:
        known = "no success" if episode.outcome is False else "not known to be a success"
        raise EpisodeError(f"{known}: without an exact potential only successes can be used")
    found = find_keyframes(episode)
    if found is None:
        raise EpisodeError("no subtasks, primitives, phases, grippers or joints tell its phases")
    return _counted(episode, found)


def _counted(episode: Episode, found: Keyframes) -> Truth:
    """Return states i of M at equal shares of each phase, with Phi = i / M."""
    clocks = [view.frames.clock() for view in episode.views.values()]
    clocks = clocks or [series.times for series in episode.signals.values()]
    frames = len(clocks[0]) if clocks else 0
    count = states_per_phase(frames, len(found.names))
    places = np.arange(len(found.names) * count + 1) / count
    times = np.interp(places, np.arange(len(found.times)), found.times)
    kinds = np.array(
        [_kind(episode, found, phase) for phase in range(len(found.names)) for _ in range(count)]
    )
    return Truth(found.route, times, np.arange(len(times)) / (len(times) - 1), kinds)


def _kind(episode: Episode, found: Keyframes, phase: int) -> int:
    """Return what a phase is: still when marked so for half of it, wobbling when it is redone."""
    start, end = found.times[phase : phase + 2]
    still = sum(
        max(0.0, min(end, s.end_s) - max(start, s.start_s))
        for s in episode.segments
        if s.kind == "still"
    )
    if still > 0.5 * (end - start):
        return STATIC
    # A subtask that comes again was undone or tried in vain; a primitive may well come twice.
    again = found.route == "segments" and found.names.count(found.names[phase]) > 1
    return OSCILLATING if again else RETAINED
