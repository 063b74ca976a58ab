"""Words of an instruction as numbers."""

from __future__ import annotations

import re
import zlib
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["LENGTH", "VOCABULARY", "tokens"]

VOCABULARY: Final = 1024
LENGTH: Final = 40


def tokens(instruction: str) -> npt.NDArray[np.int64]:
    """Return the number of each word, of shape (LENGTH,); 0 fills up.

    A word's number is a hash of its letters: no list of words has to be kept, and a word that was
    never seen gets a number all the same, if one that means nothing. What comes after the first
    40 words is left out.
    """
    words = re.findall(r"[^\W\d_]+|\d+", instruction.lower())[:LENGTH]
    numbers = [1 + zlib.crc32(word.encode()) % (VOCABULARY - 1) for word in words]
    return np.array(numbers + [0] * (LENGTH - len(numbers)), dtype=np.int64)
