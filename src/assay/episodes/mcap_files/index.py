"""One walk through an MCAP file: its channels, and where the messages are that are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from assay.episodes.mcap_files import records as mcap
from assay.episodes.mcap_files.messages import JOINTS, PICTURES, VIDEO, is_keyframe, unread_form

__all__ = ["Channel", "Index", "Place", "load_index"]

_JSON = "json"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message is: the record in the file, and the data in it, unpacked if it is a chunk.

    `key` is False for a picture of a video that is told by what changed.
    """

    log_time: int
    record: int
    size: int
    chunk: bool
    start: int
    stop: int
    key: bool = True


@dataclass(slots=True)
class Channel:
    """A channel: its topic, the kind of its messages, and what of them is kept.

    Attributes:
        topic: Its name.
        kind: Message encoding and name of the schema.
        places: Where its messages are, for pictures.
        data: Its messages' times [ns] and bytes, for all else that is read.
        count: How many messages it has.
        unread: The form of its first message, if it is none that is read.
    """

    topic: str
    kind: tuple[str, str]
    places: list[Place] = field(default_factory=list)
    data: list[tuple[int, bytes]] = field(default_factory=list)
    count: int = 0
    unread: str = ""

    @property
    def is_read(self) -> bool:
        """Tell whether its messages are of a kind and a form that are read."""
        known = self.kind in JOINTS or self.kind[0] == _JSON
        return not self.unread and (known or self.shows)

    @property
    def shows(self) -> bool:
        """Tell whether its messages are pictures."""
        return self.kind in PICTURES or self.kind == VIDEO

    @property
    def words(self) -> str:
        """Return its topic, with the form if that is why it is not read."""
        return f"{self.topic} ({self.unread})" if self.unread else self.topic


@dataclass(slots=True)
class Index:
    """What a file holds: channels by number, and metadata by name."""

    channels: dict[int, Channel] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)


def load_index(path: Path) -> Index:
    """Return the index of the file at `path`.

    Raises:
        ValueError: The file is damaged.
    """
    index = Index()
    schemas: dict[int, str] = {0: ""}
    with path.open("rb") as file:
        for opcode, at, data in mcap.records(file, path):
            if opcode == mcap.CHUNK:
                inner = mcap.chunk_records(data)
                for code, start, stop in mcap.inner_records(inner):
                    place = (at, len(data), True)
                    _take(index, schemas, code, inner, start, stop, place)
            else:
                _take(index, schemas, opcode, data, 0, len(data), (at, len(data), False))
    return index


def _take(
    index: Index,
    schemas: dict[int, str],
    opcode: int,
    data: bytes,
    start: int,
    stop: int,
    place: tuple[int, int, bool],
) -> None:
    cursor = mcap.Cursor(data, start, stop)
    if opcode == mcap.SCHEMA:
        number = cursor.number(2)
        schemas[number] = cursor.text()
    elif opcode == mcap.CHANNEL:
        number, schema = cursor.number(2), cursor.number(2)
        topic, encoding = cursor.text(), cursor.text()
        index.channels.setdefault(number, Channel(topic, (encoding, schemas.get(schema, ""))))
    elif opcode == mcap.METADATA:
        name = cursor.text()
        index.metadata[name] = cursor.texts()
    elif opcode == mcap.MESSAGE:
        found = mcap.message(data, start, stop)
        channel = index.channels.get(found.channel)
        if channel is None:
            raise ValueError(f"a message is of the channel {found.channel}, which is not there")
        channel.count += 1
        content = data[found.start : found.stop]
        if channel.count == 1:
            channel.unread = unread_form(channel.kind, content)
        if not channel.is_read:
            return
        if channel.shows:
            key = channel.kind != VIDEO or is_keyframe(content)
            channel.places.append(Place(found.log_time, *place, found.start, found.stop, key))
        else:
            channel.data.append((found.log_time, content))
