"""Say in plain words what an audit found; every name and number comes from the document.

Overlap of intervals is told as overlap and never as more: disjoint intervals are called just that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.reports import words
from assay.reports._failing import kinds, losses
from assay.reports._layout import ALL, Cell, Grid, milestones, scored, totals, unscored
from assay.reports._leaders import leaders

__all__ = ["Finding", "findings", "opening"]


@dataclass(frozen=True)
class Finding:
    """What is said on one topic."""

    topic: str
    sentences: tuple[str, ...]


def opening(audit: Mapping[str, Any]) -> str:
    """Return the paragraph that opens a report."""
    return " ".join(sentence for found in findings(audit) for sentence in found.sentences)


def findings(audit: Mapping[str, Any]) -> list[Finding]:
    """Return what the opening says, topic by topic; a topic with nothing to say is left out.

    In this order: what was judged, who leads and by how much, who is told apart at equal success,
    where failures concentrate, of what kind they are, and what could not be scored.
    """
    cells = audit["cells"]
    if not cells:
        return [Finding("Judged", ("No episode was found, so there is nothing to report.",))]
    grid = Grid.of(audit)
    if not any(scored(cell) for cell in cells):
        judged = Finding("Judged", (_scope(grid, cells), _nothing(cells)))
        lead = Finding("Lead", tuple(leaders(grid)))
        return [judged, lead] if lead.sentences else [judged]
    prints = audit.get("fingerprints") or []
    said = (
        Finding("Judged", (_scope(grid, cells),)),
        Finding("Lead", tuple(leaders(grid))),
        Finding("Same success", tuple(_told_apart(grid))),
        Finding("Where they stop", tuple(losses(grid, milestones(audit)))),
        Finding("How they fail", tuple(kinds(prints))),
        Finding("Not scored", tuple(_unscored(grid, cells))),
    )
    return [found for found in said if found.sentences]


def _scope(grid: Grid, cells: Sequence[Cell]) -> str:
    episodes = sum(int(cell["n"]) for cell in cells)
    ready = sum(scored(cell) for cell in cells)
    share = {episodes: "all", 0: "none"}.get(ready, str(ready))
    counted = words.counted(episodes, "episode")
    tail = f"{share} could be scored."
    if grid.series == (ALL,):
        return f"{counted} {'was' if episodes == 1 else 'were'} judged as one group; {tail}"
    who = words.counted(len(grid.series), grid.noun)
    panels = [panel for panel in grid.panels if panel]
    where = f" on {words.counted(len(panels), grid.panel_noun)}" if panels else ""
    verb = "was" if len(grid.series) == 1 else "were"
    return f"{who} {verb} judged{where} over {counted}; {tail}"


def _nothing(cells: Sequence[Cell]) -> str:
    labelled = any((cell.get("success") or {}).get("end") for cell in cells)
    what = "nothing but success rates" if labelled else "nothing"
    return (
        f"With no scored episode ({words.statuses(totals(cells))}) {what} can be compared; "
        "an unscored episode is not a zero."
    )


def _told_apart(grid: Grid) -> list[str]:
    """Tell of two policies with the same success whose other metrics lie apart; at most one pair.

    The pair with the lowest success comes first, then the one with the widest gap.
    """
    found = []
    for panel in grid.panels:
        for (a, left), (b, right) in combinations(grid.row(panel), 2):
            rate = _same_success(left, right)
            gaps = {key: words.gap(left.get(key), right.get(key)) for key in ("mp", "cra", "str")}
            apart = [key for key, gap in gaps.items() if gap > 0]
            if rate is not None and apart:
                found.append((rate, -max(gaps.values()), panel, (a, left), (b, right), apart))
    if not found:
        return []
    rate, _, panel, (a, left), (b, right), apart = min(found, key=lambda f: f[:3])
    metrics = words.listing(
        f"{key.upper()} ({words.number(left[key])} against {words.number(right[key])})"
        for key in apart
    )
    where = f"On {words.quoted(panel)}, " if panel else ""
    first = (
        f"{where}{a} and {b} have the same success rate, {words.points(rate)}, but differ in "
        f"{metrics}: these intervals do not overlap."
    )
    return [first]


def _same_success(left: Cell, right: Cell) -> float | None:
    ends = [(cell.get("success") or {}).get("end") for cell in (left, right)]
    values = {None if end is None else end.get("value") for end in ends}
    return values.pop() if len(values) == 1 else None


def _unscored(grid: Grid, cells: Sequence[Cell]) -> list[str]:
    """Tell how many episodes are in no mean, and how far they could move the most exposed MP."""
    missing = {s: n for s, n in totals(cells).items() if s != "ok"}
    lost = sum(missing.values())
    if not lost:
        return []
    told = (
        f"{words.counted(lost, 'episode')} could not be scored ({words.statuses(missing)}) "
        f"and {'is' if lost == 1 else 'are'} in no mean"
    )
    exposed = {
        place: cell["mp"]
        for place, cell in grid.by_place.items()
        if unscored(cell) and words.unscored_range(cell.get("mp")) and not words.reason(cell["mp"])
    }
    if not exposed:
        return [f"{told}."]
    panel, series = max(exposed, key=lambda place: exposed[place]["best"] - exposed[place]["worst"])
    e = exposed[panel, series]
    where = f" on {words.quoted(panel)}" if panel else ""
    moved = (
        f"{told}; with the worst or the best value put in for each of them, MP of {series}{where} "
        f"would be {words.points(e['worst'])} or {words.points(e['best'])} instead of "
        f"{words.points(e['value'])}."
    )
    return [moved]
