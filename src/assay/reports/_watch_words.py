"""What a watched run says: one line per pair of policies and metric, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import amount, title_of

__all__ = [
    "change",
    "counted",
    "judges_of",
    "lead",
    "left_out",
    "line",
    "metric_of",
    "more_words",
    "told",
]

Row: TypeAlias = Mapping[str, Any]


def metric_of(watched: Row, row: Row) -> Row:
    """Return the metric of a stream, as the document has it."""
    found: Row = next(one for one in watched["metrics"] if one["name"] == row["metric"])
    return found


def judges_of(watched: Row) -> dict[str, Row]:
    """Return the judges as their audits describe them; none of what older versions watched."""
    return {one["as"]: one for one in watched["judge"].get("described", ())}


def change(watched: Row, row: Row) -> str:
    """Word a difference, or the mean of a policy alone, with its interval: "+4.1 [-3.0, +11.2]"."""
    metric, is_duel = metric_of(watched, row), row["b"] is not None
    if row["value"] is None:
        return words.MISSING
    ends = [amount(metric, row[key], signed=is_duel) for key in ("low", "high")]
    interval = words.FEW if row["low"] is None else f"[{', '.join(ends)}]"
    return f"{amount(metric, row['value'], signed=is_duel)} {interval}"


def counted(row: Row) -> str:
    """Word what stands behind a stream: "23 pairs", or "20 episodes" of a policy alone."""
    return words.counted(row["pairs"], _noun(row))


def more_words(row: Row) -> str:
    """Word how many more pairs a verdict takes: "about 38 more [12, 90]"; "" if nobody can say."""
    if row["more"] is None:
        return ""
    high = "no end" if row["more_high"] is None else row["more_high"]
    return f"about {row['more']} more [{row['more_low']}, {high}]"


def told(watched: Row, row: Row) -> str:
    """Say what to do: stop, continue, or that a finished run did not decide."""
    if row["b"] is None:
        return "nothing to compare yet"
    if row["verdict"] == "alike":
        found = f"they differ by less than {watched['settings']['margin']:g} points"
        return f"stop, {found} (decided after {row['decided_at']})"
    if row["verdict"] is not None:
        by = " by signs" if row["by"] == "signs" else ""
        found = f"{row['better']} {_claim(watched, row)} (decided{by} after {row['decided_at']})"
        return f"stop, {found}{_beside(watched, row)}"
    first, joint = ("not decided", "; ") if watched["finished"] else ("continue", ", ")
    if row["more"] is not None:
        return f"{first}{joint}{more_words(row)}"
    return f"{first} ({row['why'] or 'no pair yet'})"


def line(watched: Row, row: Row) -> str:
    """Word a stream on one line."""
    who = row["a"] if row["b"] is None else f"{row['a']} - {row['b']}"
    unit = "" if row["value"] is None else " points"
    shown = f"{row['metric']}: {who} {change(watched, row)}{unit} after {counted(row)}"
    return f"{shown}: {told(watched, row)}"


def lead(watched: Row) -> str:
    """Say first what watching has come to so far."""
    duels = [row for row in watched["streams"] if row["b"] is not None]
    if not duels:
        return f"There is one policy, {watched['policies'][0]}: nothing to compare yet."
    done = [row for row in duels if row["verdict"] is not None]
    said = [_verdict(watched, row) for row in done[:3]]
    if len(done) == len(duels):
        return " ".join(["Stop: every comparison has its verdict.", *said])
    more = [row["more"] for row in duels if row["verdict"] is None]
    known = [count for count in more if count is not None]
    guess = f" The next verdict may take about {min(known)} more pairs." if known else ""
    state = "The run is finished" if watched["finished"] else "Continue"
    left = f"{len(duels) - len(done)} of {words.counted(len(duels), 'comparison')}"
    return " ".join([f"{state}: {left} not decided.{guess}", *said])


def _verdict(watched: Row, row: Row) -> str:
    title = title_of(metric_of(watched, row))
    if row["verdict"] == "alike":
        margin = f"{watched['settings']['margin']:g} points"
        return f"{row['a']} and {row['b']} differ by less than {margin} in {title}."
    other, since = _other(row, row["better"]), f"since pair {row['decided_at']}"
    if row["by"] == "signs":
        rest = _beside(watched, row) or "; by how much its mean is higher is open"
        ahead = f"{row['better']} tends to be ahead of {other} in {title}, {_each(row)}, {since}"
        return f"{ahead}{rest}."
    return f"{row['better']} {_claim(watched, row)} of {title} than {other}, {since}."


def _claim(watched: Row, row: Row) -> str:
    """Say what a verdict claims of the better policy: a higher mean, or being ahead mostly."""
    if row["by"] == "signs":
        return f"tends to be ahead {_each(row)}"
    metric = metric_of(watched, row)
    height = "lower" if metric["up_is_good"] is False else "higher"
    return f"has the {height} {'share' if metric['share'] else 'mean'}"


def _beside(watched: Row, row: Row) -> str:
    """Say what the mean adds to a verdict by signs, or has against it; "" if nothing."""
    if row["by"] != "signs":
        return ""
    metric = metric_of(watched, row)
    height = "lower" if metric["up_is_good"] is False else "higher"
    if row["mean_verdict"] is not None:
        same = row["mean_verdict"] == row["verdict"]
        who = "and" if same else f"but {_other(row, row['better'])}"
        return f"; {who} has the {height} mean, since pair {row['mean_decided_at']}"
    against = row["value"] < 0 if row["verdict"] == "above" else row["value"] > 0
    return "; but the mean so far leans the other way" if against else ""


def _other(row: Row, name: str) -> str:
    return str(row["b"] if name == row["a"] else row["a"])


def _each(row: Row) -> str:
    """Name what two policies are held against each other in: scenes, or rounds of tasks."""
    return "scene by scene" if len(row["tasks"]) == 1 else "round by round"


def left_out(row: Row) -> list[str]:
    """Say what of a stream is not in its figures yet, or not at all."""
    noun, found = _noun(row), []
    lost = sum(row["unscored"].values())
    if lost:
        found.append(f"{words.counted(lost, noun)} without a value, left out and not 0")
        found[-1] += f" ({words.statuses(row['unscored'])})"
    if row["waiting"]:
        found.append(f"{words.counted(row['waiting'], noun)} waiting for one of every other task")
    if row["repeats"]:
        found.append(f"{words.counted(row['repeats'], 'repetition')} of a scene, not counted")
    return found


def _noun(row: Row) -> str:
    return "episode" if row["b"] is None else "pair"
