"""A thing that is not kept, and what hangs together with it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.judges.instruments._places import End
from assay.judges.instruments._spans import Flags

__all__ = ["Breach", "overlap"]


@dataclass(frozen=True, slots=True, eq=False)
class Breach:
    """A thing that is not kept: gone, new or elsewhere.

    Attributes:
        what: "gone", "new", "hop", "up" or "sunk".
        first: The first frame.
        stop: One past the last.
        end: The end of a track that shows it best.
        back: Whether it is put right again within the clip.
    """

    what: str
    first: int
    stop: int
    end: End
    back: bool


def overlap(one: Flags, other: Flags) -> float:
    """Return which share of the smaller of two parts lies in the other one."""
    return float((one & other).sum()) / float(min(one.sum(), other.sum()))
