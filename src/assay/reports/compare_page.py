"""Write the page of a comparison with people: scatters, figures, raters, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.reports import words
from assay.reports._assisted_section import assisted_section
from assay.reports._compare_columns import (
    COLUMNS,
    Number,
    asked_judges,
    lead,
    name_of,
    notes,
    shown_rows,
)
from assay.reports._compare_scatter import Dot, scatters
from assay.reports._html import write_still_page
from assay.reports._human_methods import methods_of
from assay.reports._markup import Safe, join, tag
from assay.reports._methods import listed
from assay.reports._parts import scroll
from assay.reports._passports import passports_section
from assay.reports._rater_words import rater_figures
from assay.reports._sections import section

__all__ = ["Dot", "write_compare_page"]

_TITLE = "Judges against people"
_CAPTION = (
    "Each point leads to its episode. The dashed line is perfect agreement, the solid one the"
    " least-squares line through the points. Scale 0 to 100."
)


def write_compare_page(
    compared: Mapping[str, Any], dots: Sequence[Sequence[Dot]], out: Path
) -> None:
    """Write `index.html` and its style sheet into `out`; same document, same bytes.

    Args:
        compared: The document of `compare.json`.
        dots: The points of each of its rows.
        out: The folder.
    """
    pairs = list(zip(compared["rows"], dots, strict=True))
    pairs.sort(key=lambda pair: bool(pair[0]["null"]))
    agreement = compared["human"]["agreement"]
    body = [
        _heading(compared),
        tag(
            "main",
            section(
                "scatter",
                "Judge over people",
                tag("figure", scatters(pairs), tag("figcaption", _CAPTION)),
            ),
            _figures(compared),
            assisted_section(compared),
            _raters(agreement) if agreement else None,
            passports_section(asked_judges(compared, nulls=True)),
            _making(compared),
            id="main",
        ),
    ]
    write_still_page(_TITLE, body, out)


def _heading(compared: Mapping[str, Any]) -> Safe:
    human, matching = compared["human"], compared["matching"]
    facts = {
        "Scores": join([tag("code", human["path"])]),
        "Raters": words.some(human["raters"]) if human["raters"] != [""] else "not named",
        "Episodes": f"{matching['matched']} scored and in the runs, {matching['unrated']} not"
        f" scored, {matching['unmatched']['count']} not in the runs",
        "Runs": join(
            tag("small", f"{run['setting']} " if run["setting"] else "", tag("code", run["path"]))
            for run in compared["runs"]
        ),
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        tag("p", "Assay · comparison", class_="kicker"),
        tag("h1", _TITLE),
        tag("p", lead(compared), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _figures(compared: Mapping[str, Any]) -> Safe:
    """Return the table: a row per judge and setting, null judges below."""
    heads = [tag("th", "Judge", scope="col"), tag("th", "n", scope="col", class_="num")]
    heads += [tag("th", c.heading, scope="col", class_="num", title=c.title) for c in COLUMNS]
    rows = [
        tag(
            "tr",
            tag(
                "th",
                name_of(row),
                tag("br"),
                tag("small", _options(row)),
                scope="row",
                class_="quiet" if row["null"] else None,
            ),
            tag("td", str(row["n"]), class_="num"),
            *(_cell(column, row) for column in COLUMNS),
        )
        for row in shown_rows(compared)
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    meanings = [tag("div", tag("dt", c.heading), tag("dd", c.title)) for c in COLUMNS]
    return section(
        "figures", "Figures", scroll(table, "Figures"), tag("dl", *meanings, class_="meanings")
    )


def _cell(column: Number, row: Mapping[str, Any]) -> Safe:
    estimate = row[column.key]
    first, _, bounds = column.word(estimate).partition(" ")
    missing = "a null judge" if row["null"] else "no null judge to compare with"
    known = (words.count(estimate), words.reason(estimate, missing)) if estimate else (missing,)
    method = (estimate or {}).get("method") or (estimate or {}).get("why") or ""
    return tag(
        "td",
        tag("span", first, class_="v"),
        " ",
        tag("span", bounds, class_="ci"),
        class_="num",
        title=", ".join(dict.fromkeys(filter(None, (*known, method)))),
    )


def _options(row: Mapping[str, Any]) -> str:
    told = [f"{name} {value}" for name, value in row["options"].items()]
    return ", ".join([*told, *([f"gaps filled: {row['fill']}"] if row["fill"] else [])])


def _raters(agreement: Mapping[str, Any]) -> Safe:
    """Return how far people agree: figure, number, and what it means."""
    heads = [tag("th", "Figure", scope="col"), tag("th", "Value", scope="col", class_="num")]
    heads.append(tag("th", "What it means", scope="col"))
    rows = [
        tag(
            "tr",
            tag("th", one.name, scope="row"),
            tag("td", one.told, class_="num"),
            tag("td", one.meaning),
        )
        for one in rater_figures(agreement)
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    title = "People among themselves"
    return section("raters", title, scroll(table, title))


def _making(compared: Mapping[str, Any]) -> Safe:
    """Return the notes, and a line on every method with its paper and its coverage."""
    said = [tag("p", note) for note in notes(compared)]
    return section("making", "How it was made", *said, listed(methods_of(compared)))
