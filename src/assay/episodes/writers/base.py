"""What a writer is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from assay.records import Episode

__all__ = ["Refused", "Writer", "Written"]


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """An episode whose own files are in their places: its number, and the writer's note on it."""

    number: int
    episode: Episode
    note: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """An episode that could not be taken up after all, and why."""

    number: int
    detail: str


@runtime_checkable
class Writer(Protocol):
    """A kind of dataset to write. A writer is one file in `writers/`, a frozen dataclass.

    Episodes are written side by side by several processes, each with its own files; what they share
    is written once, at the end. Whatever was interrupted may be written again over itself.

    Attributes:
        writes: What is written, in one line for `assay list writers`.
    """

    writes: ClassVar[str]

    def begun(self, first: Episode) -> Self:
        """Return the writer with the options that the first episode decides.

        Raises:
            UsageError: A package is missing, or the episode can't decide an option.
        """
        ...

    def write(self, episode: Episode, root: Path, number: int) -> dict[str, Any]:
        """Write the files of one episode, whole or not at all.

        Args:
            episode: What to write.
            root: The folder of the whole dataset.
            number: The episode's place, counted from 0.

        Returns:
            A note for `finish`, as plain data; `frames` counts the pictures.

        Raises:
            EpisodeError: The episode can't be written; others can.
            UsageError: Likewise.
        """
        ...

    def finish(
        self, root: Path, notes: Iterable[Mapping[str, Any]], written: Iterable[Written]
    ) -> Iterator[Refused]:
        """Write what the episodes share; the result must be gone through to its end.

        Args:
            root: The folder of the whole dataset.
            notes: The notes of all episodes.
            written: The same notes with their episodes, in order, one in memory at a time.
        """
        ...
