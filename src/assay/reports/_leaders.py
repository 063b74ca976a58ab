"""Say who leads: by what, by how much, and whether the intervals overlap."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assay.reports import words
from assay.reports._cells import Cell, Grid

__all__ = ["leaders"]

_FEW_PANELS = 3
"""Up to so many tasks get a sentence each; more are summed up."""

_NAMES = {"success": "success rate", "mp": "MP"}
_ONE = {"success": "a success rate", "mp": "an MP"}


@dataclass(frozen=True)
class _Place:
    """A candidate in a ranking and its estimate."""

    name: str
    estimate: words.Estimate

    @property
    def value(self) -> float:
        return float(self.estimate["value"]) if self.estimate else 0.0

    def told(self) -> str:
        return f"{words.number(self.estimate)} ({words.count(self.estimate)})"


@dataclass(frozen=True)
class _Ranking:
    """The candidates of one panel by one metric, best first; `why` it is not by success."""

    panel: str
    by: str
    places: list[_Place]
    why: str = ""


def leaders(grid: Grid) -> list[str]:
    """Return the sentences on who leads in each panel, or over many of them."""
    if len(grid.series) == 1:
        return _alone(grid)
    found = (_ranking(panel, grid.row(panel)) for panel in grid.panels)
    rankings = [ranking for ranking in found if ranking.places]
    if len(rankings) <= _FEW_PANELS:
        return [_lead(ranking) for ranking in rankings]
    return _summed_up(rankings)


def _ranking(panel: str, row: list[tuple[str, Cell]]) -> _Ranking:
    """Rank by success where it tells at least two apart, else by MP."""
    by_success = _sorted({name: (cell.get("success") or {}).get("end") for name, cell in row})
    if len({place.value for place in by_success}) > 1:
        return _Ranking(panel, "success", by_success)
    reasons = ("there are no success labels", "only one has success labels")
    why = "all have the same success rate" if len(by_success) > 1 else reasons[len(by_success)]
    return _Ranking(panel, "mp", _sorted({name: cell.get("mp") for name, cell in row}), why)


def _sorted(found: dict[str, words.Estimate]) -> list[_Place]:
    places = [_Place(name, e) for name, e in found.items() if e and e.get("value") is not None]
    return sorted(places, key=lambda place: -place.value)


def _lead(ranking: _Ranking) -> str:
    first, *rest = ranking.places
    what = _NAMES[ranking.by]
    where = _where(ranking)
    if not rest:
        return f"{where}only {first.name} has {_ONE[ranking.by]}: {first.told()}."
    second = rest[0]
    if first.value == second.value:
        tied = [place.name for place in ranking.places if place.value == first.value]
        return f"{where}{words.listing(tied)} share the highest {what}, {first.told()}."
    return (
        f"{where}{first.name} has the highest {what}, {first.told()}, "
        f"{words.points(first.value - second.value)} points above {second.name}, "
        f"{second.told()}; {_overlap(first.estimate, second.estimate)}."
    )


def _where(ranking: _Ranking) -> str:
    if ranking.panel:
        return f"On {words.quoted(ranking.panel)}, " + (
            f"where {ranking.why}, " * bool(ranking.why)
        )
    return f"As {ranking.why}, the comparison is by MP: " if ranking.why else ""


def _alone(grid: Grid) -> list[str]:
    """Tell how one policy does, at its best and its worst task."""
    name = grid.series[0]
    found = {panel: cell for panel in grid.panels for _, cell in grid.row(panel)}
    by_success = _sorted({p: (c.get("success") or {}).get("end") for p, c in found.items()})
    by = "success" if by_success else "mp"
    places = by_success or _sorted({p: c.get("mp") for p, c in found.items()})
    if not places:
        return []
    unlabelled = "" if by_success else "There are no success labels; "
    best, worst = places[0], places[-1]
    if best.value == worst.value:
        where = f" on each of {len(places)} tasks" if len(places) > 1 else ""
        return [f"{unlabelled}{name} has {_ONE[by]} of {best.told()}{where}."]
    told = (
        f"{unlabelled}{name} has its highest {_NAMES[by]} on {words.quoted(best.name)}, "
        f"{best.told()}, and its lowest on {words.quoted(worst.name)}, {worst.told()}; "
        f"{_overlap(best.estimate, worst.estimate)}."
    )
    return [told]


def _summed_up(rankings: list[_Ranking]) -> list[str]:
    """Count the panels each candidate leads, then tell of the widest lead."""
    led = Counter(ranking.places[0].name for ranking in rankings)
    clear = [r for r in rankings if len(r.places) > 1 and _clear(r)]
    counts = words.listing(f"{name} leads on {n}" for name, n in led.most_common())
    by = " or ".join(sorted({_NAMES[ranking.by] for ranking in rankings}, reverse=True))
    first = (
        f"Of {len(rankings)} tasks, by {by}, {counts}; on {len(clear) or 'none'} of them the "
        "leader's interval does not overlap that of the next."
    )
    if not clear:
        return [first]
    return [first, _lead(max(clear, key=lambda r: r.places[0].value - r.places[1].value))]


def _clear(ranking: _Ranking) -> bool:
    return words.gap(ranking.places[0].estimate, ranking.places[1].estimate) > 0


def _overlap(first: words.Estimate, second: words.Estimate) -> str:
    """Say whether two intervals overlap, and no more than that."""
    if not (words.enough(first) and words.enough(second)):
        return "without two intervals this set does not separate them"
    if words.gap(first, second) > 0:
        return "the intervals do not overlap"
    return "the intervals overlap, so this set does not separate them"
