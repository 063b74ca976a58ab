"""Records of a tfrecord file: length, checksum, bytes, checksum, one after the other."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.episodes.rlds.crc32c import masked

__all__ = ["Record", "records"]

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Record:
    """One record.

    Attributes:
        start: Where its bytes begin in the file.
        data: Its bytes; empty when they can't be used.
        fault: Why they can't be used, as a part of a sentence; empty when they can.
    """

    start: int
    data: bytes
    fault: str = ""


def records(path: Path) -> Iterator[Record]:
    """Yield the records of a file, one in memory at a time.

    One whose bytes don't fit their checksum is passed on with its fault. Where a length can't be
    trusted, the rest of the file can't be told apart: that is the last record, with a fault.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = 0
        while start < size:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                yield Record(start, b"", "the file ends within the length of a record")
                return
            length, check = _HEADER.unpack(header)
            if masked(header[:8]) != check:
                yield Record(start, b"", "the length of the record doesn't fit its checksum")
                return
            begin = start + _HEADER.size
            start = begin + length + _FOOTER.size
            if start > size:  # asked before anything is read: a length can claim any size
                missing = start - size
                yield Record(begin, b"", f"the file ends {missing} bytes before the record does")
                return
            data = file.read(length)
            (check,) = _FOOTER.unpack(file.read(_FOOTER.size))
            if masked(data) != check:
                yield Record(begin, b"", "the bytes of the record don't fit their checksum")
            else:
                yield Record(begin, data)
