"""Values of shuffled frames."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from assay.judges._asking import ModelJudge, Shots, each, shown
from assay.judges._showing import answered, check_count, check_pictures, instruction_of, numbered
from assay.models.answers import numbers
from assay.records import Curve, Episode, Floats, Judged

__all__ = ["GVL"]

_Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class GVL(ModelJudge):
    """Have a model value shuffled frames, all in one answer.

    Shown in order, frames tempt a model to count upwards; shuffled, each must be judged by what it
    shows. The start is given as the anchor at 0. Every frame is valued in several shuffles and gets
    the mean of those that were answered; one that no shuffle gave a value for has none.

    An episode of T frames takes permutations * ceil((T - 1) / most_frames) calls, each with the
    start and at most `most_frames` frames from all over the episode: linear in T.

    Attributes:
        permutations: How often all frames are shuffled and valued.
        most_frames: Frames a call at most, beside the start.
        seed: Decides the shuffles, together with the episode's id.

    Cites:
        Ma et al., Vision Language Models are In-Context Value Learners, 2024.
    """

    permutations: int = 3
    most_frames: int = 30
    seed: int = 0

    fields: ClassVar[tuple[str, ...]] = ("instruction", "start", "frames", "count")
    required: ClassVar[tuple[str, ...]] = ("frames",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self, "permutations", 1, 64)
        check_count(self, "most_frames", 1, 1000)
        check_count(self, "seed", 0, 2**32 - 1)

    def check(self) -> None:
        """Raise what would stop every episode, more frames than the model takes included."""
        super().check()
        check_pictures(self, self.most_frames + 1)

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the mean value of each frame over the shuffles."""
        instruction = instruction_of(episode)
        start, *frames = self.frames(episode, times)
        known = int(frames[0] == start)  # the start itself is at 0 and not asked for
        dealt = self._dealt(episode, len(frames) - known)
        answers = each(
            partial(self._valued, instruction, start, [frames[known + place] for place in call])
            for call in dealt
        )
        judged = _by_frame(dealt, answers, len(frames) - known)
        curve = answered(times, [Judged(0.0)] * known + judged)
        return replace(curve, detail=curve.detail or _left_out(answers))

    def _dealt(self, episode: Episode, count: int) -> list[_Places]:
        """Return the frames of every call, `count` frames in each of the shuffles."""
        rng = np.random.default_rng([self.seed, zlib.crc32(episode.id.encode())])
        return [
            call for _ in range(self.permutations) for call in _deal(count, self.most_frames, rng)
        ]

    def _valued(
        self, instruction: str, start: Shots, frames: Sequence[Shots]
    ) -> Judged[tuple[float, ...]]:
        """Return the value in 0..1 of each of `frames`, in the order in which they are shown."""
        values = {
            "instruction": instruction,
            "start": shown(start),
            "frames": numbered(frames),
            "count": str(len(frames)),
        }
        return self.sampled(values, numbers(len(frames), 0, 100), _mean_rows)


def _deal(count: int, most: int, rng: np.random.Generator) -> list[_Places]:
    """Return the places 0..count-1 in calls of at most `most`, each a shuffled sample of all.

    Neighbouring places go to different calls, so that every call sees the whole episode.
    """
    if not count:
        return []
    calls = math.ceil(count / most)
    lanes = np.concatenate([rng.permutation(calls) for _ in range(0, count, calls)])[:count]
    return [rng.permutation(np.flatnonzero(lanes == lane)) for lane in range(calls)]


def _mean_rows(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple((np.mean(rows, axis=0) / 100.0).tolist())


def _left_out(answers: Sequence[Judged[tuple[float, ...]]]) -> str:
    """Say how many calls the means do without, and why; nothing where all were answered."""
    failed = [answer for answer in answers if answer.value is None]
    if not failed:
        return ""
    return f"{len(failed)} of {len(answers)} calls gave no values: {failed[0].detail}"


def _by_frame(
    dealt: Sequence[_Places], answers: Sequence[Judged[tuple[float, ...]]], count: int
) -> list[Judged[float]]:
    """Return the mean of each frame over the calls that gave it a value, else the last fault."""
    found: list[list[float]] = [[] for _ in range(count)]
    faults: list[Judged[float]] = [Judged(None, "unparsed")] * count
    for places, answer in zip(dealt, answers, strict=True):
        for index, place in enumerate(places.tolist()):
            if answer.value is None:
                faults[place] = Judged(None, answer.status, answer.detail)
            else:
                found[place].append(answer.value[index])
    return [
        Judged(float(np.mean(values))) if values else fault
        for values, fault in zip(found, faults, strict=True)
    ]
