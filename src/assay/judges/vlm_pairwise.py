"""Ask a vision-language model which of two moments is further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from assay.judges._asking import Shots, shown
from assay.judges._hopping import HopModelJudge
from assay.models.answers import Unusable, choice, integer
from assay.records import Judged

__all__ = ["VlmPairwise"]

_SIGNS = choice(("+1", "-1"))


@dataclass(frozen=True)
class VlmPairwise(HopModelJudge):
    """Ask any vision-language model whether the second of two moments is further: +1 or -1.

    All views of both moments are shown, the start of the episode, and a goal where one is given.
    There is no third answer: a model that says 0, or that it can't tell, is asked again and then
    unparsed. Signs have no size, so a sign over k of the T - 1 steps between T moments counts as
    k / (T - 1) of progress; sizes depend on the rate that moments are taken at.

    Attributes:
        integrator: "cumulative" (T - 1 questions), "anchored" (2 T - 1, needs a goal) or
            "least-squares" (about `reach` T).
    """

    integrator: Literal["cumulative", "anchored", "least-squares"] = "cumulative"

    required: ClassVar[tuple[str, ...]] = ("instruction", "before", "after")
    signs: ClassVar[bool] = True

    def compare(
        self, task: str, before: Shots, after: Shots, start: Shots | None, goal: Shots | None
    ) -> Judged[float]:
        """Ask for the direction; several answers vote."""
        values = {
            "instruction": task,
            "start": shown(start),
            "goal": shown(goal),
            "before": shown(before),
            "after": shown(after),
        }
        return self.sampled(values, _Direction(), _vote)


@dataclass(frozen=True)
class _Direction:
    """Read +1 or -1; an undecided answer is none."""

    @property
    def schema(self) -> Mapping[str, Any]:
        return _SIGNS.schema

    def __call__(self, text: str) -> float:
        try:
            return float(_SIGNS(text))
        except Unusable as fault:
            if _is_zero(text):
                raise Unusable("It is undecided; there is no third answer.") from fault
            raise


def _is_zero(text: str) -> bool:
    try:
        return integer(-1, 1, "answer")(text) == 0
    except Unusable:
        return False


def _vote(signs: Sequence[float]) -> float | None:
    """Return the sign of the majority; None where there is none."""
    total = sum(signs)
    return None if total == 0 else (1.0 if total > 0 else -1.0)
