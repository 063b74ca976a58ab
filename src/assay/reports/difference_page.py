"""Write the page of a comparison of policies: it reads like the statistics of a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._difference_methods import methods_of
from assay.reports._difference_words import (
    best_first,
    change,
    estimate_words,
    lead,
    needed_words,
    reach_words,
    sentence,
    strongest_first,
    title_of,
)
from assay.reports._evidence import alarms
from assay.reports._forest import forest
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, join, tag
from assay.reports._methods import listed
from assay.reports._parts import scroll
from assay.reports._passports import passports_section
from assay.reports._sections import section
from assay.reports.difference_tables import COLUMNS, metric_of

__all__ = ["alarms_of", "write_difference_page"]

Row: TypeAlias = Mapping[str, Any]

_FOREST = (
    "A line is the interval of a difference, a hollow mark has none. Right of the upright line at 0"
    " the first policy has the higher value. What is clearest stands first: by verdict, p and size."
    " p is adjusted by Holm; an interval is that of one comparison by itself."
)
_LETTERS = (
    "Best first by the mean over all episodes; policies that share a letter are not separable."
)
_DROPS = (
    "Figures are over the scenes of both sides. A drop is no rank: a policy that does nothing"
    " without the perturbation can lose nothing by it."
)
_POWER = (
    "Pairs, or episodes of each policy, that would tell the two apart with 80 % power if they"
    " differ as these episodes say, at the level that Holm's procedure asks at most; in brackets"
    " the quartiles over pilots drawn again from this one, wide enough to hold the number itself."
)
_EDGE = "The interval alone says otherwise: it is not adjusted, and made in another way."


def alarms_of(audits: Iterable[Row]) -> list[str]:
    """Return what audits say of judges that have not seen such scenes, each once."""
    return list(dict.fromkeys(line for audit in audits for line in alarms(audit)))


def write_difference_page(compared: Row, out: Path) -> None:
    """Write `index.html` and its style sheet into `out`; same document, same bytes.

    Args:
        compared: The document of `compare.json`.
        out: The folder.
    """
    main = tag(
        "main",
        _forests(compared),
        _table(compared),
        _letters(compared),
        _unscored(compared),
        _drops(compared),
        _power(compared),
        passports_section({one["as"]: one for one in compared["judge"]["described"]}),
        _making(compared),
        id="main",
    )
    write_still_page(_title(compared), [_heading(compared), main], out)


def _title(compared: Row) -> str:
    names = [policy["name"] for policy in compared["policies"]]
    return words.some(names) + " compared"


def _heading(compared: Row) -> Safe:
    facts = {
        "Metrics": words.listing(title_of(metric) for metric in compared["metrics"]),
        "Judge": compared["judge"]["name"],
        "Intervals": f"{100 * compared['level']:g} %",
        "Runs": join(
            tag("small", f"{_label(run)} " if _label(run) else "", tag("code", run["path"]))
            for run in compared["runs"]
        ),
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        *(tag("p", line, class_="alarm", role="note") for line in compared["warnings"]),
        tag("p", "Assay · comparison", class_="kicker"),
        tag("h1", _title(compared)),
        tag("p", lead(compared), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _label(run: Row) -> str:
    return "/".join(part for part in (run["policy"], run["checkpoint"]) if part)


def _forests(compared: Row) -> Safe:
    figures = []
    for metric in compared["metrics"]:
        own = [row for row in strongest_first(compared) if row["metric"] == metric["name"]]
        pairs = dict.fromkeys((row["a"], row["b"]) for row in own)
        rows = [row for pair in pairs for row in own if (row["a"], row["b"]) == pair]
        figures.append(tag("figure", tag("h4", title_of(metric)), forest(metric, rows)))
    return section("differences", "Differences", *figures, tag("p", _FOREST, class_="caption"))


def _table(compared: Row) -> Safe:
    heads = [tag("th", name, scope="col") for name in ("Metric", "Policies", "Task")]
    heads += [tag("th", c.heading, scope="col", class_="num", title=c.title) for c in COLUMNS]
    rows, ordered = [], strongest_first(compared)
    for row in ordered:
        metric = metric_of(compared, row["metric"])
        names = [title_of(metric), f"{row['a']} less {row['b']}", row["task"] or "all"]
        cells = [_cell(column.word(metric, row)) for column in COLUMNS]
        agrees = (row["verdict"] or {}).get("interval_agrees")
        title = _EDGE if agrees is False else row["why"] or (row["difference"] or {}).get("why")
        rows.append(tag("tr", *(tag("th", n, scope="row") for n in names), *cells, title=title))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    meanings = [tag("div", tag("dt", c.heading), tag("dd", c.title)) for c in COLUMNS]
    said = [tag("p", sentence(compared, row)) for row in ordered if row["task"] is None]
    return section(
        "figures",
        "Figures",
        scroll(table, "Figures"),
        tag("dl", *meanings, class_="meanings"),
        tag("h4", "In words"),
        *said,
    )


def _cell(text: str) -> Safe:
    """Return a number's place in a table; its interval stands below it."""
    first, sign, rest = text.partition(" [")
    if not sign:
        return tag("td", text, class_="num")
    return tag(
        "td",
        tag("span", first, class_="v"),
        " ",
        tag("span", f"[{rest}", class_="ci"),
        class_="num",
    )


