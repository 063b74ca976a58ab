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

    Two things a format may say beyond that:

    - `last_resort = True`: it claims much, as any folder with a video in it, so that any other
      format that claims the same path goes first.
    - a field `trust_pickles: bool = False` (of a frozen dataclass): its files hold pickles, which
      can run code when they are opened. The field is true only when the person at the command
      line said `--trust-pickles`; without it, `read` refuses and says so.
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
