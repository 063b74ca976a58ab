"""Tell policies with the same success apart by their other metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.reports import words
from assay.reports._layout import Cell, Grid
from assay.reports._seconded import seconded

__all__ = ["told_apart"]

_METRICS = ("mp", "cra", "str")


@dataclass(frozen=True)
class _Pair:
    """Two policies of one panel with the same success.

    Attributes:
        panel: The panel.
        names: The two series.
        cells: Their cells.
        rate: Their success.
        firm: The metrics whose intervals lie apart, and whose bands of sensitivity do not meet.
        loose: The metrics whose intervals lie apart although their bands meet.
    """

    panel: str
    names: tuple[str, str]
    cells: tuple[Cell, Cell]
    rate: float
    firm: Sequence[str]
    loose: Sequence[str]

    def order(self) -> tuple[bool, float, float, str]:
        """Put firm pairs first, then the lowest success, then the widest gap."""
        return not self.firm, self.rate, -_gap(self.cells, self.widest()), self.panel

    def by_regret(self) -> tuple[float, int, float, str]:
        """Put the lowest success first, then pairs that differ in regret and little else."""
        first, second = (cell["mp"]["value"] for cell in self.cells)
        return (
            self.rate,
            len(self.firm),
            abs(first - second) - _gap(self.cells, "cra"),
            self.panel,
        )

    def widest(self) -> str:
        """Return the metric in which the two lie furthest apart."""
        return max(self.firm or self.loose, key=lambda key: _gap(self.cells, key))

    def values(self, keys: Sequence[str]) -> str:
        """Word the two values of each metric."""
        a, b = self.cells
        return words.listing(
            f"{key.upper()} ({words.number(a[key])} against {words.number(b[key])})" for key in keys
        )


def told_apart(grid: Grid, beside: Sequence[Mapping[str, Any]] = ()) -> list[str]:
    """Tell of two policies with the same success whose other metrics lie apart.

    A metric is said to differ only if neither the intervals nor the bands of sensitivity meet. A
    second pair is told of when regret is not what the first differs in most, and another pair
    differs in regret: to give progress back is another way to fail than to stop.

    Args:
        grid: The cells.
        beside: What other judges say of the same cells.
    """
    found = [
        pair
        for panel in grid.panels
        for one, two in combinations(grid.row(panel), 2)
        if (pair := _pair(panel, one, two)) is not None
    ]
    if not found:
        return []
    first = min(found, key=_Pair.order)
    said = [*_told(first), *_seconded(grid, first, first.widest(), beside)]
    losing = [pair for pair in found if "cra" in pair.firm and pair is not first]
    if losing and first.widest() != "cra":
        other = min(losing, key=_Pair.by_regret)
        said += [*_told(other), *_seconded(grid, other, "cra", beside)]
    return said


def _told(pair: _Pair) -> list[str]:
    where = f"On {words.quoted(pair.panel)}, " if pair.panel else ""
    rate = f"{words.listing(pair.names)} have the same success rate, {words.points(pair.rate)}"
    but = "but under other settings of the analysis their bands overlap."
    if not pair.firm:
        what = pair.values(pair.loose)
        return [f"{where}{rate}; the intervals of {what} do not overlap, {but}"]
    nor = ", nor do their bands of sensitivity" if _has_bands(pair) else ""
    what = pair.values(pair.firm)
    said = [f"{where}{rate}, but differ in {what}: these intervals do not overlap{nor}."]
    if pair.loose:
        said.append(f"The intervals of {pair.values(pair.loose)} do not overlap either, {but}")
    return said


def _seconded(grid: Grid, pair: _Pair, key: str, beside: Sequence[Mapping[str, Any]]) -> list[str]:
    return seconded(grid, [(pair.panel, name) for name in pair.names], key, beside)


def _pair(panel: str, one: tuple[str, Cell], two: tuple[str, Cell]) -> _Pair | None:
    (a, left), (b, right) = one, two
    rate = _same_success(left, right)
    apart = [key for key in _METRICS if _gap((left, right), key) > 0]
    if rate is None or not apart:
        return None
    loose = [key for key in apart if words.bands_meet(_band(left, key), _band(right, key))]
    firm = [key for key in apart if key not in loose]
    return _Pair(panel, (a, b), (left, right), rate, firm, loose)


def _gap(cells: tuple[Cell, Cell], key: str) -> float:
    return words.gap(cells[0].get(key), cells[1].get(key))


def _band(cell: Cell, key: str) -> words.Band:
    found: words.Band = (cell.get("sensitivity") or {}).get(key)
    return found


def _has_bands(pair: _Pair) -> bool:
    return all(_band(cell, key) for cell in pair.cells for key in pair.firm)


def _same_success(left: Cell, right: Cell) -> float | None:
    ends = [(cell.get("success") or {}).get("end") for cell in (left, right)]
    values = {None if end is None else end.get("value") for end in ends}
    return values.pop() if len(values) == 1 else None
