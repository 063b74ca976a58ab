"""How fast steps follow each other, where a format counts steps and tells no time."""

from __future__ import annotations

import logging
from pathlib import Path

from assay.episodes import jsonlines, tables
from assay.episodes.faults import check_file
from assay.episodes.paths import inside
from assay.errors import InputError

__all__ = ["NOTE", "steps_per_second"]

NOTE = "assay.json"
"""The file beside a dataset in which a user says what the dataset does not."""

_ASSUMED = 10.0
_FASTEST = 100_000


def steps_per_second(folder: Path, published: float | None = None) -> float:
    """Return the rate of a dataset whose files don't tell it [1/s].

    That is `fps` of the file `assay.json` in `folder`, else the `published` rate of a dataset that
    is known by its name, else 10, which is said aloud.
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
