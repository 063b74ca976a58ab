"""The instruments' CPU beside the bare decode of the same clip and beside the clip's length.

    .venv/bin/python speed/instruments.py [CLIP ...]

Without clips a drawn one of 10 s is measured: 256 px, 15 frames a second.
"""

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.episodes.playback import write_h264
from assay.episodes.video import VideoFrames
from assay.judges import make_judge
from assay.records import Episode, View

LIMIT = 1.0  # cpu-s for a second of the clip


@dataclass(frozen=True)
class Drawn:
    """A fixture: patches, and a bar that moves over them."""

    count: int = 150

    def key(self):
        return "drawn"

    def clock(self):
        return np.arange(self.count) / 15.0

    def at(self, times):
        rng = np.random.default_rng(0)
        wall = np.kron(rng.integers(0, 255, (32, 32, 3)), np.ones((8, 8, 1))).astype(np.uint8)
        for t in times:
            picture = wall.copy()
            picture[:, int(15 * t) : int(15 * t) + 40] = 230
            yield picture


def cpu(work):
    """Return the median CPU of three runs [s]."""
    taken = []
    for _ in range(3):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return statistics.median(taken)


def measure(path):
    frames = VideoFrames(str(path))
    clock, judge = frames.clock(), make_judge("instruments")
    length = float(clock[-1] + np.median(np.diff(clock)))
    episode = Episode("e", "t", views={"main": View(frames)})
    decode = cpu(lambda: sum(1 for _ in frames.at(clock)))
    ours = cpu(lambda: judge.diagnose(episode))
    print(
        f"{Path(path).name}: {ours / length:.3f} cpu-s a second (limit {LIMIT:g}), "
        f"the bare decode {decode / length:.3f}"
    )


def main():
    if sys.argv[1:]:
        for path in sys.argv[1:]:
            measure(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.mp4"
        write_h264(Drawn(), path)
        measure(path)


if __name__ == "__main__":
    main()
