"""How fast steps follow each other, where a format counts steps and tells no time."""

from __future__ import annotations

import logging
from fractions import Fraction
from pathlib import Path

import numpy as np

from assay.episodes import jsonlines, tables
from assay.episodes.faults import check_file
from assay.episodes.paths import inside
from assay.errors import InputError, UsageError
from assay.records import Episode

__all__ = ["NOTE", "frame_rate", "steps_per_second"]

NOTE = "assay_rate.json"
"""The file beside a dataset in which a user says what the dataset does not."""

_SAME = 1e-4  # share by which a rate may differ from a whole number and still be meant as it
_ASSUMED = 10.0
_FASTEST = 100_000


def steps_per_second(folder: Path, published: float | None = None) -> float:
    """Return the rate of a dataset whose files don't tell it [1/s].

    That is `fps` of the file `assay_rate.json` in `folder`, else the `published` rate of a dataset
    that is known by its name, else 10, which is said aloud.
    """
    note = folder / NOTE
    if note.exists():
        return _noted(inside(folder, NOTE, file=folder))
    if published is not None:
        return published
    logging.getLogger("assay").warning(
        "%s does not tell how fast its steps follow each other: %g a second are assumed. "
        'Write {"fps": N} into %s to say it.',
        folder, _ASSUMED, note,
    )  # fmt: skip
    return _ASSUMED


def _noted(note: Path) -> float:
    check_file(note)
    value = jsonlines.parse(tables.read_text(note), note)
    fps = value.get("fps") if isinstance(value, dict) else None
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not 0 < fps < _FASTEST:
        raise InputError(f"must hold an object with 'fps', a number above 0; found {fps!r}.", note)
    return float(fps)


def frame_rate(episode: Episode) -> float:
    """Return how often the pictures of an episode come, else its signals [1/s].

    That is one over the median step of the fastest view; a rate next to a whole number is taken
    for it, others for the nearest fraction such as 30000/1001.
    """
    clocks = [view.frames.clock() for view in episode.views.values()]
    clocks = clocks or [series.times for series in episode.signals.values()]
    steps = [float(np.median(np.diff(clock))) for clock in clocks if len(clock) > 1]
    if not steps or not 0 < min(steps) < float("inf"):
        raise UsageError(
            f"The episode {episode.id!r} has no two moments to tell a frame rate from: "
            "say it with --set fps=N."
        )
    rate = 1 / min(steps)
    whole = round(rate)
    if whole and abs(rate - whole) <= _SAME * whole:
        return float(whole)
    return float(Fraction(rate).limit_denominator(1001))