def _letters(compared: Row) -> Safe | None:
    """Return means and letters of the policies; letters only where there are more than two."""
    policies = {policy["name"]: policy for policy in compared["policies"]}
    is_many = len(policies) > 2
    heads = [tag("th", "Policy", scope="col"), tag("th", "Episodes", scope="col", class_="num")]
    for metric in compared["metrics"]:
        heads.append(tag("th", title_of(metric), scope="col", class_="num"))
        if is_many:
            heads.append(tag("th", "letters", scope="col"))
    rows = []
    for name in best_first(compared, compared["metrics"][0]):
        policy = policies[name]
        cells = [tag("td", str(policy["n"]), class_="num")]
        for metric in compared["metrics"]:
            estimate = policy["estimates"][metric["name"]]
            cells.append(_cell(estimate_words(metric, estimate)))
            if is_many:
                cells.append(tag("td", compared["groups"][metric["name"]][name]))
        rows.append(tag("tr", tag("th", name, scope="row"), *cells))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    note = tag("p", _LETTERS, class_="caption") if is_many else None
    return section("policies", "Policies", scroll(table, "Policies"), note)


def _unscored(compared: Row) -> Safe | None:
    """Return what was not scored and how far that could move each difference; None when nothing."""
    lines = [
        f"{policy['name']}: {words.counted(n, 'episode')} of {policy['n']} without"
        f" {title_of(metric_of(compared, name))} ({words.statuses(policy['status'])})."
        for policy in compared["policies"]
        for name, n in policy["unscored"].items()
        if n
    ]
    for row in strongest_first(compared):
        metric = metric_of(compared, row["metric"])
        if row["reach"] is not None and row["task"] is None:
            lines.append(
                f"{row['a']} less {row['b']} by {title_of(metric)}: {change(metric, row)} without"
                f" them, {reach_words(metric, row)} with the worst or the best put in."
            )
    if not lines:
        return None
    caption = tag("p", "What has no value is left out: it is not a zero.", class_="caption")
    return section("unscored", "Unscored", caption, *(tag("p", line) for line in lines))


def _drops(compared: Row) -> Safe | None:
    """Return the cost of each perturbation: control, perturbed, drop, in that order."""
    if not compared["drops"]:
        return None
    names = ("Policy", "Metric", "Perturbation")
    figures = ("Control", "Perturbed", "Drop", "Of what there was, %", "Scenes")
    heads = [tag("th", name, scope="col") for name in names]
    heads += [tag("th", name, scope="col", class_="num") for name in figures]
    heads.append(tag("th", "Note", scope="col"))
    rows = []
    for row in compared["drops"]:
        title = title_of(metric_of(compared, row["metric"]))
        cells = [tag("th", name, scope="row") for name in (row["policy"], title)]
        cells.append(tag("th", row["perturbation"], scope="row"))
        keys = ("control", "perturbed", "drop", "relative")
        cells += [_cell(words.number(row[key])) for key in keys]
        cells.append(tag("td", str(row["scenes"]), class_="num"))
        cells.append(tag("td", row["caveat"] or _alone(row)))
        rows.append(tag("tr", *cells))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    caption = tag("p", _DROPS, class_="caption")
    return section("drops", "Perturbations", scroll(table, "Perturbations"), caption)


def _alone(row: Row) -> str:
    """Say how many scenes have no counterpart, and what is unscored."""
    lost = row["only_control"] + row["only_perturbed"]
    found = [words.counted(lost, "scene") + " on one side only"] if lost else []
    found += [f"{row['unscored']} unscored"] if row["unscored"] else []
    return ", ".join(found)


def _power(compared: Row) -> Safe | None:
    """Return what a dense metric and success need, side by side; None without both."""
    rows = []
    for one in _by_strength(compared):
        ratio = words.MISSING if one["ratio"] is None else f"{one['ratio']:.2g}"
        kind = "pairs" if one["paired"] else "episodes of each"
        whys = [one[key].get("why") for key in ("dense", "success")]
        rows.append(
            tag(
                "tr",
                tag("th", f"{one['a']} and {one['b']}", scope="row"),
                tag("td", kind),
                *(_cell(needed_words(one[key])) for key in ("dense", "success")),
                tag("td", ratio, class_="num"),
                tag("td", "; ".join(dict.fromkeys(why for why in whys if why))),
            )
        )
    if not rows:
        return None
    first = compared["power"][0]
    named = [title_of(metric_of(compared, first[k])) for k in ("dense_metric", "share_metric")]
    heads = [tag("th", "Policies", scope="col"), tag("th", "Unit", scope="col")]
    heads += [tag("th", name, scope="col", class_="num") for name in (*named, "Times as many")]
    heads.append(tag("th", "Note", scope="col"))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    caption = tag("p", _POWER, class_="caption")
    return section("power", "How many episodes", scroll(table, "How many episodes"), caption)


def _by_strength(compared: Row) -> list[Row]:
    """Return what dense and binary need, in the order that the pairs have by the dense metric."""
    places = [(row["metric"], row["a"], row["b"]) for row in strongest_first(compared)]
    return sorted(
        compared["power"], key=lambda one: places.index((one["dense_metric"], one["a"], one["b"]))
    )


def _making(compared: Row) -> Safe:
    weights = {
        "equal": "Tasks count the same, however many episodes each has.",
        "size": "Tasks count by their episodes.",
    }
    lines = [*compared["notes"], weights[compared["settings"]["weights"]]]
    if any(
        row["difference"] and not words.enough(row["difference"]) for row in compared["comparisons"]
    ):
        lines.append(f"{words.FEW} no interval: fewer than 5 independent units, or no spread.")
    said = [tag("p", line) for line in lines]
    return section("making", "How it was made", *said, listed(methods_of(compared)))
