"""Print simulation against reality: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import title_of
from assay.reports._passports import passport_notes
from assay.reports._real_words import FIGURES, lead, metric_of, pairs_words, ranks

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

__all__ = [
    "POLICY_HEADS",
    "below",
    "judges_of",
    "policy_rows",
    "remarks",
    "to_csv",
    "to_markdown",
    "to_terminal",
]

Row: TypeAlias = Mapping[str, Any]

POLICY_HEADS = ("Simulation", "rank", "Reality", "rank", "Episodes")
_NO_WIDTH = (
    "Where an interval has next to no width, drawing episodes again hardly ever changed the order"
    " of the policies."
)
_NARROW = 1e-3
_ENOUGH = 0.5
"""With a smaller share of pairs told apart, intervals of orders were measured as too short."""

_CLOSE = " on both sides, so that the intervals here are too short: run more episodes."
_FIELDS = ("value", "low", "high", "n", "method", "why")


def to_terminal(compared: Row) -> Group:
    """Return both tables for a terminal, over all tasks; the page has the single ones."""
    from rich.console import Group
    from rich.text import Text

    tasks = sum(row["task"] is not None for row in compared["comparisons"])
    more = [f"{tasks} comparisons of single tasks: see the page, or --format md."] if tasks else []
    return Group(
        *(Text(line, style="bold") for line in compared["warnings"]),
        Text(lead(compared)),
        _figures(compared),
        _policies(compared),
        *(Text(note, style="dim") for note in (*more, *below(compared))),
    )


def _figures(compared: Row) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("metric")
    for heading in ("policies", *(number.heading for number in FIGURES), "told apart"):
        table.add_column(heading, justify="right")
    for row in compared["comparisons"]:
        if row["task"] is None:
            table.add_row(title_of(metric_of(compared, row["metric"])), *map(Text, _cells(row)))
    return table


def _policies(compared: Row) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("metric", "policy"):
        table.add_column(name)
    for name in POLICY_HEADS:
        table.add_column(name, justify="right")
    for row in compared["comparisons"]:
        for cells in policy_rows(compared, row) if row["task"] is None else ():
            table.add_row(title_of(metric_of(compared, row["metric"])), *map(Text, cells))
    return table


def to_markdown(compared: Row) -> str:
    """Return both tables in Markdown, single tasks too, and the notes below them."""
    heads = ["metric", "task", "policies", *(n.heading for n in FIGURES), "told apart"]
    lines = [*compared["warnings"], lead(compared), "", _line(heads)]
    lines.append("|---|---" + "|---:" * (len(heads) - 2) + "|")
    names = {r["metric"]: title_of(metric_of(compared, r["metric"])) for r in _rows(compared)}
    lines += [_line([names[r["metric"]], r["task"] or "all", *_cells(r)]) for r in _rows(compared)]
    heads = ["metric", "task", "policy", *POLICY_HEADS]
    lines += ["", _line(heads), "|---|---|---" + "|---:" * len(POLICY_HEADS) + "|"]
    for row in _rows(compared):
        for cells in policy_rows(compared, row):
            lines.append(_line([names[row["metric"]], row["task"] or "all", *cells]))
    lines += ["", *(f"- {note}" for note in below(compared))]
    return "\n".join(lines) + "\n"


def to_csv(compared: Row) -> str:
    """Return a row per figure and one per policy and side, with interval, n and method."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("metric", "task", "figure", "policy", *_FIELDS))
    for row in _rows(compared):
        for number in FIGURES:
            found = row[number.key] or {"why": row["why"]}
            cells = (row["metric"], row["task"], number.key, None)
            table.writerow((*cells, *map(found.get, _FIELDS)))
        for policy in row["policies"]:
            for side in ("sim", "real"):
                cells = (row["metric"], row["task"], side, policy["name"])
                table.writerow((*cells, *map(policy[side].get, _FIELDS)))
    return written.getvalue()


def policy_rows(compared: Row, row: Row) -> list[list[str]]:
    """Return the cells of each policy, best in reality first: means, ranks and episodes."""
    metric = metric_of(compared, row["metric"])
    sim, real = (ranks(metric, row, side) for side in ("sim", "real"))
    return [
        [
            policy["name"],
            words.number(policy["sim"]),
            f"{sim[policy['name']]:g}",
            words.number(policy["real"]),
            f"{real[policy['name']]:g}",
            f"{policy['sim']['n']} and {policy['real']['n']}",
        ]
        for policy in sorted(row["policies"], key=lambda one: (real[one["name"]], one["name"]))
    ]


def judges_of(compared: Row) -> dict[str, Row]:
    """Return the judges as audits describe them, by side and name."""
    return {f"{one['as']} ({one['side']})": one for one in compared["judges"]}


def below(compared: Row) -> list[str]:
    """Return what stands below the tables: remarks, and the passports of the judges."""
    return [*remarks(compared), *passport_notes(judges_of(compared))]


def remarks(compared: Row) -> list[str]:
    """Return what was left out, why figures are missing, and what is unscored."""
    found = [*compared["notes"]]
    whys = [(row[number.key] or {}).get("why") for row in _rows(compared) for number in FIGURES]
    found += [
        f"{words.MISSING} or {words.FEW}: {why}." for why in dict.fromkeys(filter(None, whys))
    ]
    for row in _rows(compared):
        if row["resolved"] < _ENOUGH * row["pairs"]:
            found.append(f"{_place(compared, row)}: only {pairs_words(row)} told apart{_CLOSE}")
    if any(_is_sure(row[one.key]) for row in _rows(compared) for one in FIGURES):
        found.append(_NO_WIDTH)
    for policy in compared["policies"]:
        for metric, counts in policy["unscored"].items():
            for side, n, total in zip(("simulation", "reality"), counts, policy["n"], strict=True):
                if n:
                    found.append(
                        f"{policy['name']} in {side}: {n} of {total} without {metric}; left out,"
                        " not 0."
                    )
    return found


def _place(compared: Row, row: Row) -> str:
    title = title_of(metric_of(compared, row["metric"]))
    return title if row["task"] is None else f"{title} in {row['task']}"


def _is_sure(figure: Row | None) -> bool:
    return bool(figure and words.enough(figure) and figure["high"] - figure["low"] < _NARROW)


def _rows(compared: Row) -> list[Row]:
    return list(compared["comparisons"])


def _cells(row: Row) -> list[str]:
    figures = [number.word(row[number.key]) for number in FIGURES]
    return [str(len(row["policies"])), *figures, pairs_words(row)]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
