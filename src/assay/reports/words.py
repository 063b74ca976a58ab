"""Word every number of a report: pages, tables and sentences all come here.

An estimate E is a mapping with value, low, high, n, worst, best in 0..1 (see `audit.json`); what
can't be computed is None, or has the value None and a "why".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

__all__ = [
    "FEW",
    "MISSING",
    "STATUS_MEANINGS",
    "Band",
    "Estimate",
    "amount",
    "bands_meet",
    "count",
    "counted",
    "details",
    "enough",
    "few_note",
    "gap",
    "listing",
    "number",
    "points",
    "quoted",
    "range_of",
    "reason",
    "some",
    "spread",
    "statuses",
    "unscored_range",
]

Estimate: TypeAlias = Mapping[str, Any] | None
Band: TypeAlias = Mapping[str, Any] | None
"""The range of a mean under other settings of the analysis, or None."""

MISSING = "n/a"
FEW = "†"
"""Stands behind a value that has no interval."""

STATUS_MEANINGS = {
    "unparsed": "the judge's answer could not be read as a number",
    "refused": "the judge would not answer",
    "truncated": "the judge's answer was cut off",
    "transport": "the judge could not be reached",
    "missing_frame": "a frame, a value or the whole recording is missing",
    "invalid_value": "a value is not allowed, or the judge failed",
    "no_reference": "the judge has nothing to compare with",
}
"""Why an episode has no score, by its status."""


def points(value: float | None, digits: int = 1) -> str:
    """Word a number of 0..1 on the scale of 0..100, with one decimal unless more are asked for."""
    if value is None:
        return MISSING
    return f"{round(100 * value, digits) + 0.0:.{digits}f}"  # + 0.0 turns a negative zero round


def number(estimate: Estimate) -> str:
    """Word a value with its interval: "62.3 [55.1, 69.0]", "62.3 †" without one, or "n/a".

    A narrow interval gets more decimals, at most three: "0.18 [0.16, 0.22]"; so does a value below
    one point that has none.
    """
    if estimate is None or estimate.get("value") is None:
        return MISSING
    low, high = estimate.get("low"), estimate.get("high")
    if low is None or high is None:
        return f"{points(estimate['value'], 2 if 0 < estimate['value'] < 0.01 else 1)} {FEW}"
    apart = (d for d in (1, 2) if low == high or points(low, d) != points(high, d))
    digits = next(apart, 3)
    value, low, high = (points(part, digits) for part in (estimate["value"], low, high))
    return f"{value} [{low}, {high}]"


def amount(estimate: Estimate) -> str:
    """Word an estimate of any scale, such as a diagnostic: "1.27 [1.1, 1.4]", never times 100.

    The largest of its numbers has three digits, and none has a finer step than that one.
    """
    if estimate is None or estimate.get("value") is None:
        return MISSING
    value, low, high = estimate["value"], estimate.get("low"), estimate.get("high")
    if low is None or high is None:
        return f"{value:.3g} {FEW}"
    top = max(abs(value), abs(low), abs(high))
    step = max(2 - math.floor(math.log10(top)), 0) if top > 0 else 0
    value, low, high = (round(x, step) + 0.0 for x in (value, low, high))
    return f"{value:.3g} [{low:.3g}, {high:.3g}]"


def count(estimate: Estimate) -> str:
    """Word how many episodes stand behind a value: "n = 47"."""
    return f"n = {0 if estimate is None else estimate.get('n') or 0}"


def reason(estimate: Estimate, otherwise: str = "not computed") -> str:
    """Return why there is no value; empty when there is one."""
    if estimate is None:
        return otherwise
    if estimate.get("value") is not None:
        return ""
    return str(estimate.get("why") or otherwise)


def enough(estimate: Estimate) -> bool:
    """Tell whether the estimate has a value and an interval."""
    return estimate is not None and None not in (
        estimate.get("value"),
        estimate.get("low"),
        estimate.get("high"),
    )


def unscored_range(estimate: Estimate) -> str:
    """Word the value with the worst and the best put in for missing episodes: "51.0 to 64.2".

    Empty when no episode is missing, so that both are the value itself.
    """
    if estimate is None or estimate.get("worst") == estimate.get("best"):
        return ""
    return range_of(estimate.get("worst"), estimate.get("best"))


def range_of(first: float | None, last: float | None) -> str:
    """Word two ends, "51.0 to 64.2"; empty when one is missing."""
    return "" if first is None or last is None else f"{points(first)} to {points(last)}"


def details(name: str, estimate: Estimate, missing: str = "not computed") -> str:
    """Word all that is known of an estimate on one line, for a tooltip."""
    if estimate is None or estimate.get("value") is None:
        return f"{name}: {reason(estimate, missing)}"
    parts = [f"{name} {number(estimate)}", count(estimate)]
    if unscored_range(estimate):
        parts.append(f"worst to best {unscored_range(estimate)}")
    if estimate.get("sd") is not None:
        parts.append(spread(estimate))
    if estimate.get("method"):
        parts.append(str(estimate["method"]))
    return ", ".join(parts)


def spread(estimate: Estimate) -> str:
    """Word the standard deviation over episodes: "sd 4.1"; one episode has none."""
    if estimate is None or estimate.get("sd") is None:
        return f"sd {MISSING}"
    return f"sd {points(estimate['sd'], 2 if estimate['sd'] < 0.001 else 1)}"


def gap(a: Estimate, b: Estimate) -> float:
    """Return the distance between two intervals; 0 when they meet or one is missing."""
    if a is None or b is None or not (enough(a) and enough(b)):
        return 0.0
    return max(0.0, float(a["low"] - b["high"]), float(b["low"] - a["high"]))


def bands_meet(a: Band, b: Band) -> bool:
    """Tell whether both bands of sensitivity are known and overlap or touch."""
    if not a or not b or None in (a.get("low"), a.get("high"), b.get("low"), b.get("high")):
        return False
    return bool(a["low"] <= b["high"] and b["low"] <= a["high"])


def few_note() -> str:
    """Explain the mark `FEW`."""
    return f"{FEW} no interval: fewer than 5 episodes with a value."


def statuses(counts: Mapping[str, int]) -> str:
    """Word how many episodes have each status: "47 ok, 3 missing_frame"."""
    return ", ".join(f"{n} {name}" for name, n in counts.items() if n)


def counted(n: int, noun: str) -> str:
    """Word a number of things: "1 policy", "3 tasks"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n} {noun if n == 1 else plural}"


def quoted(name: str) -> str:
    """Put a name that may be a sentence of its own into quotation marks."""
    return f"“{name}”"


def listing(items: Iterable[str]) -> str:
    """Join names as a sentence does: "a, b and c"."""
    names = list(items)
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def some(names: Sequence[str], most: int = 4) -> str:
    """Join names as `listing` does, but name no more than `most`: "a, b, c, d and 12 others"."""
    if len(names) <= most + 1:
        return listing(names)
    return f"{', '.join(names[:most])} and {len(names) - most} others"
