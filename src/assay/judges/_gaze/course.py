"""The course of one examination: what was asked, in how many rounds, and what each part gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from assay.judges._asking import each
from assay.models import session
from assay.models.answers import Answer
from assay.records import Status, worst_status

__all__ = ["Course", "PartFailed"]

T = TypeVar("T")


class PartFailed(Exception):  # noqa: N818 - no error: the clip can't be examined, and says why
    """A part has no answer that can be used: without it nothing can be said of the clip."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status: Status = status


class Course:
    """Ask in rounds, and keep what came of it.

    Where questions are only counted and not sent, what each part would give is supposed, so that
    the next one has something to ask about.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.rounds = 0
        self.planned = session.current().settings.plan
        self.trail: list[tuple[str, Any]] = []

    def ask(
        self, part: str, questions: Sequence[Callable[[], Answer[T]]], supposed: Sequence[T]
    ) -> list[T]:
        """Put questions that don't wait for one another; return the values in order.

        A question that has to be put again makes the round longer.

        Args:
            part: Who asks, for messages.
            questions: What is asked.
            supposed: What a plan takes for the answers, one for each question.

        Raises:
            PartFailed: One of them has no answer that can be used.
        """
        if not questions:
            return []
        answers = each(questions)
        if self.planned:
            return list(supposed)
        self.calls += sum(answer.judged.calls for answer in answers)
        self.rounds += max(answer.judged.calls for answer in answers)
        worst = worst_status(np.array([answer.judged.status for answer in answers]))
        if worst != "ok":
            failed = next(one.judged for one in answers if one.judged.status == worst)
            raise PartFailed(worst, f"{part}: {failed.detail}")
        return [one.judged.value for one in answers if one.judged.value is not None]

    def keep(self, part: str, gave: Any) -> None:  # noqa: ANN401 - any plain data
        """Keep what a part gave, as plain data."""
        self.trail.append((part, gave))
