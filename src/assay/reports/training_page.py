"""Write the page of a training: what the new judge learnt, how well, and what it can't see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.reports import words
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, join, tag
from assay.reports._parts import scroll
from assay.reports._sections import section
from assay.reports._training_charts import Example, calibration_chart, course, examples
from assay.reports.training import COLUMNS, DOMAINS

__all__ = ["Example", "write_training_page"]


def write_training_page(training: Mapping[str, Any], shown: Sequence[Example], out: Path) -> None:
    """Write `index.html` and its style into `out`; the same training gives the same bytes.

    Args:
        training: The document of `train.json`.
        shown: Episodes to show with their curves.
        out: The folder.
    """
    title = f"A judge of {words.some([task['task'] for task in training['tasks']])}"
    write_still_page(title, [_heading(training, title), _main(training, shown)], out)


def _main(training: Mapping[str, Any], shown: Sequence[Example]) -> Safe:
    return tag(
        "main",
        _blind(training),
        _judges(training),
        section("course", "The course of training", course(training["history"])),
        _calibration(training),
        _examples(training, shown),
        _data(training),
        id="main",
    )


def _heading(training: Mapping[str, Any], title: str) -> Safe:
    counts, labels = training["episodes"], training["labels"]
    facts = {
        "Learnt from": f"{words.counted(counts['trained'], 'episode')}, of"
        f" {words.counted(len(training['tasks']), 'task')}",
        "Held out": f"{words.counted(counts['held_out'], 'episode')}, by {training['held_out_by']}",
        "Labels": f"{labels['successes']} succeeded, {labels['failures']} failed,"
        f" {labels['unknown']} not labelled and taken for successes",
        "Views": words.listing(training["views"]),
        "Frames": f"{training['settings']['fps']:g} a second, {training['size']} pixels square",
        "Started from": training["start"],
        "Stopped": f"after {training['history'][-1]['step']} steps: {training['stopped']}",
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        tag("p", "Assay · training of a judge", class_="kicker"),
        tag("h1", title),
        tag("p", _first_line(training), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _first_line(training: Mapping[str, Any]) -> str:
    """Say how good the judge is, beside the best null judge."""
    own, *nulls = training["judges"]
    best = max(nulls, key=lambda row: row["back"]["value"] or 0.0)
    return (
        f"Of 100 pairs of moments of {DOMAINS[training['judged_on']]}, played forward and then"
        f" backwards, it puts {words.number(own['back'])} in the right order; the best null judge,"
        f" {best['judge']}, {words.number(best['back'])}."
    )


def _judges(training: Mapping[str, Any]) -> Safe:
    heads = [tag("th", "judge", scope="col")]
    heads += [
        tag("th", heading, scope="col", title=meaning, class_="num")
        for heading, meaning in COLUMNS.values()
    ]
    rows = [
        tag("tr", tag("th", row["judge"], scope="row"), *(_figure(row, key) for key in COLUMNS))
        for row in training["judges"]
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="plain")
    meanings = [
        part
        for heading, meaning in COLUMNS.values()
        for part in (tag("dt", heading), tag("dd", meaning))
    ]
    caption = (
        f"On {DOMAINS[training['judged_on']]}, n = {training['judged']}. Scale 0 to 100, 95 %"
        " intervals over episodes. A judge that does no better than the null judges below it has"
        f" learnt nothing. {words.few_note()}"
    )
    return section(
        "judges",
        "Beside the null judges",
        tag("p", caption, class_="caption"),
        scroll(table, "Judges"),
        tag("dl", *meanings, class_="meanings"),
    )


def _figure(row: Mapping[str, Any], key: str) -> Safe:
    estimate = row[key]
    why = words.reason(estimate)
    note = tag("small", why or words.count(estimate), class_="ci")
    return tag("td", words.number(estimate), note, class_="num")


def _calibration(training: Mapping[str, Any]) -> Safe:
    caption = (
        "A point on the line says what is so. Bars are one standard deviation of what is known."
    )
    return section(
        "calibration",
        "Calibration",
        tag("p", caption, class_="caption"),
        calibration_chart(training["calibration"]),
    )


def _examples(training: Mapping[str, Any], shown: Sequence[Example]) -> Safe:
    caption = (
        f"The best, the middle and the worst of {DOMAINS[training['judged_on']]}, successes and"
        " failures apart, by their distance to what is known."
    )
    return section("examples", "Examples", tag("p", caption, class_="caption"), examples(shown))


def _blind(training: Mapping[str, Any]) -> Safe:
    items = [tag("li", sentence) for sentence in training["blind_spots"]]
    return section("blind", "What it can't see", tag("ul", *items))


def _data(training: Mapping[str, Any]) -> Safe:
    tasks = [
        tag(
            "tr",
            tag("th", task["task"], scope="row"),
            tag("td", words.listing(map(words.quoted, task["instructions"]))),
            tag("td", str(task["trained"]), class_="num"),
            tag("td", str(task["held_out"]), class_="num"),
        )
        for task in training["tasks"]
    ]
    heads = [tag("th", h, scope="col") for h in ("task", "instruction", "learnt from", "held out")]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *tasks), class_="plain")
    sources = [
        tag("li", tag("code", str(one["path"])), f": {words.counted(one['episodes'], 'episode')}")
        for one in training["inputs"]
    ]
    bad = [tag("li", f"{one['episode']}: {one['detail']}") for one in training["unreadable"]]
    left_out = [tag("h3", "Not learnt from"), tag("ul", *bad)] if bad else []
    said = [
        tag("li", f"{words.counted(n, 'episode')}: {training['origins'][origin]}.")
        for origin, n in training["targets"].items()
    ]
    return section(
        "data",
        "What it learnt from",
        scroll(table, "Tasks"),
        tag("h3", "Where the progress came from"),
        tag("ul", *said),
        tag("h3", "Input"),
        join([tag("ul", *sources), *left_out]),
    )
