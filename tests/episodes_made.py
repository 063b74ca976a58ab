"""Episodes made in memory: one that supplies every need of a judge."""

from dataclasses import dataclass

import numpy as np

from assay.records import Episode, Segment, Series, View


@dataclass(frozen=True)
class GreyFrames:
    """A fixture: frame k is shown at t = k seconds and has the grey level 10 * k."""

    count: int = 5

    def key(self):
        return f"grey:{self.count}"

    def clock(self):
        return np.arange(float(self.count))

    def at(self, times):
        for t in times:
            yield np.full((4, 6, 3), 10 * int(t), dtype=np.uint8)


def full_episode(**changes):
    """An episode with a view, progress, success and subtasks, as a world would give it."""
    times = np.arange(5.0)
    fields = {
        "id": "full",
        "task": "lift-block",
        "instruction": "lift the red block",
        "views": {"front": View(GreyFrames())},
        "signals": {
            "progress": Series(times, times / 4),
            "success": Series(times, times >= 4),
        },
        "segments": (Segment("reach", 0.0, 2.0), Segment("lift", 2.0, 4.0)),
        "world": "drawn",
    }
    return Episode(**{**fields, **changes})
