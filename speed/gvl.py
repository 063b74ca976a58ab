"""Count what GVL asks for an episode: calls, pictures and tokens against its frames.

    python speed/gvl.py --frames 15,30,60,120,240

Nothing is sent: the numbers are those that `--plan` gives, and are at most what is used.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.judges.gvl import GVL
from assay.models.session import ModelSettings, opened
from assay.records import Episode, View

LIMIT = 1.0  # growth of calls and tokens beyond that of the frames, from the second row on


@dataclass(frozen=True)
class Noise:
    """Frames of 640 x 480 that all differ, one a second."""

    count: int

    def key(self) -> str:
        return f"noise:{self.count}"

    def clock(self) -> np.ndarray:
        return np.arange(float(self.count))

    def at(self, times: np.ndarray):
        for time in times:
            coarse = np.random.default_rng(int(time)).integers(0, 255, (6, 8, 3), dtype=np.uint8)
            yield coarse.repeat(80, axis=0).repeat(80, axis=1)


def planned(frames: int, folder: Path) -> tuple[int, int, int, int]:
    """Return calls, pictures, input tokens and longest answers of an episode of `frames`."""
    episode = Episode(
        id="e", task="t", instruction="put the red block into the basket",
        views={"front": View(Noise(frames))},
    )  # fmt: skip
    judge = GVL(model="openai:planned@http://localhost:9/v1")
    with opened(ModelSettings(ledger=folder / f"{frames}.sqlite", plan=True)) as session:
        judge.progress(episode, np.arange(float(frames)))
        (used,) = session.usage().values()
    return used.calls, used.pictures, used.input_tokens, used.output_tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", default="15,30,60,120,240")
    sizes = [int(text) for text in parser.parse_args().frames.split(",")]
    print("frames  calls  pictures  input tokens  tokens a frame  longest answers")
    first = None
    with tempfile.TemporaryDirectory() as folder:
        for frames in sizes:
            calls, pictures, asked, answered = planned(frames, Path(folder))
            each = asked / frames
            first = first or each
            note = "" if each <= LIMIT * first else "  more than linear"
            row = f"{frames:6} {calls:6} {pictures:9} {asked:13} {each:15.0f} {answered:16}"
            print(row + note)


if __name__ == "__main__":
    main()
