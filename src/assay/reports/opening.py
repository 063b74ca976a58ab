"""Say in plain words what an audit found; every name and number comes from the document.

Overlap of intervals is told as overlap and never as more: disjoint intervals are called just that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.reports import words
from assay.reports._agreeing import verdicts
from assay.reports._failing import kinds, losses
from assay.reports._layout import ALL, Cell, Grid, labelled, milestones, scored, totals, unscored
from assay.reports._leaders import leaders
from assay.reports._same import told_apart

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
    where failures concentrate, of what kind they are, what other judges would have made of it, and
    what could not be scored.
    """
    cells = audit["cells"]
    if not cells:
        return [Finding("Judged", ("No episode was found, so there is nothing to report.",))]
    grid = Grid.of(audit)
    if not any(scored(cell) for cell in cells):
        judged = Finding("Judged", (_scope(grid, cells), _nothing(cells)))
        lead = _lead(grid)
        return [judged, lead] if lead.sentences else [judged]
    prints = audit.get("fingerprints") or []
    said = (
        Finding("Judged", (_scope(grid, cells),)),
        _lead(grid),
        Finding("Same success", tuple(told_apart(grid, audit.get("beside") or ()))),
        Finding("Where they stop", tuple(losses(grid, milestones(audit)))),
        Finding("How they fail", tuple(kinds(prints))),
        Finding("Other judges", tuple(verdicts(audit))),
        Finding("Not scored", tuple(_unscored(grid, cells))),
    )
    return [found for found in said if found.sentences]


def _lead(grid: Grid) -> Finding:
    """Tell who leads; one alone leads nobody, so that its topic is the outcome."""
    return Finding("Lead" if len(grid.series) > 1 else "Outcome", tuple(leaders(grid)))


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


def _unscored(grid: Grid, cells: Sequence[Cell]) -> list[str]:
    """Tell how many episodes are left out, and how far they could move the most exposed MP."""
    missing = {s: n for s, n in totals(cells).items() if s != "ok"}
    lost = sum(missing.values())
    if not lost:
        return []
    told = (
        f"{words.counted(lost, 'episode')} could not be scored ({words.statuses(missing)}) "
        f"and {'counts' if lost == 1 else 'count'} in no metric"
        f"{' but Success, which is over labelled episodes' * any(map(labelled, cells))}"
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
