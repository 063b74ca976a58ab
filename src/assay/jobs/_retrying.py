"""Take failures up again: what a second try may mend is not kept as if it were settled.

A journal holds what is done. An answer that never came is not done: it stays out of the journal,
so that a run that was stopped asks for it again. A run that ended without some answers keeps all
its other units beside the result, and `--retry` does only what is missing.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from assay.engine import Journal
from assay.errors import InputError
from assay.jobs._holding import By, hold, up_to_date
from assay.jobs._rundir import dump_json, read_document, write_file
from assay.models.session import Session

__all__ = ["AGAIN", "Sifted", "can_retry", "keep_units", "take_up"]

AGAIN: Final = "--retry asks again for what has no answer, and for nothing else."
"""What a user can do about it, in words."""

_UNITS = "units.json"
_SCHEMA = "assay.units/1"


class Sifted(Journal):
    """A journal that keeps what is settled; what is lost is at hand until it is closed.

    Args:
        path: The file, in a directory that exists.
        fingerprint: Stands for all that decides the results.
        lost: Tells of a result whether it is one that never came.
    """

    def __init__(self, path: Path, fingerprint: str, lost: Callable[[bytes], bool]) -> None:
        super().__init__(path, fingerprint)
        self._is_lost = lost
        self._loose: dict[str, bytes] = {}

    def put(self, results: Sequence[tuple[str, bytes]]) -> None:
        """Store what is settled, as `Journal` does; keep the rest in memory."""
        loose = {key: data for key, data in results if self._is_lost(data)}
        if settled := [(key, data) for key, data in results if key not in loose]:
            super().put(settled)
        self._loose |= loose

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield keys and results, lost ones too, sorted by key."""
        return heapq.merge(super().items(), sorted(self._loose.items()))


def can_retry(run: Path) -> bool:
    """Tell whether the finished run in this folder lacks answers."""
    return (run / _UNITS).is_file()


def keep_units(run: Path, settled: Mapping[str, bytes], *, missing: bool) -> None:
    """Keep what a retry need not do again; where nothing is missing, keep nothing.

    Args:
        run: The run directory.
        settled: The results that stay, each a JSON text, by key.
        missing: Whether others are to be tried again.
    """
    if not missing:
        (run / _UNITS).unlink(missing_ok=True)
        return
    units = {key: json.loads(data) for key, data in settled.items()}
    write_file(run / _UNITS, dump_json({"schema": _SCHEMA, "units": units}))


def _known_units(run: Path) -> dict[str, bytes]:
    """Return what `keep_units` kept; nothing where there is no such file.

    Raises:
        InputError: The file is damaged.
    """
    if not can_retry(run):
        return {}
    document = read_document(run / _UNITS)
    units = document.get("units")
    if document.get("schema") != _SCHEMA or not isinstance(units, dict):
        raise InputError("holds no units of a run of this version: remove it.", run / _UNITS)
    return {key: json.dumps(data, allow_nan=False).encode() for key, data in units.items()}


def take_up(
    journal: Sifted,
    run: Path,
    session: Session | None,
    by: Callable[[bytes], Collection[By]],
) -> None:
    """Go on with what an earlier end of this run had, held to one revision of each model.

    What another revision answered than the one that is pinned now is left out, and so done again.

    Args:
        journal: The journal of the run.
        run: The run directory.
        session: Through which models are asked; None if none is.
        by: Tells of a result who answered it.

    Raises:
        RunError: The journal holds what another revision answered than the one pinned now.
    """
    fresh, done = up_to_date(session), journal.done()
    known = {key: data for key, data in _known_units(run).items() if fresh(by(data))}
    begun = (data for _, data in journal.items())
    hold(session, run, (by(data) for data in chain(begun, known.values())))
    journal.put([(key, data) for key, data in known.items() if key not in done])
