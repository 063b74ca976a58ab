"""Write the page of a policy's training: what it looks at, how near it comes, if it succeeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.reports import words
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._sections import section
from assay.reports._training_charts import PLAIN, course
from assay.reports.policy_training import MEASURED_ON, NULLS

__all__ = ["write_policy_page"]

_COURSE = (
    ("Loss on what it learns from", "loss", PLAIN),
    ("Loss on held-out demonstrations", "valid_loss", PLAIN),
)


def write_policy_page(training: Mapping[str, Any], out: Path) -> None:
    """Write `index.html` and its style into `out`; the same training gives the same bytes.

    Args:
        training: The document of `train-policy.json`.
        out: The folder.
    """
    title = f"A policy for {training['policy']['task']}"
    body = tag(
        "main",
        _figures(training),
        _tried(training),
        section("course", "The course of training", course(training["history"], _COURSE)),
        _data(training),
        id="main",
    )
    write_still_page(title, [_heading(training, title), body], out)


def _heading(training: Mapping[str, Any], title: str) -> Safe:
    card, counts = training["policy"], training["episodes"]
    facts = {
        "Looks at": card["about"]["looks_at"],
        "Instruction": words.quoted(card["instruction"]) if card["instruction"] else "none",
        "Robot": f"{card['robot'] or 'not told'}, {card['joints']} joints",
        "Acts": f"{card['rate_hz']} times a second, {card['done']} actions from one look",
        "Learnt from": f"{words.counted(counts['trained'], 'demonstration')},"
        f" {words.counted(training['moments'], 'moment')}",
        "Held out": f"{words.counted(counts['held_out'], 'demonstration')},"
        f" by {training['held_out_by']}",
        "Left out": f"{words.counted(counts['failed'], 'attempt')} that failed",
        "Stopped": f"after {training['history'][-1]['step']} steps: {training['stopped']}",
    }
    shown = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()]
    return tag(
        "header",
        tag("p", "Assay · training of a policy", class_="kicker"),
        tag("h1", title),
        tag("p", _first_line(training), class_="lead"),
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _first_line(training: Mapping[str, Any]) -> str:
    own, stay = (training["figures"][name]["joints_rad"] for name in ("cloned", "stay"))
    line = (
        f"On {MEASURED_ON[training['measured_on']]} its joint targets are"
        f" {words.amount(own)} rad off; keeping still is {words.amount(stay)} rad off."
    )
    if not training["tried"]:
        return f"{line} Whether it succeeds was not tried: roll it out."
    rows = training["tried"]["rows"]
    told = words.listing(f"{row['policy']} {words.number(row['success'])}" for row in rows)
    return f"{line} Of 100 attempts on fresh seeds succeed: {told}."


def _figures(training: Mapping[str, Any]) -> Safe:
    rows = [
        [name, words.amount(row["joints_rad"]), words.number(row["gripper"])]
        for name, row in training["figures"].items()
    ]
    n = next(iter(training["figures"].values()))["joints_rad"]["n"]
    nulls = "; ".join(f"{name} {what}" for name, what in NULLS.items())
    caption = (
        f"On {MEASURED_ON[training['measured_on']]}, n = {n}, each counting once; 95 % intervals"
        f" over demonstrations. Nulls: {nulls}. {words.few_note()}"
    )
    heads = ("policy", "joint error, rad", "gripper on the wrong side, %")
    return section(
        "figures",
        "How near it comes to what was done",
        tag("p", caption, class_="caption"),
        scroll(_table(heads, rows), "Errors"),
    )


def _tried(training: Mapping[str, Any]) -> Safe | None:
    tried = training["tried"]
    if not tried:
        return None
    rows = [
        [row["policy"], words.number(row["success"]), f"{row['successes']} of {row['n']}"]
        for row in tried["rows"]
    ]
    caption = (
        f"Attempts on seeds {tried['seeds']}, with Wilson intervals. frozen does not move; replayed"
        " plays the actions of one demonstration."
    )
    return section(
        "tried",
        "Whether it succeeds",
        tag("p", caption, class_="caption"),
        scroll(_table(("policy", "success, %", "successes"), rows), "Success"),
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Safe:
    head = [
        tag("th", text, scope="col", class_="num" if n else None) for n, text in enumerate(heads)
    ]
    body = [
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell, class_="num") for cell in rest))
        for first, *rest in rows
    ]
    return tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body), class_="plain")


def _data(training: Mapping[str, Any]) -> Safe:
    sources = [
        tag("li", tag("code", str(one["path"])), f": {words.counted(one['episodes'], 'episode')}")
        for one in training["inputs"]
    ]
    bad = [tag("li", f"{one['episode']}: {one['detail']}") for one in training["unreadable"]]
    left_out = [tag("h3", "Not learnt from"), tag("ul", *bad)] if bad else []
    return section("data", "What it learnt from", tag("ul", *sources), *left_out)
