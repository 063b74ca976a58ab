"""What few labels and a judge come to, in words: columns, remarks and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import title_of

__all__ = [
    "ASSISTED",
    "Column",
    "assisted_lead",
    "assisted_name",
    "assisted_notes",
    "assisted_rows",
    "is_helped",
    "metric_title",
    "remark",
    "warned",
]

Row: TypeAlias = Mapping[str, Any]

_MANY = 1.05  # times the labels; less is no gain that anybody would notice
_NULL = "needs no understanding: what a judge gains counts beyond this"
_CURVE = (
    "MC, MP, PPL and CRA are those of people's curve, the mean over raters at the moments that they"
    " scored: scored further apart it has fewer peaks. STR is left out, as it counts steps."
)
_CHANCE = (
    "Means with few labels hold for all episodes of a row if chance picked those that people"
    " scored. A judge may be wrong by any amount: its mean over the other episodes is corrected by"
    " how far it is off on the labelled ones."
)


@dataclass(frozen=True)
class Column:
    """One column: its heading, its meaning, and how the cell of a row is worded."""

    heading: str
    title: str
    word: Callable[[Row], str]


def _worth(row: Row) -> str:
    found = row["effective_labels"]
    if row["why"] is None and not row["is_informative"]:
        return "no gain"
    return words.amount(found)


def _ratio(row: Row) -> str:
    return words.MISSING if row["width_ratio"] is None else f"{row['width_ratio']:.2f}"


ASSISTED = (
    Column(
        "Labels",
        "Episodes that people labelled and the judge scored.",
        lambda row: str(row["labels"]),
    ),
    Column("Others", "Episodes that only the judge scored.", lambda row: str(row["others"])),
    Column(
        "With the judge",
        "Mean over all episodes from the labels and the judge's scores, in points of 0..100.",
        lambda row: words.number(row["mean"]),
    ),
    Column("Labels alone", "The same from the labels.", lambda row: words.number(row["alone"])),
    Column(
        "Judge alone, biased",
        "Mean of the judge's own figure over all episodes it scored. No label corrects it: its"
        " interval knows nothing of how far the judge is off.",
        lambda row: words.number(row["judge_alone"]),
    ),
    Column(
        "Worth",
        "How many labels would do as well without the judge; its range comes from that of the"
        " correlation with the labels. No gain: that correlation is not told apart from 0.",
        _worth,
    ),
    Column(
        "Width",
        "Length of the interval with the judge over that of the labels alone; below 1 it helps.",
        _ratio,
    ),
)


def metric_title(name: str) -> str:
    """Return what a metric is called: "progress", "MP", "success at the end"."""
    return title_of({"column": name, "threshold": None})


def assisted_name(row: Row) -> str:
    """Return what a row is called: the judge, its run where runs differ, and the policy."""
    shared = not row["setting"] or row["also"]
    judge = str(row["judge"]) if shared else f"{row['judge']} · {row['setting']}"
    return f"{judge} · {row['policy']}" if row["policy"] is not None else judge


def assisted_rows(compared: Row) -> list[Row]:
    """Return the rows in table order: metric by metric, whole runs first, null judges last."""
    rows: Sequence[Row] = compared.get("assisted") or ()
    order = {name: place for place, name in enumerate(dict.fromkeys(r["metric"] for r in rows))}
    return sorted(
        rows,
        key=lambda row: (order[row["metric"]], row["policy"] is not None, bool(row["null"])),
    )


def is_helped(compared: Row) -> bool:
    """Tell whether some row has episodes that only a judge scored."""
    return any(row["why"] is None for row in assisted_rows(compared))


def warned(row: Row) -> list[str]:
    """Return the warnings of a row, without the end of a sentence."""
    return [str(line).rstrip(".") for line in row["warnings"]]


def remark(row: Row) -> str:
    """Say what a reader has to know of a row."""
    if row["why"] is not None:
        return str(row["why"])
    found = warned(row)
    if row["null"] and row["is_informative"]:
        found.append(_NULL)
    if row["strata"]:
        found.append(f"by {row['strata']['by']}, {row['strata']['count']} parts")
    found += [f"{row['unjudged']} labelled but not scored"] if row["unjudged"] else []
    found += [f"{row['unscored']} neither"] if row["unscored"] else []
    found += [f"by {row['by']}"] if row["judge_alone"]["value"] is None else []
    return "; ".join(found)


def assisted_lead(compared: Row) -> str:
    """Say what the best judge's help is worth, and what a null judge's would be.

    Empty for a document without such rows, which older versions wrote.
    """
    rows = [row for row in assisted_rows(compared) if row["policy"] is None]
    if not rows:
        return ""
    known = [r for r in rows if r["metric"] == rows[0]["metric"] and r["why"] is None]
    if not known:
        return f"A judge can't help here: {rows[0]['why']}."
    asked = [row for row in known if not row["null"]] or known
    best = max(asked, key=_gain)
    return f"{_helped(best)}{_against_null(best, known)}."


def _gain(row: Row) -> float:
    value = row["effective_labels"]["value"]
    return 0.0 if value is None else float(value) / float(row["labels"])


def _helped(row: Row) -> str:
    labels, others = words.counted(row["labels"], "label"), row["others"]
    title, name = metric_title(row["metric"]), assisted_name(row)
    means = f"mean {title} {words.number(row['mean'])} against {words.number(row['alone'])} of the"
    alone = (
        f"; {name} alone says {words.number(row['judge_alone'])}, its bias included"
        if row["judge_alone"]["value"] is not None
        else ""
    )
    if not row["is_informative"] or _gain(row) < _MANY:
        why = (warned(row) or ["it adds next to nothing"])[0]
        said = f"{name} adds nothing to {labels}: {why[0].lower()}{why[1:]}"
        return f"{said}; {means} labels alone{alone}"
    worth = words.amount(row["effective_labels"])
    return (
        f"With {name}'s scores of {others} other episodes, {labels} are worth {worth}:"
        f" {means} labels alone{alone}"
    )


def _against_null(best: Row, known: Sequence[Row]) -> str:
    """Say what the best null judge's help is worth."""
    nulls = [row for row in known if row["null"] and row is not best]
    if not nulls:
        return ""
    null = max(nulls, key=_gain)
    if not null["is_informative"] or _gain(null) < _MANY:
        return "; no null judge shows a gain"
    worth = words.amount(null["effective_labels"])
    return f"; the null judge {assisted_name(null)} would make them worth {worth}"


def assisted_notes(compared: Row) -> list[str]:
    """Return how the means were made, and what was left out."""
    rows = assisted_rows(compared)
    helped = [row for row in rows if row["why"] is None]
    if not helped:
        return []
    found = [_CHANCE, str(helped[0]["note"])]
    unseen = max(row["unseen"] for row in helped)
    found.append(
        f"With so few labels up to {words.points(unseen)} % of the episodes may be of a kind, such"
        " as a rare blunder of the judge, that no label happens to show."
    )
    if any(row["source"] == "curve" and row["metric"] != "progress" for row in rows):
        found.append(_CURVE)
    short = max(row["short"] for row in rows)
    if short:
        count = words.counted(short, "episode")
        found.append(f"{count} with one scored moment: no curve, and no metric of one.")
    for row in helped:
        if not row["null"] and row["policy"] is None:
            title = metric_title(row["metric"])
            found += [f"{assisted_name(row)}, {title}: {line}." for line in warned(row)]
    return found
