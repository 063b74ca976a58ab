"""Show an episode in another way: backwards, standing still, there and back, thinned.

Signals go the way of the pictures, so that judges that read them are asked the same question.
Subtasks and the outcome are left out: they tell of the episode as it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.benchmarks.passport.frames import Rearranged, StoredFrames
from assay.episodes import sampling
from assay.errors import EpisodeError
from assay.records import Episode, Floats, Series, View

__all__ = [
    "FPS",
    "MOST",
    "backwards",
    "clock_of",
    "looped",
    "rearranged",
    "still",
    "stored",
    "thinned",
]

FPS = 5.0
MOST = 48
"""An episode is shown at 5 moments a second, and at no more than this many."""

_FEWEST = 4


def clock_of(episode: Episode, fps: float = FPS, cap: int | None = MOST) -> Floats:
    """Return the moments to look at [s]: as long as all views last.

    Raises:
        EpisodeError: There are fewer than 4.
    """
    ends = [float(view.frames.clock()[-1]) for view in episode.views.values()]
    times = sampling.grid(min(ends) if ends else episode.duration(), fps, cap)
    if len(times) < _FEWEST:
        raise EpisodeError(f"the episode has only {len(times)} moments, and {_FEWEST} are needed")
    return times


def stored(episode: Episode, times: Floats) -> Episode:
    """Return the episode as it is at `times` alone, with its frames in memory."""
    shown = list(sampling.synced(episode.views, times)) if episode.views else []
    views = {
        name: replace(
            view,
            frames=StoredFrames(
                times, np.stack([moment[name] for moment in shown]), view.frames.key()
            ),
        )
        for name, view in episode.views.items()
    }
    signals = {
        name: Series(times, episode.at(name, times))
        for name, series in episode.signals.items()
        if len(series.times)
    }
    return replace(episode, views=views, signals=signals, length_s=None)


def rearranged(episode: Episode, times: Floats, source: Floats) -> Episode:
    """Return the episode that shows at `times` what `episode` shows at `source`, both (M,) [s]."""
    views = {
        name: View(Rearranged(view.frames, times, source), view.camera, view.moves)
        for name, view in episode.views.items()
    }
    signals = {name: Series(times, episode.at(name, source)) for name in episode.signals}
    return replace(
        episode, views=views, signals=signals, segments=(), outcome=None, length_s=None, extra={}
    )


def backwards(episode: Episode, times: Floats) -> tuple[Episode, Floats]:
    """Return the reversed episode and its moments: what was at t is now at the end minus t."""
    turned = times[-1] - times[::-1]
    return rearranged(episode, turned, times[::-1]), turned


def still(episode: Episode, times: Floats, at: float) -> Episode:
    """Return the episode that shows the one moment `at` [s] all the time."""
    return rearranged(episode, times, np.full(len(times), at))


def looped(episode: Episode, times: Floats) -> tuple[Episode, Floats]:
    """Return the episode that runs to its end and back to its start, and its moments."""
    back = 2 * times[-1] - times[-2::-1]
    both = np.concatenate([times, back])
    return rearranged(episode, both, np.concatenate([times, times[-2::-1]])), both


def thinned(episode: Episode, times: Floats) -> tuple[Episode, Floats]:
    """Return the episode with every second moment, and these; the first stays."""
    kept = times[::2]
    return rearranged(episode, kept, kept), kept
