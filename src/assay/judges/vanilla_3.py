"""Three answers to one question, of which two must agree."""

from __future__ import annotations

from dataclasses import dataclass

from assay.judges._one_look import OneLook

__all__ = ["Vanilla3"]


@dataclass(frozen=True)
class Vanilla3(OneLook):
    """Ask a model three times what is wrong with a clip, and keep what two answers have.

    The answers are drawn at temperature 0.7; at 0 they would be alike.

    Cites:
        Wang et al. (2023), "Self-consistency improves chain of thought reasoning".
    """

    samples: int = 3
