"""Write the page of simulation against reality: scatters, figures, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import title_of
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, join, tag
from assay.reports._methods import listed
from assay.reports._parts import scroll
from assay.reports._passports import passports_section
from assay.reports._real_scatter import real_scatters
from assay.reports._real_words import FIGURES, lead, methods_of, metric_of, pairs_words
from assay.reports._sections import section
from assay.reports.real_tables import POLICY_HEADS, judges_of, policy_rows, remarks

__all__ = ["write_real_page"]

Row: TypeAlias = Mapping[str, Any]

_TITLE = "Simulation against reality"
_CAPTION = (
    "A mark is a policy: its mean in simulation across, in reality upwards, each with its interval."
    " On the dashed line both are the same. Scale 0 to 100."
)
_APART = (
    "Intervals say how far these episodes fix the figures for these policies, and nothing of other"
    " policies. Told apart: pairs of policies that differ by more than their error on both sides;"
    " where few do, orders are mostly chance."
)


_RANKS = "Best in reality first; rank 1 is the best, ties share a rank."


def write_real_page(compared: Row, out: Path) -> None:
    """Write `index.html` and its style sheet into `out`; same document, same bytes.

    Args:
        compared: The document of `compare.json`.
        out: The folder.
    """
    main = tag(
        "main",
        _scatters(compared),
        _figures(compared),
        _policies(compared),
        passports_section(judges_of(compared)),
        _making(compared),
        id="main",
    )
    write_still_page(_TITLE, [_heading(compared), main], out)


def _heading(compared: Row) -> Safe:
    sides = {"simulation": "Simulation", "reality": "Reality"}
    facts = {
        "Metrics": words.listing(title_of(metric) for metric in compared["metrics"]),
        "Policies": words.some([policy["name"] for policy in compared["policies"]]),
        "Tasks": words.some(compared["tasks"]) if compared["tasks"] else "one on each side",
        "Intervals": f"{100 * compared['level']:g} %",
        **{
            shown: join(
                tag("small", f"{run['judge']} ", tag("code", run["path"]))
                for run in compared["runs"]
                if run["side"] == side
            )
            for side, shown in sides.items()
        },
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        *(tag("p", line, class_="alarm", role="note") for line in compared["warnings"]),
        tag("p", "Assay · comparison", class_="kicker"),
        tag("h1", _TITLE),
        tag("p", lead(compared), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _scatters(compared: Row) -> Safe:
    names = [policy["name"] for policy in compared["policies"]]
    figures = []
    for metric in compared["metrics"]:
        own = [row for row in compared["comparisons"] if row["metric"] == metric["name"]]
        drawn = real_scatters(names, own)
        figures.append(tag("figure", tag("h4", title_of(metric)), drawn))
    return section(
        "scatter", "Reality over simulation", *figures, tag("p", _CAPTION, class_="caption")
    )


def _figures(compared: Row) -> Safe:
    heads = [tag("th", name, scope="col") for name in ("Metric", "Task")]
    heads.append(tag("th", "Policies", scope="col", class_="num"))
    heads += [tag("th", n.heading, scope="col", class_="num", title=n.title) for n in FIGURES]
    heads.append(tag("th", "Told apart", scope="col", class_="num"))
    rows = []
    for row in compared["comparisons"]:
        names = [title_of(metric_of(compared, row["metric"])), row["task"] or "all"]
        cells = [tag("td", str(len(row["policies"])), class_="num")]
        cells += [_cell(number.word(row[number.key])) for number in FIGURES]
        cells.append(tag("td", pairs_words(row), class_="num"))
        rows.append(tag("tr", *(tag("th", n, scope="row") for n in names), *cells))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    meanings = [tag("div", tag("dt", n.heading), tag("dd", n.title)) for n in FIGURES]
    note = tag("p", _APART, class_="caption")
    dl = tag("dl", *meanings, class_="meanings")
    return section("figures", "Figures", scroll(table, "Figures"), note, dl)


def _policies(compared: Row) -> Safe:
    heads = [tag("th", name, scope="col") for name in ("Metric", "Task", "Policy")]
    heads += [tag("th", name, scope="col", class_="num") for name in POLICY_HEADS]
    rows = []
    for row in compared["comparisons"]:
        title = title_of(metric_of(compared, row["metric"]))
        for name, *cells in policy_rows(compared, row):
            named = (tag("th", n, scope="row") for n in (title, row["task"] or "all", name))
            rows.append(tag("tr", *named, *(_cell(cell) for cell in cells)))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    note = tag("p", _RANKS, class_="caption")
    return section("policies", "Policies", scroll(table, "Policies"), note)


def _making(compared: Row) -> Safe:
    said = [tag("p", note) for note in remarks(compared)]
    return section("making", "How it was made", *said, listed(methods_of(compared)))


def _cell(text: str) -> Safe:
    """Return a number's place in a table; its interval stands below it."""
    first, sign, rest = text.partition(" [")
    if not sign:
        return tag("td", text, class_="num")
    value, ends = tag("span", first, class_="v"), tag("span", f"[{rest}", class_="ci")
    return tag("td", value, " ", ends, class_="num")
