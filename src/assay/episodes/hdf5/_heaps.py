"""A file that HDF5 reads through, and that stops it before it hangs.

The library walks through a heap of texts object by object. An object of no size, as in a damaged
file, would keep it in place for ever (HDF5 up to 2.0). Whatever it reads passes through here, and
a heap that does not add up is refused.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path

__all__ = ["GuardedFile"]

_HEAP = b"GCOL\x01"  # the mark of a global heap, and the one version there is
_HEAD, _OBJECT = 16, 16  # bytes before the objects, and before the content of each
_MOST = 1 << 30


class GuardedFile(io.RawIOBase):
    """A file, read only, whose heaps are checked as they are read."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._size = path.stat().st_size
        self._sound: set[int] = set()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # h5py hands a view
        """Fill `buffer` from the place that was sought."""
        place = self._file.tell()
        count = self._file.readinto(buffer)
        data = bytes(buffer[:count])
        start = data.find(_HEAP)
        while start >= 0:
            self._check(place + start)
            start = data.find(_HEAP, start + 1)
        self._file.seek(place + count)
        return count

    def _check(self, heap: int) -> None:
        """Walk through the heap at `heap` as the library would.

        Raises:
            ValueError: An object has no size, or one that leads out of the heap.
        """
        if heap in self._sound:
            return
        self._file.seek(heap)
        head = self._file.read(_HEAD)
        size = int.from_bytes(head[8:], "little") if len(head) == _HEAD else 0
        if not _HEAD <= size <= min(_MOST, self._size - heap):
            raise ValueError("a heap of texts is damaged")
        data = head + self._file.read(size - _HEAD)
        place = _HEAD
        while place + _OBJECT <= size:
            index, _, length = struct.unpack_from("<HHxxxxQ", data, place)
            taken = _OBJECT + (length + 7) // 8 * 8 if index else length
            if taken < _OBJECT or place + taken > size:
                raise ValueError("a heap of texts is damaged")
            place += taken
        self._sound.add(heap)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._file.tell()

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that it can be sought in."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
