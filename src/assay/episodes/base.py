"""What a format is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

from assay.records import Episode, Unreadable

__all__ = ["Format"]


@runtime_checkable
class Format(Protocol):
    """A kind of recorded dataset. A format is one file in `formats/`; it keeps no state.

    Attributes:
        reads: What the format looks like on disk, in one line for `assay list formats`.

    A format that takes any folder with files of a kind, such as videos, says `last_resort = True`:
    it then stands back where another format claims the path too.
    """

    reads: ClassVar[str]

    def sniff(self, path: Path) -> bool:
        """Tell from names and a look at the first bytes whether `path` is of this format."""
        ...

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes, one at a time and in a fixed order.

        A fault of one episode yields an `Unreadable`; a fault of the dataset raises `InputError`.
        """
        ...
