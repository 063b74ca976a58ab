"""Say who leads: by what, by how much, and whether the intervals overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from assay.reports import words
from assay.reports._layout import ALL, Cell, Grid

__all__ = ["leaders"]

_FEW_PANELS = 3
"""Up to so many tasks get a sentence each; more are summed up."""

_NAMES = {"success": "success rate", "mp": "MP"}
_ONE = {"success": "a success rate", "mp": "an MP"}


@dataclass(frozen=True)
class _Place:
    """A candidate in a ranking, its estimate, and how far other settings move that."""

    name: str
    estimate: words.Estimate
    band: words.Band = None

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
    places: Sequence[_Place]
    why: str = ""

    def tied(self, first: int = 0) -> Sequence[_Place]:
        """Return the place at `first` with all that have the same value."""
        return [p for p in self.places[first:] if p.value == self.places[first].value]


def leaders(grid: Grid) -> list[str]:
    """Return the sentences on who leads in each panel, or over many of them."""
    if len(grid.series) == 1:
        return _alone(grid)
    found = (_ranking(panel, grid.row(panel)) for panel in grid.panels)
    rankings = [ranking for ranking in found if ranking.places]
    if len(rankings) <= _FEW_PANELS:
        return [_lead(ranking) for ranking in rankings]
    return _summed_up([r for r in rankings if len(r.places) > 1], grid)


def _ranking(panel: str, row: list[tuple[str, Cell]]) -> _Ranking:
    """Rank by success where it tells at least two apart, else by MP."""
    by_success = _sorted({name: (cell.get("success") or {}).get("end") for name, cell in row})
    if len({place.value for place in by_success}) > 1:
        return _Ranking(panel, "success", by_success)
    reasons = ("there are no success labels", "only one has success labels")
    why = "all have the same success rate" if len(by_success) > 1 else reasons[len(by_success)]
    return _Ranking(panel, "mp", _by_mp(dict(row)), why)


def _by_mp(cells: dict[str, Cell]) -> list[_Place]:
    places = _sorted({name: cell.get("mp") for name, cell in cells.items()})
    bands = {name: (cell.get("sensitivity") or {}).get("mp") for name, cell in cells.items()}
    return [replace(place, band=bands[place.name]) for place in places]


def _sorted(found: dict[str, words.Estimate]) -> list[_Place]:
    places = [_Place(name, e) for name, e in found.items() if e and e.get("value") is not None]
    return sorted(places, key=lambda place: -place.value)


def _lead(ranking: _Ranking, where: str | None = None) -> str:
    """Tell who has the highest value, who comes next, and whose intervals overlap the leader's."""
    lead = ranking.tied()
    where, what = _where(ranking) if where is None else where, _NAMES[ranking.by]
    if len(ranking.places) == 1:
        return f"{where}only {lead[0].name} has {_ONE[ranking.by]}: {lead[0].told()}."
    verb = "has" if len(lead) == 1 else "share"
    told = f"{where}{_names(lead)} {verb} the highest {what}, {_told(lead)}"
    if len(lead) == len(ranking.places):
        return f"{told}."
    following = ranking.tied(len(lead))
    return (
        f"{told}, {_points(lead[0].value - following[0].value)} above {_names(following)}, "
        f"{_told(following)}; {_overlap(lead, following)}.{_further(ranking, len(lead))}"
    )


def _names(places: Sequence[_Place]) -> str:
    return words.some([place.name for place in places])


def _told(places: Sequence[_Place]) -> str:
    """Word the value that all places have; with their interval where that is the same as well."""
    found = list(dict.fromkeys(place.told() for place in places))
    if len(found) == 1:
        return found[0]
    counts = sorted(place.estimate["n"] for place in places if place.estimate)
    return f"{words.points(places[0].value)} (n = {counts[0]} to {counts[-1]})"


def _points(difference: float) -> str:
    worded = words.points(difference)
    return "less than 0.1 points" if worded == "0.0" else f"{worded} points"


