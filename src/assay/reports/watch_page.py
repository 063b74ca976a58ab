"""Write the page of a watched run: what to do now, and how the intervals closed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import title_of
from assay.reports._held import held
from assay.reports._html import page
from assay.reports._markup import Safe, join, tag
from assay.reports._methods import Method, listed
from assay.reports._parts import scroll
from assay.reports._passports import passports_section
from assay.reports._sections import section
from assay.reports._watch_chart import course
from assay.reports._watch_words import judges_of, lead, left_out, metric_of, told
from assay.reports.figures import panel
from assay.reports.watch_tables import HEADS, cells_of

__all__ = ["write_watch_page"]

Row: TypeAlias = Mapping[str, Any]

_RELOAD_S = 10
_COURSE = (
    "The line is the mean so far, the band what no moment has ruled out. Looking often costs"
    " nothing: the band holds the truth at all moments together, and a verdict that was made at its"
    " first moment stays. A verdict by signs may come while the band still holds 0."
)
_UNSCORED = (
    "What has no value is left out: it is not a zero. The guarantee is then for scenes that get a"
    " value, and says nothing of the others if having none goes with how they went."
)
_ERROR = (
    "The error is at most the nominal one by construction, however often one looks;"
    " tests/proof/anytime.py measures it."
)
_MEAN = Method(
    "Bets against every mean at once, with wealth spread over fixed shares: the interval is what no"
    " moment has ruled out, and a verdict by the mean says who has the higher one",
    "Ville 1939; Waudby-Smith and Ramdas 2024; Orabona and Jun 2023",
    f"{_ERROR} {held('betting, kept')}",
    "metrics.betting.bet",
)
_SIGNS = Method(
    "Half of the wealth is bet on who is ahead in a scene, whatever by how much. A verdict by signs"
    " rules out that what the two did in a scene could as well be swapped: it says who tends to be"
    " ahead, and does not say that the mean is higher, since rare large losses may outweigh many"
    " small leads. p is that of both halves together",
    "Reynolds 1975; Vovk and Wang 2021, 2022",
    f"{_ERROR} Of policies that could be swapped 1.6 to 3.0 % got a verdict within 500 looks, of"
    " 5 % allowed.",
    "metrics.deciding.decide",
)
_SEVERAL = Method(
    "Bonferroni: the error is split evenly over all metrics and pairs of policies that were"
    " planned, so that all intervals and verdicts hold together at all moments",
    "Dunn 1961",
    "It holds whatever the comparisons have in common.",
    "jobs.watch.watch",
)
_MORE = Method(
    "Futures drawn from the pairs so far, weighed anew by the Bayesian bootstrap: the middle one,"
    " and where one in ten and nine in ten have ended",
    "Rubin 1981",
    "A guess and no promise; tests/proof/anytime.py measures it.",
    "metrics.stopping.advise",
)


def write_watch_page(watched: Row, out: Path, *, is_followed: bool = False) -> None:
    """Write `index.html` and its style sheet into `out`, whole or not at all.

    Args:
        watched: The document of `watch.json`.
        out: The folder.
        is_followed: Whether it will be written again, so that a browser had better look again.
    """
    main = tag(
        "main",
        _now(watched),
        _courses(watched),
        _left(watched),
        passports_section(judges_of(watched)),
        _making(watched),
        id="main",
    )
    html = page(_title(watched), [_heading(watched), main])
    if is_followed:
        reload = tag("meta", http_equiv="refresh", content=str(_RELOAD_S))
        html = re.sub("<title>", f"{reload}<title>", html, count=1)
    assets = out / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    style = files("assay.reports").joinpath("static", "report.css").read_bytes()
    _replace(assets / "report.css", style)
    _replace(out / "index.html", html.encode("utf-8", "xmlcharrefreplace"))


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that a browser never reads half of it."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def _title(watched: Row) -> str:
    return f"{words.some(watched['policies'])} watched"


def _heading(watched: Row) -> Safe:
    each = max((row["interval_level"] for row in watched["streams"]), default=watched["level"])
    facts = {
        "Metrics": words.listing(title_of(metric) for metric in watched["metrics"]),
        "Judge": watched["judge"]["name"],
        "Intervals": f"{100 * watched['level']:g} % together, up to {100 * each:.4g} % each",
        "Runs": join(_run(run) for run in watched["runs"]),
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        *(tag("p", line, class_="alarm", role="note") for line in watched["warnings"]),
        tag("p", "Assay · while it runs", class_="kicker"),
        tag("h1", _title(watched)),
        tag("p", lead(watched), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _run(run: Row) -> Safe:
    state = "finished" if run["finished"] else "running"
    label = f"{run['policy']} " if run["policy"] else ""
    came = f" {run['arrived']} of {words.counted(run['planned'], 'episode')}, {state}"
    return tag("small", label, tag("code", run["path"]), came)


def _now(watched: Row) -> Safe:
    is_word = {"Metric", "Policies", "What to do"}
    heads = [tag("th", h, scope="col", class_=None if h in is_word else "num") for h in HEADS]
    rows = []
    for row in watched["streams"]:
        first, second, *figures, action = cells_of(watched, row)
        names = [tag("th", name, scope="row") for name in (first, second)]
        cells = [tag("td", figure, class_="num") for figure in figures]
        rows.append(tag("tr", *names, *cells, tag("td", action), title=row["why"]))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    return section("now", "Now", scroll(table, "Now"))


def _courses(watched: Row) -> Safe:
    panels = []
    for row in watched["streams"]:
        who = row["a"] if row["b"] is None else f"{row['a']} less {row['b']}"
        name = f"{title_of(metric_of(watched, row))}: {who}"
        panels.append(panel(name, course(watched, row), told(watched, row)))
    return section(
        "courses",
        "How it closed in",
        tag(
            "figure",
            tag("div", *panels, class_="panels"),
            tag("figcaption", _COURSE),
        ),
    )


def _left(watched: Row) -> Safe | None:
    """Return what is not in the figures; None when all of it is."""
    lines = []
    for row in watched["streams"]:
        who = row["a"] if row["b"] is None else f"{row['a']} and {row['b']}"
        title = title_of(metric_of(watched, row))
        lines += [tag("p", f"{title}, {who}: {part}.") for part in left_out(row)]
    if not lines:
        return None
    lost = any(row["unscored"] for row in watched["streams"])
    caption = tag("p", _UNSCORED, class_="caption") if lost else None
    return section("left", "Not in the figures", *lines, caption)


def _making(watched: Row) -> Safe:
    methods = [(("interval and verdict", "betting"), _MEAN)]
    if any(row["signs"] for row in watched["streams"]):
        methods.append((("verdict", "signs"), _SIGNS))
    if len(watched["streams"]) > 1:
        methods.append((("several comparisons", "Bonferroni"), _SEVERAL))
    methods.append((("how many more", "futures"), _MORE))
    notes = [tag("p", note) for note in watched["notes"]]
    return section("making", "How it was made", *notes, listed(methods))
