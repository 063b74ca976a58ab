"""The contract of encoders: pictures and words as directions in one space."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from assay import plugins
from assay.errors import UsageError
from assay.records import Floats, Image

__all__ = ["Encoder", "make_encoder"]

_ENCODERS = "assay.models.encoders"


@runtime_checkable
class Encoder(Protocol):
    """A frozen dataclass made from the path of its weights; nothing is loaded until it is asked.

    Attributes:
        path: A folder or a file of weights.
        threads: How many threads it computes with; one suits judges, which run in as many
            processes as there are cores.
        batch: How many pictures or texts go through at once.
    """

    path: Path
    threads: int
    batch: int

    def check(self) -> None:
        """Raise what would stop every call: no packages, no weights, weights of another kind."""
        ...

    def revision(self) -> str:
        """Return what tells its weights from all others."""
        ...

    def pictures(self, images: Sequence[Image]) -> Floats:
        """Return one row of length 1 per picture, of shape (N, D).

        Args:
            images: uint8 RGB of shape (H, W, 3), of any sizes.
        """
        ...

    def words(self, texts: Sequence[str]) -> Floats:
        """Return one row of length 1 per text, of shape (N, D).

        Raises:
            UsageError: The encoder knows pictures only.
        """
        ...


def make_encoder(text: str, threads: int = 1) -> Encoder:
    """Return the encoder that `name:path` says, such as `clip:/models/clip-vit-b-32`.

    Raises:
        UnknownNameError: No encoder has that name.
        UsageError: The path is missing, or there are no threads.
    """
    name, _, path = text.strip().partition(":")
    found = plugins.find(_ENCODERS, name)
    if not path:
        raise UsageError(
            f"An encoder is name:path, such as clip:/models/clip; {text!r} has no path."
        )
    if threads < 1:
        raise UsageError(f"An encoder computes with at least 1 thread, not {threads}.")
    encoder: Encoder = found(Path(path).expanduser(), threads=threads)
    return encoder