def _overlap(first: Sequence[_Place], second: Sequence[_Place]) -> str:
    """Say whether the intervals overlap, and no more than that."""
    pairs = list(product(first, second))
    if not all(words.enough(a.estimate) and words.enough(b.estimate) for a, b in pairs):
        return "with fewer than 5 episodes there are no intervals to compare"
    apart = [words.gap(a.estimate, b.estimate) > 0 for a, b in pairs]
    if all(apart):
        moved = any(words.bands_meet(a.band, b.band) for a, b in pairs)
        other = ", but under other settings of the analysis their bands overlap" if moved else ""
        return f"the intervals do not overlap{other}"
    return "some of the intervals overlap" if any(apart) else "the intervals overlap"


def _further(ranking: _Ranking, leading: int) -> str:
    """Name those behind the second place whose intervals overlap that of a single leader."""
    if leading > 1:
        return ""
    leader, behind = ranking.places[0], ranking.places[leading + len(ranking.tied(leading)) :]
    close = [p for p in behind if _meet(leader, p)]
    if not close:
        return ""
    which, verb = ("interval", "overlaps") if len(close) == 1 else ("intervals", "overlap")
    return f" The {which} of {_names(close)} also {verb} that of {leader.name}."


def _meet(a: _Place, b: _Place) -> bool:
    both = words.enough(a.estimate) and words.enough(b.estimate)
    return both and words.gap(a.estimate, b.estimate) == 0


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
    places = by_success or _by_mp(found)
    if not places:
        return []
    unlabelled = "" if by_success else "There are no success labels; "
    best, worst = places[0], places[-1]
    if name == ALL:
        told = f"the {_NAMES[by]} over all episodes is {best.told()}."
        return [f"{unlabelled}{told}" if unlabelled else told.capitalize()]
    if best.value == worst.value:
        nouns = words.counted(len(places), grid.panel_noun)
        where = f" on each of {nouns}" if len(places) > 1 else ""
        return [f"{unlabelled}{name} has {_ONE[by]} of {_told(places)}{where}."]
    told = (
        f"{unlabelled}{name} has its highest {_NAMES[by]} on {words.quoted(best.name)}, "
        f"{best.told()}, and its lowest on {words.quoted(worst.name)}, {worst.told()}; "
        f"{_overlap([best], [worst])}."
    )
    return [told]


def _summed_up(rankings: list[_Ranking], grid: Grid) -> list[str]:
    """Count the panels each candidate leads, then tell of the widest lead."""
    if not rankings:
        return []
    single = [ranking for ranking in rankings if len(ranking.tied()) == 1]
    clear = [r for r in single if words.gap(r.places[0].estimate, r.places[1].estimate) > 0]
    by = " or ".join(sorted({_NAMES[ranking.by] for ranking in rankings}, reverse=True))
    which = words.counted(len(rankings), grid.panel_noun)
    if len(rankings) < len(grid.panels):
        which = f"the {which} on which two or more can be compared"
    first = f"Of {which}, by {by}, {_counts(single, len(rankings))}"
    if not clear:
        return [
            f"{first}; on none of them does a leader's interval lie apart from that of the next."
        ]
    first += f"; on {len(clear)} of them the leader's interval does not overlap that of the next."
    widest = max(clear, key=lambda r: r.places[0].value - r.places[1].value)
    told = _lead(widest, f"The widest of these leads is on {words.quoted(widest.panel)}: ")
    return [first, told]


def _counts(single: list[_Ranking], panels: int) -> str:
    """Say how many panels each candidate leads alone, the most first, and how many are shared."""
    led = Counter(ranking.places[0].name for ranking in single).most_common()
    shown, rest = led[:4], led[4:]
    parts = [f"{name} leads on {n}" for name, n in shown]
    if rest:
        parts.append(f"{len(rest)} more on {sum(n for _, n in rest)}")
    shared = panels - len(single)
    if shared:
        parts.append(f"the lead is shared on {shared}")
    return words.listing(parts)
