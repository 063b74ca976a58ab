"""Print a pulse benchmark and a run of judges on it: for a terminal, as Markdown, as csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.benchmarks.pulse.pairs import ORDERS, REASONS
from assay.benchmarks.pulse.thresholds import BIN_NAMES
from assay.reports import words
from assay.reports._passports import passport_notes
from assay.reports._pulse_columns import (
    CURVES,
    PAIRS,
    Figure,
    asked_judges,
    bench_alarms,
    shown_judges,
    unknown_policies,
)

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

__all__ = ["bench_to_csv", "bench_to_markdown", "bench_to_terminal", "built_to_terminal"]

_SHORT = ("overall", "small", "anti-time", "wrong-object", "lift")


def built_to_terminal(build: Mapping[str, Any]) -> Group:
    """Return what was built: the pairs by bin and order, and why others were left out."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("bin")
    for title in ("gains", "gains reversed", "real losses"):
        table.add_column(title, justify="right")
    for name in BIN_NAMES:
        table.add_row(name, *(str(build["bins"][name][order]) for order in ORDERS))
    return Group(table, *(Text(line, style="dim") for line in _built_notes(build)))


def _built_notes(build: Mapping[str, Any]) -> list[str]:
    pairs, episodes = build["pairs"], build["episodes"]
    dropped = ", ".join(
        f"{words.points(pairs['dropped'][reason]['share'])} % {reason}" for reason in REASONS
    )
    notes = [
        f"{build['items']} pairs of {words.counted(episodes['with_items'], 'episode')}.",
        f"Of {pairs['considered']} pairs of moments, dropped: {dropped}.",
    ]
    if build["regression_share"] is not None:
        notes.append(f"{words.points(build['regression_share'])} % of the losses are real ones.")
    for why, count in episodes["left_out"].items():
        notes.append(f"{words.counted(count, 'episode')} left out: {why}.")
    return [*notes, *unknown_policies(build)]


def bench_to_terminal(bench: Mapping[str, Any]) -> Group:
    """Return the judges' figures for a terminal: pairs, then curves."""
    from rich.console import Group
    from rich.text import Text

    pairs = _table(bench, [figure for figure in PAIRS if figure.key in _SHORT], counted=True)
    alarms = [Text(line, style="bold") for line in bench_alarms(bench)]
    parts: list[Table | Text] = [*alarms, pairs]
    if any(judge.get("curves") for judge in bench["judges"]):
        parts += [Text(""), _table(bench, list(CURVES), counted=False)]
    return Group(*parts, *(Text(note, style="dim") for note in _notes(bench)))


def _table(bench: Mapping[str, Any], figures: list[Figure], *, counted: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("judge")
    for figure in figures:
        table.add_column(figure.heading, justify="right")
    for title in ("zero", "invalid") if counted else ():
        table.add_column(title, justify="right")
    for judge in shown_judges(bench):
        counts = [str(judge["counts"][name]) for name in ("zero", "invalid")] if counted else []
        cells = [figure.worded(judge) for figure in figures]
        table.add_row(Text(judge["name"]), *map(Text, cells), *counts)
    return table


def _notes(bench: Mapping[str, Any]) -> list[str]:
    asked = f"{bench['items']} pairs of {words.counted(bench['episodes'], 'episode')}"
    return [
        f"{asked}; zero and invalid answers count as wrong. Intervals go by episode.",
        f"The best null judge is {bench['best_null']}.",
        *passport_notes(asked_judges(bench, nulls=False)),
    ]


def bench_to_markdown(bench: Mapping[str, Any]) -> str:
    """Return all figures as one table in Markdown."""
    figures = (*PAIRS, *CURVES)
    heads = ["judge", *(figure.heading for figure in figures), "zero", "invalid"]
    lines = [f"**{sentence}**\n" for sentence in bench_alarms(bench)]
    lines += [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for judge in shown_judges(bench):
        cells = [str(judge["name"]).replace("|", "\\|"), *(f.worded(judge) for f in figures)]
        cells += [str(judge["counts"][name]) for name in ("zero", "invalid")]
        lines.append(f"| {' | '.join(cells)} |")
    told = passport_notes(asked_judges(bench, nulls=False))
    lines += ["", *(f"- {note}" for note in told)] if told else []
    return "\n".join(lines) + "\n"


def bench_to_csv(bench: Mapping[str, Any]) -> str:
    """Return a row per judge and figure: its interval, n, and what unscored episodes could make."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    fields = ("value", "low", "high", "n", "worst", "best")
    table.writerow(("judge", "figure", *fields))
    for judge in shown_judges(bench):
        for figure in (*PAIRS, *CURVES):
            estimate = figure.pick(judge) or {}
            table.writerow((judge["name"], figure.key, *map(estimate.get, fields)))
        for name in ("zero", "invalid"):
            counted = {"value": judge["counts"][name], "n": bench["items"]}
            table.writerow((judge["name"], name, *map(counted.get, fields)))
    return written.getvalue()
