"""Which of two attempts went better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from assay.judges._asking import ModelJudge, each
from assay.judges._preferring import check_same_task
from assay.judges._showing import check_count, check_pictures, instruction_of, numbered, spread
from assay.models.answers import choice, with_reason
from assay.models.base import Part
from assay.records import Episode, Judged

__all__ = ["VlmPrefer"]

_READ = with_reason(choice(("A", "B", "tie")))
_SIGNS = {"A": 1, "B": -1, "tie": 0}
_WORDS = {1: "A is better", -1: "B is better", 0: "tie"}


@dataclass(frozen=True)
class VlmPrefer(ModelJudge):
    """Show a model two attempts and ask which went better, in both orders.

    Models favour what they see first, or last. So each pair is asked for twice, with the attempts
    swapped; an answer that changes with the order is a tie, and the reason says so.

    Attributes:
        most_frames: Frames of each attempt, spread evenly from its first to its last.
    """

    most_frames: int = 8

    fields: ClassVar[tuple[str, ...]] = ("instruction", "first", "second")
    required: ClassVar[tuple[str, ...]] = ("first", "second")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self, "most_frames", 1, 500)

    def check(self) -> None:
        """Raise what would stop every episode, more frames than the model takes included."""
        super().check()
        check_pictures(self, 2 * self.most_frames)

    def prefer(self, a: Episode, b: Episode) -> Judged[tuple[int, str]]:
        """Return +1 for `a`, -1 for `b` or 0, and the reason."""
        check_same_task(a, b)
        instruction = instruction_of(a)
        first, second = self._shown(a), self._shown(b)
        there, back = each(
            [
                partial(self._asked, instruction, first, second),
                partial(self._asked, instruction, second, first),
            ]
        )
        calls = there.calls + back.calls
        if there.value is None or back.value is None:
            failed = there if there.value is None else back
            return Judged(None, failed.status, failed.detail, calls)
        (one, why), (other, swapped_why) = there.value, back.value
        if one == -other:
            return Judged((one, why), calls=calls)
        reason = (
            f"the answer changes with the order: with {a.id} as A, {_WORDS[one]} ({why});"
            f" with {b.id} as A, {_WORDS[other]} ({swapped_why})"
        )
        return Judged((0, reason), calls=calls)

    def _asked(
        self, instruction: str, first: list[Part], second: list[Part]
    ) -> Judged[tuple[int, str]]:
        """Return +1 for what is shown first, -1 for what is shown second, and the reason."""
        values = {"instruction": instruction, "first": first, "second": second}
        return self.sampled(values, _READ, _majority)

    def _shown(self, episode: Episode) -> list[Part]:
        times = spread(episode, self.view, self.most_frames)
        return numbered(self.frames(episode, times)[1:])


def _majority(answers: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """Return what most of several answers say, and the first reason for it."""
    total = sum(_SIGNS[answer] for answer, _ in answers)
    sign = (total > 0) - (total < 0)
    reasons = (why for answer, why in answers if _SIGNS[answer] == sign)
    return sign, next(reasons, "as many answers for the one as for the other")
