"""What the tables of a comparison with people show: columns, names, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._assisted_words import assisted_notes

__all__ = [
    "COLUMNS",
    "Number",
    "asked_judges",
    "lead",
    "name_of",
    "notes",
    "shown_rows",
]

Row: TypeAlias = Mapping[str, Any]

_SCORES = {
    "last30": "the mean of its last 30 % of moments",
    "end": "its last moment",
    "max": "its highest moment",
}

_INTERVALS = (
    "Intervals hold 95 %. Those of correlations, line and lift leave out each episode in turn"
    " (jackknife; correlations on Fisher's z), those of error and bias draw episodes again"
    " (bootstrap-t)."
)


@dataclass(frozen=True)
class Number:
    """One column: its key in the document, heading and meaning, and how it is worded."""

    key: str
    heading: str
    title: str
    word: Callable[[words.Estimate], str]


COLUMNS = (
    Number("pearson", "Pearson", "Linear correlation with people's scores.", words.amount),
    Number("spearman", "Spearman", "Linear correlation of ranks.", words.amount),
    Number(
        "kendall",
        "Kendall",
        "Tau-b: pairs in the same order less pairs in the opposite one, as a share.",
        words.amount,
    ),
    Number(
        "slope",
        "Slope",
        "Of the line judge = intercept + slope times people; 1 is right.",
        words.amount,
    ),
    Number(
        "intercept", "Intercept", "Of the same line, in points of 0..100; 0 is right.", words.number
    ),
    Number(
        "error", "Error", "Mean absolute difference from people, in points of 0..100.", words.number
    ),
    Number(
        "bias",
        "Bias",
        "Mean difference from people; above 0 the judge is the kinder one.",
        words.number,
    ),
    Number(
        "lift",
        "Lift",
        "Pearson less that of the best null judge (at least 0), on what both scored.",
        words.amount,
    ),
)


def name_of(row: Row) -> str:
    """Return what a row is called: the judge and, where runs differ, the setting."""
    shared = not row["setting"] or row["also"]
    return str(row["judge"]) if shared else f"{row['judge']} · {row['setting']}"


def shown_rows(compared: Mapping[str, Any]) -> list[Row]:
    """Return the rows in table order: judges in the order of the runs, then the null judges."""
    return sorted(compared["rows"], key=lambda row: bool(row["null"]))


def asked_judges(compared: Mapping[str, Any], *, nulls: bool) -> dict[str, Row]:
    """Return the judges by the names of their rows, as an audit describes them."""
    return {
        name_of(row): {
            "name": row["judge"],
            "settings": row["options"],
            "passport": row.get("passport"),
        }
        for row in shown_rows(compared)
        if nulls or not row["null"]
    }


def lead(compared: Mapping[str, Any]) -> str:
    """Say in words which judge goes with people best, and what a null judge reaches."""
    human = compared["human"]
    who = words.counted(len(human["raters"]), "rater") if human["raters"] != [""] else "people"
    thing = f"{words.counted(human['points'], 'moment')} of " if human["by"] == "moment" else ""
    begun = f"{who} scored {thing}{words.counted(human['episodes'], 'episode')}."
    asked = [row for row in compared["rows"] if not row["null"]]
    known = [row for row in asked if row["pearson"]["value"] is not None]
    begun = f"{begun[0].upper()}{begun[1:]}"
    if not known:
        why = asked[0]["pearson"].get("why") if asked else "the runs have null judges only"
        return f"{begun} No judge has a correlation with them: {why}."
    best = max(known, key=lambda row: row["pearson"]["value"])
    among = "Of the judges, " if len(asked) > 1 else ""
    told = (
        f"{among}{name_of(best)} goes with them {'best' if among else 'as far as this'}:"
        f" Pearson {words.amount(best['pearson'])} ({words.count(best['pearson'])})"
    )
    return f"{begun} {told}{_null_words(compared)}."


def _null_words(compared: Mapping[str, Any]) -> str:
    null = compared["best_null"]
    if null is None:
        return ""
    values = [r["pearson"] for r in compared["rows"] if r["judge"] == null]
    best = max(values, key=lambda figure: figure["value"] if figure["value"] is not None else -2)
    return f"; the best null judge, {null}, reaches {words.amount(best)}"


def notes(compared: Mapping[str, Any]) -> list[str]:
    """Return how the numbers were made, and all that was left out."""
    human, matching = compared["human"], compared["matching"]
    moments = human["by"] == "moment"
    made = (
        "The judge's curve is read at the moments that people scored"
        if moments
        else f"The judge's score of an episode is {_SCORES[compared['score']]}"
    )
    source = "given" if human["scale_from"] == "given" else "read off the scores"
    means = f"people's score is the mean over raters, on a scale of 0..{human['scale']}"
    found = [f"{made}; {means} ({source}).", _INTERVALS]
    if moments:
        found.append(
            "Moments of one episode go together, so that n counts episodes. Progress mostly rises"
            " with time: the null judges show what a clock reaches."
        )
    if not any(row["null"] for row in compared["rows"]):
        found.append(
            "No run has a null judge beside: audit with --beside ramp to see what any"
            " judge must beat."
        )
    left = _left_out(human, matching)
    return [*found, *left, *_reasons(compared["rows"]), *assisted_notes(compared)]


def _left_out(human: Mapping[str, Any], matching: Mapping[str, Any]) -> list[str]:
    found = []
    if human["empty"]:
        rows = words.counted(human["empty"], "row")
        found.append(f"{rows} without a score: counted as not scored, not as 0.")
    lost = matching["unmatched"]
    if lost["count"]:
        named = words.some([_lost(one) for one in lost["first"]])
        found.append(f"No run has {lost['count']} of the scored episodes: {named}.")
    if matching["unrated"]:
        count = words.counted(matching["unrated"], "episode")
        found.append(f"{count} of the runs nobody scored: not compared, but counted in means.")
    if human.get("labels"):
        told = [f"{name} of {words.counted(n, 'episode')}" for name, n in human["labels"].items()]
        found.append(f"Labels of other metrics: {words.listing(told)}.")
    if human["ignored"]:
        found.append(f"Columns that were not read: {words.listing(human['ignored'])}.")
    return found


def _lost(one: Mapping[str, Any]) -> str:
    near = f" (nearest: {words.listing(one['nearest'])})" if one["nearest"] else ""
    return f"{one['episode']}{near}"


def _reasons(rows: Sequence[Row]) -> list[str]:
    """Say why numbers or intervals are missing, and which episodes a judge did not score."""
    by_reason: dict[str, list[str]] = {}
    found = []
    for row in rows:
        whys = [(row[column.key] or {}).get("why") for column in COLUMNS[:5]]
        for why in dict.fromkeys(str(why) for why in whys if why):
            by_reason.setdefault(why, []).append(name_of(row))
        unscored = {status: n for status, n in row["status"].items() if status != "ok"}
        if unscored:
            found.append(f"{name_of(row)}: {words.statuses(unscored)}; left out, not 0.")
        if row["absent"]:
            count = words.counted(row["absent"], "scored episode")
            found.append(f"{name_of(row)}: its run does not have {count}.")
    told = [
        f"{words.MISSING} or {words.FEW}, {why}: {words.some(who)}."
        for why, who in by_reason.items()
    ]
    return [*told, *found]
