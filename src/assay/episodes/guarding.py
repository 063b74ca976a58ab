"""Make one episode, or word why it can't be made."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from assay.episodes.faults import PARSING, worded
from assay.errors import EpisodeError, InputError, UnsafePathError
from assay.records import Episode, Status, Unreadable

__all__ = ["guarded"]


def guarded(bare: Episode, where: object, fill: Callable[[], Episode]) -> Episode | Unreadable:
    """Return what `fill` makes of the episode `bare`; a fault of its data makes it unreadable.

    Args:
        bare: The episode as far as it is known without its data.
        where: The file, and the place in it, for the message.
        fill: Returns the whole episode.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # absurd numbers become inf and nan
            return fill()
    except EpisodeError as error:
        return Unreadable.of(bare, str(error), cast("Status", error.status))
    except UnsafePathError as error:
        return Unreadable.of(bare, str(error))
    except InputError as error:
        return Unreadable.of(bare, str(error), "invalid_value")
    except PARSING as error:
        lost = isinstance(error, OSError)
        status: Status = "missing_frame" if lost else "invalid_value"
        return Unreadable.of(bare, f"{where}: can't be used ({worded(error)}).", status)
