"""Tell again what was answered before: by the revisions that answered, and by no others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.models.base import Address, Reply, Request
from assay.models.ledger import Ledger, key_of

__all__ = ["Recall", "told_again"]


@dataclass(frozen=True)
class Recall:
    """Who answered the questions of a run.

    Attributes:
        revisions: The revisions that answered, by model. One that is not named here is looked up
            as it is pinned.
        keys: The keys of its questions, which tell whose answer it was where several revisions of
            one model answered.
    """

    revisions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    keys: frozenset[str] = frozenset()

    def of(self, model: str) -> tuple[str, ...]:
        """Return the revisions that answered as a model; none where nothing is known of it."""
        return tuple(self.revisions.get(model, ()))


def told_again(
    ledger: Ledger,
    address: Address,
    request: Request,
    revisions: Sequence[str],
    first: Collection[str] = (),
) -> Reply:
    """Return what was answered, or how it failed; where there is neither, say what is missing.

    Args:
        ledger: Where answers are.
        address: The model that was asked.
        request: The question.
        revisions: Under which answers are looked up, one or more.
        first: Keys that go before others.
    """
    keys = [key_of(address, revision, request) for revision in revisions]
    keys.sort(key=lambda key: key not in first)
    # What failed before the first answer came was stored when the revision was not yet known.
    failed = [*keys, key_of(address, "", request)]
    for look, among in ((ledger.get, keys), (ledger.failed, failed)):
        for key in among:
            if (reply := look(key)) is not None:
                return replace(reply, cached=True, attempts=0, key=key)
    why = _missing(ledger, address, request, revisions)
    return Reply(status="transport", detail=why, key=keys[0], cost=0.0)


def _missing(ledger: Ledger, address: Address, request: Request, revisions: Sequence[str]) -> str:
    """Say that there is no answer, and whose there is instead."""
    named = " or ".join(repr(revision) for revision in revisions if revision)
    told = f"{ledger.path} holds no answer of {address}{f' as {named}' if named else ''} to this"
    pinned = ledger.revision(replace(address, revision="")) or ""
    if pinned not in revisions and ledger.get(key_of(address, pinned, request)) is not None:
        told += f", only one of {pinned!r}, which is another model"
    return f"{told}, and no model is asked."
