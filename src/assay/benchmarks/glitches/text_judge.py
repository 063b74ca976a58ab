"""A text model compares descriptions: three marks of 0 to 5, their mean over 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from assay.benchmarks.glitches.similarity import from_axes
from assay.errors import RunError
from assay.judges._asking import each
from assay.judges._prompts import Prompt
from assay.judges._shapes import TEXT, Shaped, number, record
from assay.metrics.results import Floats
from assay.models import session
from assay.models.address import parse
from assay.models.answers import Answer, ask_for
from assay.models.base import Request, Sampling

__all__ = ["TextJudge"]

_AXES: Final = ("event_faithfulness", "specificity", "causal_correctness")
_READ: Final = Shaped(record(**{axis: number(0, 5, whole=True) for axis in _AXES}, rationale=TEXT))
_TOKENS: Final = 512


@dataclass(frozen=True)
class TextJudge:
    """Ask a model how alike two descriptions are; equal texts are not asked about.

    Attributes:
        model: The model, `provider:name[@url]`.
    """

    model: str

    @property
    def name(self) -> str:
        """Return what results call it."""
        return self.model

    def check(self) -> None:
        """Raise what would stop every question, before anything is spent."""
        session.current().provider(parse(self.model))

    def compare(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Return how alike the two texts of each pair are; each pair is asked for once.

        Raises:
            RunError: Some pairs have no marks. What was answered is in the ledger.
        """
        asked = list(dict.fromkeys(pair for pair in pairs if _differ(pair)))
        answers = each(partial(self._ask, *pair) for pair in asked)
        failed = [one.judged for one in answers if one.judged.value is None]
        if failed:
            raise RunError(
                f"{self.model} gave no marks for {len(failed)} of {len(asked)} pairs of"
                f" descriptions, the first: {failed[0].detail} Run the same command again: what"
                " was answered is kept."
            )
        marks = dict(zip(asked, (one.judged.value for one in answers), strict=True))
        found = [_similarity(marks[pair]) if _differ(pair) else 1.0 for pair in pairs]
        return np.array(found, dtype=np.float64)

    def _ask(self, reported: str, true: str) -> Answer[dict[str, Any]]:
        parts = Prompt.load("glitch_descriptions").filled({"reported": reported, "true": true})
        sampling = Sampling(temperature=0.0, max_tokens=_TOKENS, top_p=1.0)
        return ask_for(self.model, Request(parts, schema=_READ.schema, sampling=sampling), _READ)


def _differ(pair: tuple[str, str]) -> bool:
    return pair[0].strip() != pair[1].strip()


def _similarity(marks: Any) -> float:  # noqa: ANN401 - checked by the schema
    return from_axes(*(float(marks[axis]) for axis in _AXES))
