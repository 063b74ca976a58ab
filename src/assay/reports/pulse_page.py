"""Write the page of a run of judges on pulse: figures, bars, noise, and pairs to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.benchmarks.pulse.pairs import REASONS
from assay.benchmarks.pulse.thresholds import BIN_NAMES
from assay.reports import words
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._passports import passports_section
from assay.reports._pulse_columns import (
    CURVES,
    PAIRS,
    Figure,
    asked_judges,
    bench_alarms,
    shown_judges,
    unknown_policies,
)
from assay.reports._pulse_figures import bins_figure, noise_figure
from assay.reports._sections import section

__all__ = ["Shown", "write_pulse_page"]

_INTERVALS = (
    "Zero and invalid answers count as wrong. Shares have Wilson intervals in which pairs of one"
    " episode count as the fewer independent pairs they are worth; averages and lift have the"
    " bootstrap-t over episodes; AUC has DeLong's interval; medians have order statistics."
)
_TITLE = "Pulse: which moment is further on"


@dataclass(frozen=True)
class Shown:
    """An item with its pictures.

    Attributes:
        item: Its name.
        instruction: What was asked of the robot.
        facts: Task, policy, order and hop in words.
        y: +1 or -1.
        answers: What each judge said: 1, -1, 0, or 9 for nothing valid.
        pictures: data: addresses of "start", "before" and "after".
        note: Which view it is, or why there is none.
    """

    item: str
    instruction: str
    facts: str
    y: int
    answers: Mapping[str, int]
    pictures: Mapping[str, str]
    note: str


def write_pulse_page(bench: Mapping[str, Any], shown: Sequence[Shown], out: Path) -> None:
    """Write `index.html` and its style sheet into `out`; same document, same bytes."""
    write_still_page(_TITLE, _body(bench, shown), out)


def _body(bench: Mapping[str, Any], shown: Sequence[Shown]) -> list[Safe]:
    return [
        tag(
            "header",
            tag("p", "Assay · judges on pulse", class_="kicker"),
            tag("h1", _TITLE),
            tag("p", _lead(bench), class_="lead"),
            *(tag("p", line, class_="alarm", role="note") for line in bench_alarms(bench)),
            class_="top",
        ),
        tag(
            "main",
            _figures("pairs", "Pairs", bench, PAIRS),
            section("bins", "By size of the hop", bins_figure(bench)),
            section("noise", "With noise in the pictures", noise_figure(bench))
            if len(bench["noise"]) > 1
            else None,
            _figures("curves", "Whole episodes", bench, CURVES)
            if any(judge.get("curves") for judge in bench["judges"])
            else None,
            _groups("tasks", "By task", bench),
            _groups("perturbations", "By perturbation", bench),
            _cells(bench),
            _losses(bench),
            _gallery(shown),
            passports_section(asked_judges(bench, nulls=True)),
            _making(bench),
            id="main",
        ),
    ]


def _lead(bench: Mapping[str, Any]) -> str:
    judges = [judge for judge in shown_judges(bench) if not judge["null"]]
    asked = f"{bench['items']} pairs of moments from {words.counted(bench['episodes'], 'episode')}."
    if not judges:
        return f"{asked} Only null judges were run."
    first = judges[0]
    return (
        f"{asked} {first['name']} is right in {PAIRS[0].worded(first)} %, the best null judge"
        f" ({bench['best_null']}) in {PAIRS[0].worded(_named(bench, bench['best_null']))} %."
        f" On real losses, where a clock is always wrong: {_anti(first)} %."
    )


def _named(bench: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(j for j in bench["judges"] if j["name"] == name)
    return found


def _anti(judge: Mapping[str, Any]) -> str:
    return words.number(judge["orders"]["anti-time"])


def _figures(name: str, title: str, bench: Mapping[str, Any], figures: Sequence[Figure]) -> Safe:
    """Return a table with a row per judge and a column per figure."""
    counted = ("zero", "invalid") if name == "pairs" else ()
    heads = [tag("th", "Judge", scope="col")]
    heads += [tag("th", f.heading, scope="col", class_="num", title=f.title) for f in figures]
    heads += [tag("th", c.capitalize(), scope="col", class_="num") for c in counted]
    rows = [
        tag(
            "tr",
            tag("th", judge["name"], scope="row", class_="quiet" if judge["null"] else None),
            *(_cell(figure, judge) for figure in figures),
            *(tag("td", str(judge["counts"][c]), class_="num") for c in counted),
        )
        for judge in shown_judges(bench)
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="summary")
    meanings = [tag("div", tag("dt", f.heading), tag("dd", f.title)) for f in figures]
    return section(name, title, scroll(table, title), tag("dl", *meanings, class_="meanings"))


def _cell(figure: Figure, judge: Mapping[str, Any]) -> Safe:
    first, _, bounds = figure.worded(judge).partition(" ")
    estimate = figure.pick(judge)
    known = (words.count(estimate), words.reason(estimate, ""), figure.reach(judge))
    return tag(
        "td",
        tag("span", first, class_="v"),
        " ",
        tag("span", bounds, class_="ci"),
        class_="num",
        title=" ".join(filter(None, known)),
    )


def _groups(name: str, title: str, bench: Mapping[str, Any]) -> Safe | None:
    """Return all, small and anti-time pairs of each group; None when there is but one group."""
    groups = sorted({group for judge in bench["judges"] for group in judge[name]})
    if len(groups) < 2:
        return None
    kinds = ("pairs", "small", "anti-time")
    heads = [tag("th", "Judge", scope="col"), tag("th", "Pairs", scope="col")]
    heads += [tag("th", group, scope="col", class_="num") for group in groups]
    rows = [
        tag(
            "tr",
            tag("th", judge["name"] if kind == "pairs" else "", scope="row"),
            tag("td", {"pairs": "all"}.get(kind, kind)),
            *(
                tag("td", words.number(judge[name].get(g, {}).get(kind)), class_="num")
                for g in groups
            ),
        )
        for judge in shown_judges(bench)
        for kind in kinds
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="plain")
    return section(name, title, scroll(table, title))


def _cells(bench: Mapping[str, Any]) -> Safe | None:
    """Return the pairs of each bin, setting and category; None when only bins differ."""
    judges = shown_judges(bench)
    found = [
        {(c["bin"], c["setting"], c["category"]): c["accuracy"] for c in judge["cells"]}
        for judge in judges
    ]
    places = sorted({key[1:] for own in found for key in own})
    if len(places) < 2:
        return None
    rows = [
        (*place, bin_name, *(own.get((bin_name, *place)) for own in found))
        for place in places
        for bin_name in BIN_NAMES
        if any((bin_name, *place) in own for own in found)
    ]
    return _listed("cells", "By setting and category", ("Setting", "Category", "Hop"), judges, rows)


def _losses(bench: Mapping[str, Any]) -> Safe | None:
    """Return the real losses of each policy; None when there is but one."""
    judges = shown_judges(bench)
    found = [judge["anti_time_by_policy"] for judge in judges]
    policies = sorted({policy for own in found for policy in own})
    if len(policies) < 2:
        return None
    rows = [(policy, *(own.get(policy) for own in found)) for policy in policies]
    return _listed("losses", "Real losses by policy", ("Policy",), judges, rows)


def _listed(
    name: str,
    title: str,
    heads: Sequence[str],
    judges: Sequence[Mapping[str, Any]],
    rows: Sequence[Sequence[Any]],
) -> Safe:
    """Return a table with a column per judge; each row begins with as many words as `heads`."""
    shown = [tag("th", head, scope="col") for head in heads]
    shown += [tag("th", judge["name"], scope="col", class_="num") for judge in judges]
    lines = [
        tag(
            "tr",
            *(tag("th", word, scope="row") for word in row[: len(heads)]),
            *(tag("td", words.number(e), class_="num") for e in row[len(heads) :]),
        )
        for row in rows
    ]
    table = tag("table", tag("thead", tag("tr", *shown)), tag("tbody", *lines), class_="plain")
    return section(name, title, scroll(table, title))


def _gallery(shown: Sequence[Shown]) -> Safe:
    """Return the pairs to look at, those that judges disagree on first."""
    lead = tag(
        "p",
        "The first frame of the episode, then the pair as the judges saw it. ✓ right, ✗ wrong, 0 no"
        " difference, ? no valid answer.",
        class_="caption",
    )
    return section("looked-at", "Pairs to look at", lead, *map(_item, shown))


def _item(one: Shown) -> Safe:
    pictures = [
        tag(
            "span",
            tag("img", src=address, alt=f"{which}: {one.item}", width=160),
            tag("br"),
            tag("small", which),
        )
        for which, address in one.pictures.items()
    ]
    truth = "further on" if one.y > 0 else "further back"
    said = [
        tag("li", f"{_mark(answer, one.y)} {name}", class_=None if answer == one.y else "not-ok")
        for name, answer in one.answers.items()
    ]
    return tag(
        "div",
        tag("h4", one.instruction),
        tag("p", f"The second moment is {truth}. {one.facts}; {one.note}.", class_="caption"),
        tag("div", *pictures, class_="legend") if pictures else None,
        tag("ul", *said, class_="legend"),
        class_="pair",
    )


def _mark(answer: int, y: int) -> str:
    return "✓" if answer == y else {0: "0", 1: "✗", -1: "✗"}.get(answer, "?")


def _making(bench: Mapping[str, Any]) -> Safe:
    """Return how the benchmark was made and counted."""
    built = bench["built"]
    dropped = ", ".join(
        f"{words.points(built['pairs']['dropped'][reason]['share'])} % {reason}"
        for reason in REASONS
    )
    sentences = [
        _INTERVALS,
        f"Of {built['pairs']['considered']} pairs of moments, dropped: {dropped}.",
    ]
    if built["regression_share"] is not None:
        share = words.points(built["regression_share"])
        sentences.append(
            f"{share} % of the losses are real ones; the others are gains shown backwards."
        )
    sentences += unknown_policies(built)
    return section("making", "How it was made", *(tag("p", sentence) for sentence in sentences))
