"""Files spoilt at random, and a reader that wants everything of what is left."""

from __future__ import annotations

import contextlib

import numpy as np

from assay.episodes import catalogue
from assay.errors import AssayError
from assay.records import Unreadable

__all__ = ["mutated", "read_everything"]

_NASTY = (b"\x00", b"\xff", b"\x80", b"\xff" * 4, b"\x00\x00\x00\x80", b"../", b"[")


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Return `data` with a few bytes changed, a piece taken out, put in twice, or cut off."""
    found = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        # Half of the blows fall on the first kilobytes, where headers and names are.
        reach = min(len(found), 4096) if rng.random() < 0.5 else len(found)
        place = int(rng.integers(0, max(reach, 1)))
        length = int(rng.integers(1, 64))
        kind = rng.integers(0, 5)
        if kind == 0:
            found[place : place + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            nasty = _NASTY[int(rng.integers(0, len(_NASTY)))]
            found[place : place + len(nasty)] = nasty
        elif kind == 2:
            del found[place : place + length]
        elif kind == 3:
            found[place:place] = found[place : place + length]
        elif rng.random() < 0.2:
            del found[place:]
    return bytes(found)


def read_everything(path) -> int:
    """Read all episodes at `path` and two frames of each view; return how much could be read.

    Only our own errors are allowed, and they are all caught here.
    """
    count = 0
    with contextlib.suppress(AssayError):
        if not catalogue.sniff(path):
            return 0
        for episode in catalogue.read(path, trust_pickles=True):
            if isinstance(episode, Unreadable):
                assert episode.detail
                continue
            count += 1
            for view in episode.views.values():
                count += _seen(view, np.array([0.0, episode.duration()]))
    return count


def _seen(view, times) -> int:
    with contextlib.suppress(AssayError):
        images = list(view.frames.at(times))
        assert {(image.dtype, image.ndim) for image in images} == {(np.dtype(np.uint8), 3)}
        return len(images)
    return 0
