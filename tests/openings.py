"""Files that are opened, told by the kernel: also those that a library in C opens by itself."""

from __future__ import annotations

import ctypes
import os
import struct
from contextlib import suppress
from pathlib import Path

__all__ = ["Openings"]

IN_OPEN = 0x20
EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows


class Openings:
    """Notes which files below some folders are opened (Linux: inotify).

    Args:
        folders: Folders to watch, each with all folders in it at this time.
    """

    def __init__(self, *folders: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            raise OSError(ctypes.get_errno(), "inotify can't be used")
        self._watches: dict[int, Path] = {}
        for folder in folders:
            for inner in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
                self._watches[self._watch(inner)] = inner

    def _watch(self, folder: Path) -> int:
        watch: int = self._libc.inotify_add_watch(self._queue, os.fsencode(folder), IN_OPEN)
        if watch < 0:
            raise OSError(ctypes.get_errno(), f"{folder} can't be watched")
        return watch

    def take(self) -> set[Path]:
        """Return the files that were opened since the last call."""
        found = set()
        with suppress(BlockingIOError):  # nothing more to read
            while data := os.read(self._queue, 1 << 16):
                at = 0
                while at < len(data):
                    watch, _, _, length = EVENT.unpack_from(data, at)
                    name = data[at + EVENT.size : at + EVENT.size + length].rstrip(b"\0")
                    if name:
                        found.add(self._watches[watch] / os.fsdecode(name))
                    at += EVENT.size + length
        return found

    def close(self) -> None:
        """Watch no more."""
        os.close(self._queue)
