"""Answers that were given before: no model is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from assay.errors import UnknownNameError, UsageError
from assay.models.address import parse
from assay.models.base import Address, Reply, Request
from assay.models.ledger import Ledger, default_path, key_of

__all__ = ["Replay"]


@dataclass(frozen=True)
class Replay:
    """Answer from a ledger alone: `replay:LEDGER`, `replay:LEDGER#MODEL` or `replay:RUN`.

    MODEL is the address that was asked; a ledger with answers of one model needs none. A run
    names its model and, where it has one of its own, its ledger.
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
        """Return the revision whose answers are given."""
        return self._source[2]

    def answer(self, request: Request) -> Reply:
        """Return the answer that was given to this, or how it failed."""
        ledger, asked, revision = self._source
        key = key_of(asked, revision, request)
        found = ledger.get(key) or ledger.failed(key)
        if found is not None:
            return found
        return Reply(
            status="transport",
            detail=f"{ledger.path} holds no answer of {asked} to this, and no model is asked.",
            key=key,
        )

    @cached_property
    def _source(self) -> tuple[Ledger, Address, str]:
        """Return the ledger, the model that was asked, and its revision."""
        typed = str(self.address).partition(":")[2]
        place, _, model = typed.partition("#")
        path = Path(place)
        if path.is_dir():
            path, told = _of_run(path)
            model = model or told
        ledger = Ledger(path, writable=False)
        pins = ledger.pins()
        if not model:
            model = _only(pins, self.address)
        asked = parse(model)
        revision = self.address.revision or ledger.revision(asked)
        if revision is None:
            raise UnknownNameError(f"model with answers in {path}", str(asked), pins)
        return ledger, asked, revision


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
