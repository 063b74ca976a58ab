"""Messages of ROS 2 as they are stored: plain CDR."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

__all__ = ["Cdr"]

_DEEPEST = 1_000_000  # entries of a list


class Cdr:
    """Read a message of ROS 2: numbers are aligned to their size, counted after four bytes."""

    def __init__(self, data: bytes) -> None:
        if len(data) < 4 or data[1] not in (0, 1):
            raise ValueError("the message is not in plain CDR")
        self._data, self._at = data, 4
        self._order = "<" if data[1] == 1 else ">"

    def header(self) -> None:
        """Pass over a std_msgs/Header."""
        self.number("i")
        self.number("I")
        self.text()

    def number(self, kind: str) -> int:
        """Return one number, as `struct` names its kind."""
        form = struct.Struct(self._order + kind)
        self._align(form.size)
        return int(form.unpack(self.take(form.size))[0])

    def count(self) -> int:
        """Return the length of a list."""
        count = self.number("I")
        if count > min(_DEEPEST, len(self._data)):
            raise ValueError("a list is longer than its message")
        return count

    def text(self) -> str:
        """Return a text; its length counts the null at its end."""
        return self.take(self.number("I")).rstrip(b"\0").decode("utf-8")

    def doubles(self) -> npt.NDArray[np.float64]:
        """Return a list of numbers with a point."""
        count = self.count()
        if count:
            self._align(8)
        return np.frombuffer(self.take(8 * count), f"{self._order}f8").astype(np.float64)

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        end = self._at + size
        if end > len(self._data):
            raise ValueError("a part of the message is longer than the message")
        part = self._data[self._at : end]
        self._at = end
        return part

    def _align(self, size: int) -> None:
        self._at += -(self._at - 4) % size
