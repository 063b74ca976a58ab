"""How long a clip is: to the end of its last frame, not to its beginning."""

from __future__ import annotations

import numpy as np

from assay.records import Episode

__all__ = ["length_of"]


def length_of(episode: Episode) -> float:
    """Return the length of a clip [s]: each frame is shown until the next; one alone has none."""
    found = [episode.duration()]
    for view in episode.views.values():
        clock = view.frames.clock()
        if len(clock) > 1:
            found.append(float(clock[-1] + np.median(np.diff(clock))))
    return max(found)
