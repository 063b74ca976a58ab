"""Find a series of answers, one per picture, in what a model said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assay.models._reading import Unusable

__all__ = ["series_in"]

_LINE = re.compile(
    r"(?mi)^\W*(?:frame|image|picture|moment|step)?\s*#?\s*(\d+)\s*(?:[:.)=]|-\s|\bis\b)+\s*(\S.*)$"
)
_LIST = re.compile(r"\[([^\[\]]*)\]")
_MOST_DIGITS = 9  # Python refuses to read thousands of them, and no picture has such a number


def series_in(said: Sequence[object] | Mapping[str, object] | str, count: int) -> list[object]:
    """Return `count` answers in the order of the pictures, still unread.

    Args:
        said: A list in order, a mapping by the picture's number ("frame_2"), or cleaned text with
            one numbered line per picture or one list in brackets.
        count: How many pictures there are; they are numbered from 1.

    Raises:
        Unusable: There are more, fewer or others than `count`.
    """
    if isinstance(said, str):
        lines = _LINE.findall(said)
        lists = _LIST.findall(said)
        if not lines and len(lists) == 1:
            return _ordered(lists[0].split(","), count)
        return _by_number([(_place(number), rest) for number, rest in lines], count)
    if isinstance(said, Mapping):
        pairs = [(re.findall(r"\d+", name), value) for name, value in said.items()]
        return _by_number([(_place(n[-1]), value) for n, value in pairs if n], count)
    return _ordered(said, count)


def _place(digits: str) -> int:
    """Return the number of a picture."""
    if len(digits) > _MOST_DIGITS:
        raise Unusable(f"It names a picture by a number of {len(digits)} digits.")
    return int(digits)


def _ordered(values: Sequence[object], count: int) -> list[object]:
    if len(values) != count:
        raise Unusable(f"It holds {len(values)} answers where {count} were asked for.")
    return list(values)


def _by_number(pairs: Sequence[tuple[int, object]], count: int) -> list[object]:
    found = dict(pairs)
    if len(found) != len(pairs) or set(found) != set(range(1, count + 1)):
        asked = f"one for each of the numbers 1 to {count}"
        raise Unusable(f"It holds {len(pairs)} numbered answers; {asked} was asked for.")
    return [found[number] for number in range(1, count + 1)]
