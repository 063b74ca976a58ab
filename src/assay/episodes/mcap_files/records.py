"""Records of an MCAP file: an opcode, a length, and so many bytes; chunks hold records again.

Cites: the MCAP format specification, version 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from assay.errors import MissingExtraError

__all__ = [
    "CHANNEL",
    "CHUNK",
    "MAGIC",
    "MESSAGE",
    "METADATA",
    "SCHEMA",
    "Cursor",
    "Message",
    "chunk_records",
    "inner_records",
    "message",
    "records",
]

MAGIC = b"\x89MCAP0\r\n"
SCHEMA = 0x03
CHANNEL = 0x04
MESSAGE = 0x05
CHUNK = 0x06
METADATA = 0x0C
_FOOTER = 0x02
_DATA_END = 0x0F
_HEADER = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<HIQQ")
MOST_BYTES = 1 << 28  # of one chunk, unpacked, and of one record


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its channel, its time [ns], and where its data is in the bytes it came from."""

    channel: int
    log_time: int
    start: int
    stop: int


class Cursor:
    """Read the parts of a record one after the other; none may leave it."""

    def __init__(self, data: bytes, at: int = 0, stop: int | None = None) -> None:
        self.data, self.at = data, at
        self.stop = len(data) if stop is None else stop

    def number(self, size: int) -> int:
        """Return an unsigned number of `size` bytes."""
        return int.from_bytes(self.take(size), "little")

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        end = self.at + size
        if size < 0 or end > self.stop:
            raise ValueError("a part of the record is longer than the record")
        part = self.data[self.at : end]
        self.at = end
        return part

    def text(self) -> str:
        """Return a text with its length before it."""
        return self.take(self.number(4)).decode("utf-8")

    def texts(self) -> dict[str, str]:
        """Return a map of texts."""
        inner = Cursor(self.take(self.number(4)))
        found = {}
        while inner.at < inner.stop:
            key = inner.text()
            found[key] = inner.text()
        return found


def records(file: BinaryIO, path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield opcode, place and bytes of each record of the data section.

    Raises:
        ValueError: The file is cut off, or a length can't be true.
    """
    size = path.stat().st_size
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it does not begin as an MCAP file")
    at = len(MAGIC)
    while True:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise ValueError("the file is cut off")
        opcode, length = _HEADER.unpack(header)
        at += _HEADER.size
        if at + length > size:  # asked before anything is read: a length can claim any size
            raise ValueError("the file is cut off within a record")
        if opcode in (_DATA_END, _FOOTER):
            return
        if opcode in (SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA):
            if length > MOST_BYTES:
                raise ValueError(f"a record has {length} bytes; at most {MOST_BYTES} are read")
            yield opcode, at, file.read(length)
        else:
            file.seek(length, 1)
        at += length


def chunk_records(chunk: bytes) -> bytes:
    """Return the unpacked records of a chunk.

    Raises:
        ValueError: The chunk is damaged, or larger than it says.
        MissingExtraError: A package is needed to unpack it.
    """
    cursor = Cursor(chunk)
    cursor.take(16)  # first and last time
    size, _ = cursor.number(8), cursor.number(4)
    compression = cursor.text()
    packed = cursor.take(cursor.number(8))
    if size > MOST_BYTES:
        raise ValueError(f"a chunk has {size} bytes; at most {MOST_BYTES} are read")
    if compression == "":
        found = packed
    elif compression == "zstd":
        found = _zstd(packed, size)
    elif compression == "lz4":
        found = _lz4(packed, size)
    else:
        raise ValueError(f"a chunk has the unknown compression {compression[:20]!r}")
    if len(found) != size:
        raise ValueError(f"a chunk has {len(found)} bytes and says {size}")
    return found


def inner_records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield opcode, begin and end of each record in an unpacked chunk."""
    at = 0
    while at < len(data):
        if at + _HEADER.size > len(data):
            raise ValueError("a chunk ends within a record")
        opcode, length = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if at + length > len(data):
            raise ValueError("a record is longer than its chunk")
        yield opcode, at, at + length
        at += length


def message(data: bytes, start: int, stop: int) -> Message:
    """Return the message whose record is at `start` to `stop` of `data`."""
    if stop - start < _MESSAGE.size:
        raise ValueError("a message is cut off")
    channel, _, log_time, _ = _MESSAGE.unpack_from(data, start)
    return Message(channel, log_time, start + _MESSAGE.size, stop)


def _zstd(packed: bytes, size: int) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("Reading this MCAP file", "zstandard", "mcap") from error
    try:
        if zstandard.frame_content_size(packed) > size:
            raise ValueError("a chunk would unpack to more than it says")
        found: bytes = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size + 1)
    except zstandard.ZstdError as error:
        raise ValueError(f"a chunk can't be unpacked ({error})") from error
    return found


def _lz4(packed: bytes, size: int) -> bytes:
    try:
        from lz4.frame import LZ4FrameDecompressor
    except ImportError as error:
        raise MissingExtraError("Reading this MCAP file", "lz4", "mcap") from error
    try:
        found: bytes = LZ4FrameDecompressor().decompress(packed, max_length=size)
    except (RuntimeError, EOFError) as error:
        raise ValueError(f"a chunk can't be unpacked ({error})") from error
    return found
