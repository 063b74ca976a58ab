"""Write the page of a ranking: strengths, table, wins, pairs, and what to vote on next."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, join, tag
from assay.reports._methods import listed
from assay.reports._parts import scroll
from assay.reports._passports import passports_section
from assay.reports._rank_figures import dots, matrix, span_of
from assay.reports._rank_methods import methods_of
from assay.reports._rank_words import (
    COLUMNS,
    agreement_words,
    judges_of,
    lead,
    next_words,
    notes,
    strength,
)
from assay.reports._sections import section
from assay.reports.figures import panel

__all__ = ["write_rank_page"]

Ranked: TypeAlias = Mapping[str, Any]

_TITLE = "Policies by people's votes"
_CAPTION = (
    "A line is the interval of a strength, a hollow mark has none. A rule across ends a tier: every"
    " two intervals of one tier overlap."
)
_MATRIX = (
    "How often the policy of the row was preferred to that of the column; columns have the numbers"
    " of the rows. The fuller the colour, the larger the share of their decisive votes."
)


def write_rank_page(ranked: Ranked, out: Path) -> None:
    """Write `index.html` and its style sheet into `out`; same document, same bytes.

    Args:
        ranked: The document of `rank.json`.
        out: The folder.
    """
    main = tag(
        "main",
        _strengths(ranked),
        _by(ranked),
        _against(ranked),
        passports_section(judges_of(ranked)),
        _wins(ranked),
        _pairs(ranked),
        _next(ranked),
        _groups(ranked),
        section(
            "making",
            "How it was made",
            *(tag("p", note) for note in notes(ranked)),
            listed(methods_of(ranked)),
        ),
        id="main",
    )
    write_still_page(_TITLE, [_heading(ranked), main], out)


def _heading(ranked: Ranked) -> Safe:
    facts = {
        "Votes": join([tag("code", ranked["input"]["path"])]),
        "Decisive": f"{ranked['decisive']:,} of {ranked['votes']:,}",
        "Policies": str(len(ranked["policies"])),
        "Intervals": f"{100 * ranked['level']:g} %, {ranked['interval'] or 'none'}",
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        tag("p", "Assay · ranking", class_="kicker"),
        tag("h1", _TITLE),
        *(tag("p", line, class_="notice", role="note") for line in ranked["warnings"]),
        tag("p", lead(ranked), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _strengths(ranked: Ranked) -> Safe:
    rows = ranked["policies"]
    drawn = dots(rows, span_of([rows]), "Strengths of the policies with their intervals")
    meanings = [tag("div", tag("dt", c.heading), tag("dd", c.title)) for c in COLUMNS]
    return section(
        "strengths",
        "Strengths",
        tag("figure", drawn, tag("figcaption", _CAPTION)),
        scroll(_table(rows), "Strengths"),
        tag("dl", *meanings, class_="meanings"),
    )


def _table(rows: list[Mapping[str, Any]]) -> Safe:
    """Return a table with a row per policy."""
    heads = [tag("th", "Policy", scope="col")]
    heads += [tag("th", c.heading, scope="col", class_="num", title=c.title) for c in COLUMNS]
    body = []
    for row in rows:
        cells = []
        for column in COLUMNS:
            first, _, bounds = column.word(row).partition(" ")
            below = (
                tag("span", bounds, class_="ci") if bounds.startswith(("[", words.FEW)) else None
            )
            shown = first if below is not None else column.word(row)
            cells.append(tag("td", tag("span", shown, class_="v"), " ", below, class_="num"))
        body.append(tag("tr", _name(row), *cells, title=row.get("why")))
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="summary")


def _name(row: Mapping[str, Any]) -> Safe:
    why = tag("small", row["why"]) if row.get("why") else None
    return tag("th", row["name"], tag("br") if why else None, why, scope="row")


def _by(ranked: Ranked) -> Safe | None:
    """Return a small figure for each task, or whatever else was ranked by."""
    by = ranked.get("by")
    if not by:
        return None
    span = span_of([part["policies"] for part in by["rankings"]])
    panels = []
    for part in by["rankings"]:
        below = f"{part['votes']:,} votes, {part['decisive']:,} decisive"
        label = f"Strengths by the votes of {part['name']}"
        drawn = (
            dots(part["policies"], span, label, wide=False)
            if part["policies"]
            else tag("p", part["why"], class_="notice")
        )
        panels.append(panel(part["name"], drawn, " ".join([f"{below}.", *part["warnings"]])))
    return section("by", f"By {by['column']}", tag("div", *panels, class_="panels"))


def _against(ranked: Ranked) -> Safe | None:
    """Return how far another ranking agrees, and both beside each other."""
    other = ranked.get("against")
    if not other:
        return None
    here = {row["name"]: row for row in ranked["policies"]}
    order = sorted(other["policies"], key=lambda name: -other["scores"][name])
    place = {name: k for k, name in enumerate(order, start=1)}
    heads = ("Policy", "Rank here", "Place there", "Strength here", "Score there")
    body = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(
                tag("td", cell, class_="num")
                for cell in (
                    str(here[name]["rank"]),
                    str(place[name]),
                    strength(here[name]),
                    f"{other['scores'][name]:.3g}",
                )
            ),
        )
        for name in here
        if name in place
    ]
    table = tag(
        "table",
        tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads))),
        tag("tbody", *body),
        class_="plain",
    )
    said = [tag("p", sentence) for sentence in agreement_words(ranked)]
    beside = scroll(table, "Another ranking") if body else None
    return section("against", "Another ranking", *said, beside)


def _wins(ranked: Ranked) -> Safe:
    """Return who won against whom."""
    drawn = matrix(ranked["matrix"]) if ranked["matrix"] else None
    if drawn is None:
        what = "Too many policies to draw; counts.parquet has the votes of every pair."
        return section("wins", "Who won against whom", tag("p", what))
    inner = tag("div", drawn, class_="panels") if len(ranked["policies"]) <= 8 else drawn
    figure = tag("figure", inner, tag("figcaption", _MATRIX), class_="single")
    return section("wins", "Who won against whom", figure)


def _pairs(ranked: Ranked) -> Safe | None:
    """Return the tests of neighbours in the ranking, and of all pairs folded away."""
    if not ranked["pairs"]:
        return None
    sure = [row["name"] for row in ranked["policies"] if row["low"] is not None]
    after = dict(pairwise(sure))
    near = [pair for pair in ranked["pairs"] if after.get(pair["a"]) == pair["b"]]
    more = None
    if len(near) < len(ranked["pairs"]):
        whole = scroll(_pair_table(ranked["pairs"]), "All pairs")
        more = tag("details", tag("summary", f"All {len(ranked['pairs'])} pairs"), whole)
    lead_ = tag(
        "p",
        "Neighbours in the ranking. p is the chance of a difference at least as large if they were"
        " equal; by Holm it is adjusted for the number of all pairs.",
        class_="caption",
    )
    return section("pairs", "Pair by pair", lead_, scroll(_pair_table(near), "Neighbours"), more)


def _pair_table(pairs: list[Mapping[str, Any]]) -> Safe:
    heads = ("Stronger", "Weaker", "Difference", "p", "p by Holm")
    body = [
        tag(
            "tr",
            tag("th", pair["a"], scope="row"),
            tag("td", pair["b"]),
            tag("td", strength({**pair, "beta": pair["difference"]}), class_="num"),
            tag("td", _p(pair["p"]), class_="num"),
            tag("td", _p(pair["p_holm"]), class_="num"),
        )
        for pair in pairs
    ]
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    return tag("table", tag("thead", head), tag("tbody", *body), class_="plain")


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def _next(ranked: Ranked) -> Safe | None:
    told = next_words(ranked)
    return section("next", "What to vote on next", *(tag("p", line) for line in told))


def _groups(ranked: Ranked) -> Safe | None:
    """Return the further groups, each on a scale of its own."""
    if not ranked["groups"]:
        return None
    lead_ = tag(
        "p",
        "These policies share no scale with the ones above. Each group has its own average, so"
        " that strengths compare within a group only.",
    )
    shown = [scroll(_table(group), f"Group {k}") for k, group in enumerate(ranked["groups"], 2)]
    return section("groups", "Other groups", lead_, *shown)
