"""Answers that were given before: no model is asked."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from assay.errors import UnknownNameError, UsageError
from assay.models._recalling import told_again
from assay.models.address import parse
from assay.models.base import Address, Reply, Request
from assay.models.ledger import Ledger, default_path

__all__ = ["Replay"]


@dataclass(frozen=True)
class Replay:
    """Answer from a ledger alone: `replay:LEDGER`, `replay:LEDGER#MODEL` or `replay:RUN`.

    MODEL is the address that was asked; a ledger with answers of one model needs none. A run
    names its model, the revisions that answered and, where it has one of its own, its ledger.
    """

    kind: ClassVar[Literal["http", "local"]] = "local"
    address: Address

    def check(self) -> None:
        """Raise unless there is a ledger, and in it answers of one known model."""
        _ = self._source

    def limits(self) -> Mapping[str, int]:
        """Return nothing: what was asked before could be asked."""
        return {}

    def revision(self) -> str:
        """Return the revision whose answers are given; of several the one that gave most."""
        return self._source[2][0]

    def answer(self, request: Request) -> Reply:
        """Return the answer that was given to this, or how it failed."""
        return self.told(request, self._source[2])

    def told(
        self, request: Request, revisions: Sequence[str], first: Collection[str] = ()
    ) -> Reply:
        """Return the same of any revisions; see `told_again`."""
        ledger, asked, _ = self._source
        return told_again(ledger, asked, request, revisions, first)

    @cached_property
    def _source(self) -> tuple[Ledger, Address, Sequence[str]]:
        """Return the ledger, the model that was asked, and its revisions."""
        typed = str(self.address).partition(":")[2]
        place, _, model = typed.partition("#")
        path, run = Path(place), Path(place)
        if run.is_dir():
            path, told = _of_run(run)
            model = model or told
        ledger = Ledger(path, writable=False)
        pins = ledger.pins()
        if not model:
            model = _only(pins, self.address)
        asked = parse(model)
        if self.address.revision:
            return ledger, asked, (self.address.revision,)
        if answered := _answered(run, str(asked)):
            return ledger, asked, answered
        revision = ledger.revision(asked)
        if revision is None:
            raise UnknownNameError(f"model with answers in {path}", str(asked), pins)
        return ledger, asked, (revision,)


def _only(pins: Mapping[str, str], address: Address) -> str:
    """Return the one model of a ledger."""
    if len(pins) == 1:
        return next(iter(pins))
    known = ", ".join(pins) or "none"
    raise UsageError(
        f"{address} does not say whose answers are meant: add #MODEL, one of those there: {known}."
    )


def _of_run(run: Path) -> tuple[Path, str]:
    """Return the ledger and the model of a run directory."""
    try:
        settings: Any = json.loads((run / "run.json").read_text(encoding="utf-8"))["settings"]
        model = settings["judge"]["settings"]["model"]
        ledger = settings.get("ledger")
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{run} is no run of a judge that asks a model: it has no run.json that names one."
        ) from error
    return (default_path() if ledger is None else Path(ledger)), str(model)


def _answered(run: Path, model: str) -> tuple[str, ...]:
    """Return which revisions answered a finished run, the one that gave most answers first."""
    try:
        told: Any = json.loads((run / "audit.json").read_text(encoding="utf-8"))
        counts = dict(told["asked"][model]["revisions"])
        return tuple(sorted(counts, key=lambda name: -int(counts[name])))
    except (OSError, ValueError, LookupError, TypeError):
        return ()  # not finished, or nothing was answered
