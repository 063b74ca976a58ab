"""Hold a run to one revision of each model: answers of two would look like one model's.

What a unit of work was answered by is known: `(model, revision)` for each model that it asked. A
result of another revision than the one that is pinned now is made anew where that can be done, and
else the run is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from assay.errors import RunError
from assay.models.session import Session

__all__ = ["By", "asked_by", "hold", "up_to_date"]

By: TypeAlias = tuple[str, str]
"""A model, `provider:name[@url]`, and the revision as which it answered."""


def up_to_date(session: Session | None) -> Callable[[Iterable[By]], bool]:
    """Return what tells of a result whether those who answered are pinned now, or nothing is."""
    pinned = {} if session is None else session.revisions()
    return lambda by: all(pinned.get(model, revision) == revision for model, revision in by)


def hold(session: Session | None, run: Path, answered: Iterable[Collection[By]]) -> None:
    """Hold each model to the revision that answered what is there.

    Args:
        session: Through which models are asked; None if none is.
        run: The run directory.
        answered: Who answered each of the results that stay.

    Raises:
        RunError: Another revision is pinned now, and these results can't be made anew.
    """
    if session is None:
        return
    pinned = session.revisions()
    for model, revision in sorted({by for one in answered for by in one}):
        if pinned.get(model, revision) != revision:
            raise RunError(
                f"{run} was begun with {model} as {revision!r}, and it is pinned to"
                f" {pinned[model]!r} now; the two are never mixed. Choose another --out, or go"
                f" back: assay ledger pin {model} {revision}"
            )
        session.expect(model, revision)


def asked_by(answered: Iterable[Collection[By]]) -> dict[str, Any]:
    """Return what a document says of the models under `asked`; nothing where none was asked.

    That is how many results each revision of a model has a part in.
    """
    told: dict[str, dict[str, dict[str, int]]] = {}
    for (model, revision), count in sorted(Counter(by for one in answered for by in one).items()):
        told.setdefault(model, {"revisions": {}})["revisions"][revision] = count
    return {"asked": told} if told else {}
