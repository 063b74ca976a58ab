"""Many comparisons at once: p values adjusted by Holm, and letters for policies in one group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from assay.errors import UsageError

__all__ = ["holm", "letter_groups"]

_Group: TypeAlias = frozenset[int]
_MOST_COUNTED_OUT = 12  # groups: 2^12 choices of them


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p values so that all those below alpha are right together with chance 1 - alpha.

    The i-th smallest of m is multiplied by m - i + 1, then no value is let fall below a smaller
    one, and none above 1. A None was not tested: it stays None and counts nothing.

    Cites:
        Holm (1979), "A simple sequentially rejective multiple test procedure".
    """
    tested = [(p, place) for place, p in enumerate(p_values) if p is not None]
    if not all(0.0 <= p <= 1.0 for p, _ in tested):
        raise UsageError("A p value lies between 0 and 1; one does not.")
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(sorted(tested)):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = largest
    return adjusted


def letter_groups(names: Sequence[str], separable: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give every name its letters: two names share a letter exactly if they are not separable.

    A letter stands for a largest group of names of which no two are separable. Such groups are
    found by splitting: beginning with all names in one, each separable pair that stands together in
    a group splits it in two, and groups inside others are dropped. Groups whose pairs the others
    cover are left out. The letters are the fewest that will do, unless more than 12 groups could be
    left out; then no letter is superfluous. Letters go down the order of `names`.

    Args:
        names: The policies, best first.
        separable: The pairs that are told apart, each in any order.

    Cites:
        Piepho (2004), "An algorithm for a letter-based representation of all-pairwise comparisons".
    """
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise UsageError("Letters need names that differ; one stands there twice.")
    apart = sorted({_pair(places, one, other) for one, other in separable})
    groups: list[_Group] = [frozenset(range(len(names)))] if names else []
    for i, j in apart:
        groups = _split(groups, i, j)
    groups = _fewest(sorted(groups, key=sorted))
    return {
        name: "".join(_letter(k) for k, group in enumerate(groups) if place in group)
        for name, place in places.items()
    }


def _pair(places: dict[str, int], one: str, other: str) -> tuple[int, int]:
    unknown = [name for name in (one, other) if name not in places]
    if unknown or one == other:
        raise UsageError(
            f"A separable pair needs two of the names given, not {one!r} and {other!r}."
        )
    low, high = sorted((places[one], places[other]))
    return low, high


def _split(groups: list[_Group], i: int, j: int) -> list[_Group]:
    """Split every group that holds both i and j, and drop groups inside others."""
    found = {group for group in groups if not {i, j} <= group}
    found |= {group - {out} for group in groups if {i, j} <= group for out in (i, j)}
    return [group for group in found if not any(group < other for other in found)]


def _fewest(groups: list[_Group]) -> list[_Group]:
    """Return as few groups as cover every name and every pair that stands together in one."""
    wanted = _covered(groups)
    needed = [
        group
        for group in groups
        if not _covered([group]) <= _covered(other for other in groups if other != group)
    ]
    rest = [group for group in groups if group not in needed]
    if len(rest) > _MOST_COUNTED_OUT:
        for group in sorted(rest, key=len):
            others = [other for other in rest if other != group]
            if _covered(needed + others) >= wanted:
                rest = others
        chosen = rest
    else:
        choices = (choice for count in range(len(rest) + 1) for choice in combinations(rest, count))
        chosen = list(next(c for c in choices if _covered([*needed, *c]) >= wanted))
    return sorted(needed + chosen, key=sorted)


def _covered(groups: Iterable[_Group]) -> set[tuple[int, int]]:
    """Return every pair that shares a group, and every name as a pair with itself."""
    return {(i, j) for group in groups for i in group for j in group if i <= j}


def _letter(number: int) -> str:
    """Return a .. z, then (27), (28) and so on."""
    return chr(ord("a") + number) if number < 26 else f"({number + 1})"
