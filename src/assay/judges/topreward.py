"""How likely a model finds it that the task is done."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from assay.errors import UsageError
from assay.judges._asking import ModelJudge, each
from assay.judges._showing import (
    Prefixes,
    answered,
    check_count,
    check_pictures,
    instruction_of,
    mean,
)
from assay.models import session
from assay.models.address import parse
from assay.models.answers import Unusable
from assay.models.base import Reply
from assay.records import Curve, Episode, Floats, Judged

__all__ = ["TopReward"]

_OPTIONS = ("True", "False")
_UNSURE = 0.05  # the widest range of values whose middle still counts as the value
_NO_LOGPROBS = (
    "gives no log-probabilities, and topreward is made of them: choose an endpoint that has them"
    " (vLLM and llama.cpp do), or another judge, such as gvl"
)


@dataclass(frozen=True)
class TopReward(ModelJudge):
    """Ask whether the task is done and take the probability of "True" for progress.

    At each moment the model sees the episode up to there. With the probabilities p of the two
    answers as its first word,

        progress = p(True) / (p(True) + p(False)).

    Nothing is stretched to the range of the episode: an attempt that never came near stays low.
    It takes one call a moment, and an endpoint that tells log-probabilities.

    Attributes:
        most_frames: Frames a call at most.
    """

    max_tokens: int = 16
    most_frames: int = 16

    fields: ClassVar[tuple[str, ...]] = ("instruction", "frames")
    required: ClassVar[tuple[str, ...]] = ("frames",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self, "most_frames", 1, 1000)

    def check(self) -> None:
        """Raise what would stop every episode, an endpoint without log-probabilities included."""
        super().check()
        check_pictures(self, self.most_frames)
        # Providers that can't tell them say so by a limit of 0; of others it is not known.
        if session.current().limits(parse(self.model)).get("options") == 0:
            raise UsageError(f"{self.model} {_NO_LOGPROBS}.")

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Return the probability that the task is done at `times`."""
        instruction = instruction_of(episode)
        prefixes = Prefixes.of(self, episode, times, self.most_frames)
        first = self._asked(instruction, prefixes, float(times[0]))
        if first.detail.startswith(self._lacking()):  # the others would be paid for in vain
            return answered(times, [first] * len(times))
        rest = each(
            partial(self._asked, instruction, prefixes, time) for time in times[1:].tolist()
        )
        return answered(times, [first, *rest])

    def _asked(self, instruction: str, prefixes: Prefixes, time: float) -> Judged[float]:
        values = {"instruction": instruction, "frames": prefixes.until(time)}
        shares = []
        for sample in range(self.samples):
            judged = self.weigh(values, _OPTIONS, self._read, sample=sample).judged
            if judged.value is None:
                return replace(judged, calls=sample + 1)
            shares.append(judged.value)
        return Judged(mean(shares), calls=self.samples)

    def _read(self, reply: Reply) -> float:
        """Return how likely "True" was as the first word; those that follow it don't matter."""
        if reply.logprobs is None:
            raise Unusable(f"{self._lacking()}.")
        share = _share(reply.logprobs)
        if share is None:
            raise Unusable("Neither True nor False is among its likely first words.")
        return share

    def _lacking(self) -> str:
        return f"{self.model} {_NO_LOGPROBS}"


def _share(logprobs: Mapping[str, float]) -> float | None:
    """Return p(True) / (p(True) + p(False)); None where it is not told closely enough.

    Endpoints list only the likeliest words. An option that is not listed has at most what the other
    leaves, which bounds the share from both sides: the middle counts if the bounds are close.
    """
    yes, no = (math.exp(min(logprobs[o], 0.0)) if o in logprobs else None for o in _OPTIONS)
    if yes is not None and no is not None:
        return yes / (yes + no) if yes + no > 0 else None
    if yes is not None:
        low, high = min(yes, 1.0), 1.0
    elif no is not None:
        low, high = 0.0, max(1.0 - no, 0.0)
    else:
        return None
    return (low + high) / 2.0 if high - low <= _UNSURE else None
