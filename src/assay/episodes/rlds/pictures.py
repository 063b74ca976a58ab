"""Pictures of one view inside a tfrecord file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.episodes.wire import blobs
from assay.errors import EpisodeError

__all__ = ["ExamplePictures"]


@dataclass(frozen=True, slots=True)
class ExamplePictures:
    """The list of bytes at `start` to `stop` of a tfrecord file, read when asked for."""

    file: str
    key_name: str
    start: int
    stop: int

    def key(self) -> str:
        """Return the file, the feature and the place in one text."""
        return f"{self.file}[{self.key_name}][{self.start}:{self.stop}]"

    def read(self, numbers: Sequence[int]) -> Iterator[bytes]:
        """Yield the wanted pictures."""
        try:
            with Path(self.file).open("rb") as file:
                file.seek(self.start)
                data = file.read(self.stop - self.start)
            places = list(blobs(data, 0, len(data)))
        except (OSError, ValueError) as error:
            raise EpisodeError(f"{self.key()} can't be read ({error}).") from error
        for number in numbers:
            if number >= len(places):
                raise EpisodeError(f"{self.key()} has no picture {number}.")
            yield data[slice(*places[number])]
