"""How alike two descriptions of an event are, 0..1.

A judge of texts reads for sense. Where there is none, words are counted: `shared-words` is 1
exactly for equal texts, and 0 without a common content word. Every result names its similarity,
since figures by different ones can't be compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Protocol

import numpy as np

from assay.metrics.results import Floats

__all__ = ["FALLBACK", "SharedWords", "Similarity", "from_axes"]

FALLBACK: Final = "shared-words"
_WORD: Final = re.compile(r"[^\W_][^ ']*(?:'[^ '\d]+)?")  # where blanks stand for all but words
_APOSTROPHES: Final = str.maketrans("\u2019\u02bc", "''")
# Chinese and Japanese put no blanks between words: Han, the marks that repeat it, and kana.
_UNBROKEN: Final = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)
# Words that two texts share by speaking the same language, and not by saying the same.
_PLAIN: Final = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at be been being but by can did do does for from had has have he her his how
        i if in into is it its itself just more most no not of off on onto or out over she so some
        such than that the their them then there these they this those through to too up was we were
        what when where which while who will with would you your
        """,
    )
)
_BELOW_ONE: Final = float(np.nextafter(1.0, 0.0))


class Similarity(Protocol):
    """Whoever compares descriptions; pairs come all at once, so that a model can be asked once."""

    @property
    def name(self) -> str:
        """Return what results call it."""
        ...

    def compare(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Return how alike the two texts of each pair are, of shape (m,), 0..1."""
        ...


class SharedWords:
    """Compare texts by the content words they share, counted: Dice's coefficient.

    2 |A and B| / (|A| + |B|) over bags of content words without endings. Words are of any script;
    of Chinese and Japanese each two characters that stand side by side count as one. Plain words
    and endings are English ones. Texts that differ in anything but blanks at their ends stay just
    below 1.

    Cites:
        Dice (1945), "Measures of the amount of ecologic association between species".
    """

    name = FALLBACK

    def compare(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Return how alike the two texts of each pair are."""
        return np.array([_dice(a, b) for a, b in pairs], dtype=np.float64)


def from_axes(faithful: float, specific: float, causal: float) -> float:
    """Return S of a judge's three marks, each 0..5: their mean over 5."""
    return (faithful + specific + causal) / 15.0


def _dice(a: str, b: str) -> float:
    if a.strip() == b.strip():
        return 1.0
    one, other = _bag(a), _bag(b)
    shared, total = (one & other).total(), one.total() + other.total()
    return min(2.0 * shared / total, _BELOW_ONE) if total else 0.0


@lru_cache(maxsize=1 << 16)  # descriptions of a benchmark come up again with every system
def _bag(text: str) -> Counter[str]:
    """Return how often each content word stands in a text, without the commonest endings."""
    return Counter(_stem(word) for word in _words(text) if word not in _PLAIN)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text of any script, in small letters.

    A word goes on over marks, such as the vowels of Hindi, which `re` takes for its end.
    """
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    spaced = "".join(c if c == "'" or unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    for run in _UNBROKEN.findall(spaced):
        yield from (run[k : k + 2] for k in range(max(1, len(run) - 1)))
    yield from _WORD.findall(_UNBROKEN.sub(" ", spaced))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
