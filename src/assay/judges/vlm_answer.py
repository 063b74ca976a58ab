"""Answers to multiple-choice questions about an episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from assay.errors import EpisodeError
from assay.judges._asking import ModelJudge
from assay.judges._showing import numbered
from assay.models.answers import choice
from assay.models.base import Part
from assay.records import Episode, Judged, Question

__all__ = ["VlmAnswer"]


@dataclass(frozen=True)
class VlmAnswer(ModelJudge):
    """Show a model the frames that a question is about and have it choose an answer.

    It sees the frames at the question's times, of the question's view, in the question's order, and
    neither the instruction nor the right answer.
    """

    fields: ClassVar[tuple[str, ...]] = ("question", "choices", "labels", "frames")
    required: ClassVar[tuple[str, ...]] = ("question", "choices")

    def answer(self, question: Question, episode: Episode) -> Judged[str]:
        """Return the label of the chosen answer."""
        labels = tuple(question.choices)
        values: dict[str, str | list[Part]] = {
            "question": question.text,
            "choices": "\n".join(f"{label}: {text}" for label, text in question.choices.items()),
            "labels": ", ".join(labels),
            "frames": self._frames(question, episode),
        }
        return self.sampled(values, choice(labels), _most)

    def _frames(self, question: Question, episode: Episode) -> list[Part]:
        if not question.times:
            raise EpisodeError(f"Question {question.id} names no moment to look at.")
        # Frames are read forwards, and a question may show them in any order, or one twice.
        times, places = np.unique(np.array(question.times, dtype=np.float64), return_inverse=True)
        looking = replace(self, view=question.view or self.view)
        read = looking.frames(episode, times)[1:]
        return numbered([read[place] for place in places.tolist()])


def _most(answers: Sequence[str]) -> str:
    """Return what is answered most often, the first of equals."""
    return Counter(answers).most_common(1)[0][0]
