"""Word what the judges beside the main one make of two policies that it tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.reports import words
from assay.reports._agreeing import named
from assay.reports._layout import Cell, Grid

__all__ = ["seconded"]

_SAME = 1e-9


def seconded(
    grid: Grid,
    places: Sequence[tuple[str, str]],
    key: str,
    beside: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Say whether other judges put two policies in the same order; nothing without other judges.

    Args:
        grid: The main judge's cells.
        places: Panel and series of the two policies.
        key: The metric that they are compared by.
        beside: The judges' entries in `audit.json`; their cells have the order of the main ones.
    """
    if not beside:
        return []
    at = [list(grid.by_place).index(place) for place in places]
    main = [grid.by_place[place] for place in places]
    told = [
        f"by {named(one)}: {_verdict(main, [one['cells'][i] for i in at], key)}" for one in beside
    ]
    return [f"{key.upper()} {'; '.join(told)}."]


def _verdict(main: Sequence[Cell], other: Sequence[Cell], key: str) -> str:
    first, second = (cell[key] for cell in other)
    if words.reason(first) or words.reason(second):
        return "not scored"
    numbers = f"{words.number(first)} against {words.number(second)}"
    apart = second["value"] - first["value"]
    if abs(apart) <= _SAME:
        return f"{numbers}, no difference"
    if apart * (main[1][key]["value"] - main[0][key]["value"]) < 0:
        return f"{numbers}, the other way round"
    overlap = "" if words.gap(first, second) else ", but the intervals overlap"
    return f"{numbers}, the same order{overlap}"
