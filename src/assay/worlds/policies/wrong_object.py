"""Wrong-object: takes the wrong thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.worlds.policies._mistaken import Mistaken
from assay.worlds.tasks.base import Wrong

__all__ = ["WrongObject"]


@dataclass(frozen=True)
class WrongObject(Mistaken):
    """Do the task with the wrong thing in some attempts, and cleanly in the others.

    Attributes:
        strength: The share of attempts at the wrong thing; 0 is the expert.
    """

    wrong: ClassVar[Wrong] = "object"
