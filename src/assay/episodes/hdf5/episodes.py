"""Make one episode, or word why it can't be made."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from assay.episodes.faults import PARSING, worded
from assay.errors import EpisodeError, UnsafePathError
from assay.records import Episode, Status, Unreadable

__all__ = ["guarded"]


def guarded(bare: Episode, filled: Callable[[], Episode]) -> Episode | Unreadable:
    """Return what `filled` makes of the episode `bare`; a fault of its data makes it unreadable."""
    try:
        return filled()
    except EpisodeError as error:
        return Unreadable.of(bare, str(error), cast("Status", error.status))
    except UnsafePathError as error:
        return Unreadable.of(bare, str(error))
    except PARSING as error:
        detail = f"{bare.source}: can't be used ({worded(error)})."
        return Unreadable.of(bare, detail, "invalid_value")
