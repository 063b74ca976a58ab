"""Pictures of one topic of an MCAP file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.episodes.faults import PARSING, worded
from assay.episodes.mcap_files.index import Place
from assay.episodes.mcap_files.messages import PICTURES
from assay.episodes.mcap_files.records import chunk_records
from assay.errors import EpisodeError
from assay.records import Image

__all__ = ["TopicPictures", "stored_messages"]


@dataclass(frozen=True, slots=True)
class TopicPictures:
    """The messages of a topic with pictures, at their places in the file."""

    file: str
    topic: str
    kind: tuple[str, str]
    places: tuple[Place, ...]

    def key(self) -> str:
        """Return the file and the topic in one text."""
        return f"{self.file}[{self.topic}]"

    def read(self, numbers: Sequence[int]) -> Iterator[bytes | Image]:
        """Yield the wanted pictures, unpacking each chunk once."""
        try:
            for data in stored_messages(self.file, [self.places[number] for number in numbers]):
                yield PICTURES[self.kind](data)
        except PARSING as error:
            raise EpisodeError(f"{self.key()} can't be read ({worded(error)}).") from error


def stored_messages(path: str, places: Iterable[Place]) -> Iterator[bytes]:
    """Yield the messages at `places` of the file; a chunk that several lie in is unpacked once.

    Raises:
        OSError, ValueError: The file has changed since it was indexed.
    """
    with Path(path).open("rb") as file:
        held, data = -1, b""
        for place in places:
            if place.record != held:
                file.seek(place.record)
                stored = file.read(place.size)
                data = chunk_records(stored) if place.chunk else stored
                held = place.record
            yield data[place.start : place.stop]
