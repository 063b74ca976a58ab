"""Ignored-constraint: does what it was told not to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.worlds.policies._mistaken import Mistaken
from assay.worlds.tasks.base import Wrong

__all__ = ["IgnoredConstraint"]


@dataclass(frozen=True)
class IgnoredConstraint(Mistaken):
    """Do what it was told not to do in some attempts, and be clean in the others.

    Attributes:
        strength: The share of attempts that ignore the constraint; 0 is the expert.
    """

    wrong: ClassVar[Wrong] = "constraint"
