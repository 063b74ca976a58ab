"""What a ledger says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Held", "Info", "Merged"]


@dataclass(frozen=True, slots=True)
class Held:
    """What a ledger holds of one revision of a model.

    Attributes:
        model: `provider:name[@url]`.
        revision: As the endpoint named it.
        answers: Usable answers.
        failures: Questions that only failed so far.
        input_tokens: Of all these together.
        output_tokens: The same.
        cost: What they cost together [USD], as far as prices were known.
        pinned: Whether questions to the model are looked up under this revision.
    """

    model: str
    revision: str
    answers: int
    failures: int
    input_tokens: int
    output_tokens: int
    cost: float
    pinned: bool


@dataclass(frozen=True, slots=True)
class Info:
    """What a ledger is and holds.

    Attributes:
        path: The file.
        mode: "wal" for a write-ahead log, "delete" for a rollback journal.
        size: Bytes of the file.
        held: What it holds, by model and revision.
    """

    path: Path
    mode: str
    size: int
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of taking in another ledger; nothing was overwritten.

    Attributes:
        added: Answers that were new.
        known: Answers that were there, to the letter.
        differing: Questions that have another answer here, which was kept.
        unpinned: Models for which another revision is pinned here, which was kept.
    """

    added: int
    known: int
    differing: int
    unpinned: tuple[str, ...]
