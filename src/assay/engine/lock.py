"""A lock that one process holds and that vanishes with it, even after `kill -9`."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from assay.errors import RunError

__all__ = ["Lock"]


class Lock:
    """Hold an operating-system lock on a side file until `release` or the end of the process.

    Args:
        path: The side file; it is created, holds the owner's pid, and is removed on release.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = _acquire(path)

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._fd is None:
            return
        # Unlinked before the lock is dropped: whoever waits on this inode sees that it has no name
        # any more (`_is_current`) and starts over with a new file.
        self._path.unlink(missing_ok=True)
        os.close(self._fd)
        self._fd = None


def _acquire(path: Path) -> int | None:
    while True:
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise RunError(f"{path} can't be written: {error.strerror}.") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_current(fd, path):
                with suppress(OSError):  # a full disk: the pid only helps the message below
                    os.ftruncate(fd, 0)
                    os.pwrite(fd, str(os.getpid()).encode(), 0)
                return fd
            os.close(fd)
        except BlockingIOError as error:
            owner = os.pread(fd, 20, 0).decode(errors="replace") or "unknown"
            os.close(fd)
            raise RunError(
                f"Another process (pid {owner}) is running in {path.parent}; "
                "wait for it, or choose another directory."
            ) from error
        except OSError as error:
            os.close(fd)
            raise RunError(f"{path} can't be locked: {error.strerror}.") from error


def _is_current(fd: int, path: Path) -> bool:
    """Tell whether `path` still names the open file, so that two owners can't hold two inodes."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False
