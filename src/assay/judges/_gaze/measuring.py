"""What instruments measured in a clip, as evidence for those who look at it."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from assay.errors import UsageError
from assay.records import Episode

__all__ = ["Measured", "measured"]

_INSTRUMENTS = "assay.judges.instruments"


class Measured(Protocol):
    """What was measured in one clip."""

    def in_words(self, start_s: float, end_s: float) -> str:
        """Return what is odd in a stretch of time, in a short paragraph; empty if nothing is."""
        ...


def measured(episode: Episode) -> Measured:
    """Measure a clip.

    Raises:
        UsageError: This installation has no instruments.
    """
    try:
        module = import_module(_INSTRUMENTS)
    except ModuleNotFoundError as error:
        raise UsageError("There are no instruments to measure with: leave out evidence.") from error
    return cast("Measured", module.measurements(episode))
