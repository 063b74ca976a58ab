"""What a comparison of policies says: names of metrics, numbers, and sentences for a reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from assay.reports import words

__all__ = [
    "amount",
    "best_first",
    "chance",
    "change",
    "counted_units",
    "drop_words",
    "estimate_words",
    "family_size",
    "interval_words",
    "lead",
    "needed_words",
    "overall",
    "p_words",
    "plan_words",
    "reach_words",
    "sentence",
    "strongest_first",
    "title_of",
    "unit_of",
]

Row: TypeAlias = Mapping[str, Any]

_TITLES = {
    "success_end": "success at the end",
    "success_once": "success at some moment",
    "success_held": "success that held",
    "duration_s": "duration",
}
_METRICS = frozenset({"mc", "mp", "ppl", "cra", "str"})
_FURTHER = frozenset({"mp", "mc"})
_MOST_SENTENCES = 3


def title_of(metric: Row) -> str:
    """Return what a metric is called: "MP", "success at the end", "MC of 75 or more"."""
    name = _TITLES.get(metric["column"], str(metric["column"]))
    name = name.upper() if name == metric["column"] and name in _METRICS else name
    if metric["threshold"] is None:
        return name
    return f"{name} of {100 * metric['threshold']:g} or more"


def unit_of(metric: Row) -> str:
    """Return the unit of a difference: points of 0..100, seconds, or nothing."""
    if _is_bounded(metric):
        return "points"
    return "s" if metric["column"].endswith("_s") else ""


def amount(metric: Row, value: float | None, *, signed: bool = True) -> str:
    """Word a difference: "+12.3" points, or "+1.27" in the unit of an open metric."""
    if value is None:
        return words.MISSING
    sign = "+" if signed else ""
    if _is_bounded(metric):
        return f"{round(100 * value, 1) + 0.0:{sign}.1f}"
    return f"{value + 0.0:{sign}.3g}"


def estimate_words(metric: Row, estimate: Row) -> str:
    """Word the mean of one policy with its interval."""
    return words.number(estimate) if _is_bounded(metric) else words.amount(estimate)


def interval_words(metric: Row, row: Row) -> str:
    """Word the interval of a difference: "[+4.1, +20.2]", or a mark without one."""
    found = row["difference"]
    if found is None or found["low"] is None or found["high"] is None:
        return words.FEW
    return f"[{amount(metric, found['low'])}, {amount(metric, found['high'])}]"


def change(metric: Row, row: Row) -> str:
    """Word a difference with its interval: "+12.3 [+4.1, +20.2]"."""
    if row["difference"] is None:
        return words.MISSING
    return f"{amount(metric, row['difference']['value'])} {interval_words(metric, row)}"


def chance(row: Row) -> str:
    """Word the probability of improvement, in percent; shares have none."""
    found = (row["difference"] or {}).get("improvement")
    return words.number(found) if found else words.MISSING


def p_words(p: float | None) -> str:
    """Word a p value: "p = 0.004", "p < 0.001"."""
    if p is None:
        return "no test"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def counted_units(row: Row) -> str:
    """Word what stands behind a difference: "50 paired scenes", "60 and 58 episodes"."""
    found = row["difference"]
    first, second = found["sizes"]
    if row["paired"]:
        told = words.counted(first, "paired scene")
    else:
        told = f"{first} and {second} episodes"
    if row["clustered"]:
        one, other = found["units"]
        trained = str(one) if one == other else f"{one} and {other}"
        told += f" of {trained} checkpoints"
    return told


def family_size(compared: Row, *, is_task: bool) -> int:
    """Return how many comparisons were adjusted together."""
    return sum((row["task"] is not None) == is_task for row in compared["comparisons"])


def overall(compared: Row, metric: str) -> list[Row]:
    """Return the comparisons over all tasks in one metric, the clearest first."""
    rows = strongest_first(compared)
    return [row for row in rows if row["metric"] == metric and row["task"] is None]


def strongest_first(compared: Row) -> list[Row]:
    """Return the comparisons over all tasks, then those of single tasks, each metric by itself.

    Within a metric come pairs that are told apart before the others, then those with the smaller p,
    then those with the larger difference. Single tasks keep the order that their pairs have.
    """
    rows = compared["comparisons"]
    metrics = [metric["name"] for metric in compared["metrics"]]
    whole = sorted((row for row in rows if row["task"] is None), key=_strength)
    whole.sort(key=lambda row: metrics.index(row["metric"]))
    places = {(row["metric"], row["a"], row["b"]): place for place, row in enumerate(whole)}
    parts = [row for row in rows if row["task"] is not None]
    parts.sort(key=lambda row: places.get((row["metric"], row["a"], row["b"]), len(places)))
    return [*whole, *parts]


def _strength(row: Row) -> tuple[bool, bool, float, float]:
    """Return what sorts the clearest comparison first."""
    if row["difference"] is None:
        return True, True, 1.0, 0.0
    is_apart = bool(row["verdict"] and row["verdict"]["separable"])
    p = row["p_adjusted"]
    return False, not is_apart, 1.0 if p is None else p, -abs(row["difference"]["value"])


def best_first(compared: Row, metric: Row) -> list[str]:
    """Return the policies by their means in a metric; those without one come last."""
    means = {p["name"]: p["estimates"][metric["name"]]["value"] for p in compared["policies"]}
    sign = 1.0 if metric["up_is_good"] is False else -1.0
    return sorted(means, key=lambda name: (means[name] is None, sign * (means[name] or 0.0)))


def sentence(compared: Row, row: Row) -> str:
    """Say of two policies in one metric what can be defended."""
    metric = next(one for one in compared["metrics"] if one["name"] == row["metric"])
    a, b, title = row["a"], row["b"], title_of(metric)
    where = "" if row["task"] is None else f" in {row['task']}"
    if row["difference"] is None:
        return f"{a} and {b} can't be compared by {title}{where}: {row['why']}."
    verdict = row["verdict"]
    behind = counted_units(row)
    if verdict["separable"] is None:
        told = f"{change(metric, row)} {unit_of(metric)}".strip()
        why = row["difference"].get("why") or "no test"
        return f"{a} and {b} can't be tested by {title}{where} ({why}): {told}, {behind}."
    many = family_size(compared, is_task=row["task"] is not None) > 1
    p = f"{p_words(row['p_adjusted'])}{' after Holm' if many else ''}"
    if verdict["interval_agrees"] is False:
        p += " (the interval is not adjusted)"
    if verdict["separable"]:
        return f"{_apart(metric, row)}{where}: {_by_how_much(metric, row)}, {behind}, {p}."
    told = f"{change(metric, row)} {unit_of(metric)}".strip()
    return (
        f"{a} and {b} are not separable by {title}{where} at this n: {told}, {behind}, {p};"
        f" {plan_words(row)}."
    )


def _apart(metric: Row, row: Row) -> str:
    """Say who is better, in the words that fit the metric."""
    a, b = row["a"], row["b"]
    if metric["up_is_good"] is None or row["verdict"]["higher"] is None:
        return f"{a} and {b} differ"
    first, second = (a, b) if _better(metric, row) == "a" else (b, a)
    if metric["share"] and metric["column"].startswith("success"):
        return f"{first} succeeds more often than {second}"
    if metric["name"] in _FURTHER:
        return f"{first} gets further than {second}"
    if metric["threshold"] is not None and metric["up_is_good"]:
        top = f"{metric['column'].upper()} {100 * metric['threshold']:g}"
        return f"{first} reaches {top} more often than {second}"
    return f"{first} does better than {second}"


def _better(metric: Row, row: Row) -> str:
    higher = str(row["verdict"]["higher"])
    if metric["up_is_good"] is not False:
        return higher
    return "b" if higher == "a" else "a"


def _by_how_much(metric: Row, row: Row) -> str:
    """Word the size as seen from the better policy: "MP 12.3 points higher [4.1, 20.2]"."""
    found = row["difference"]
    is_turned = _better(metric, row) == "b"
    turned = metric["up_is_good"] is False
    sign = -1.0 if is_turned != turned else 1.0
    ends = sorted(sign * e for e in (found["low"], found["high"]) if e is not None)
    shown = [amount(metric, end, signed=False) for end in ends]
    interval = f"[{', '.join(shown)}]" if len(shown) == 2 else words.FEW
    way = "lower" if turned else "higher"
    size = f"{amount(metric, sign * found['value'], signed=False)} {unit_of(metric)}".strip()
    return f"{title_of(metric)} {size} {way} {interval}"


def plan_words(row: Row) -> str:
    """Say how many more episodes would tell two policies apart."""
    verdict, needed = row["verdict"], row["needed"]
    if verdict is None or verdict["more"] is None:
        return f"how many more would do can't be told ({needed.get('why') or 'no plan'})"
    kind = "paired rollout" if row["paired"] else "episode"
    power = f"{100 * verdict['power']:g} % power"
    if not verdict["more"]:
        return f"if they differ as these episodes say, this n has {power} already"
    low, high = verdict["more_low"], verdict["more_high"]
    top = "no upper end" if high is None else str(high)
    each = "" if row["paired"] else " of each"
    return (
        f"{verdict['more']} more {kind}{'' if verdict['more'] == 1 else 's'}{each} would give"
        f" {power} [quartiles {low}, {top}]"
    )


def needed_words(needed: Row) -> str:
    """Word how many episodes a study needs: "88 [54, 190]", "n/a" when that can't be told."""
    if needed["n"] is None:
        return words.MISSING
    low = words.MISSING if needed["low"] is None else str(needed["low"])
    high = "no end" if needed["high"] is None else str(needed["high"])
    return f"{needed['n']} [{low}, {high}]"


def reach_words(metric: Row, row: Row) -> str:
    """Word the difference with the worst and the best put in for what is unscored."""
    if row["reach"] is None:
        return ""
    ends = sorted(row["reach"])
    return f"{amount(metric, ends[0])} to {amount(metric, ends[1])}"


def drop_words(row: Row) -> str:
    """Say what a perturbation costs, never without where the policy started."""
    told = f"{words.number(row['control'])} to {words.number(row['perturbed'])}"
    caveat = f"; {row['caveat']}" if row["caveat"] else ""
    return (
        f"{row['policy']}, {row['perturbation']}: {told}, drop {words.number(row['drop'])}{caveat}"
    )


def lead(compared: Row) -> str:
    """Say first what the comparison came to."""
    names = [policy["name"] for policy in compared["policies"]]
    first = compared["metrics"][0]
    rows = overall(compared, first["name"])
    if len(rows) == 1:
        rows = [row for metric in compared["metrics"] for row in overall(compared, metric["name"])]
    if len(rows) <= _MOST_SENTENCES:
        return " ".join(sentence(compared, row) for row in rows)
    apart = [row for row in rows if row["verdict"] and row["verdict"]["separable"]]
    letters = compared["groups"].get(first["name"], {})
    if len(overall(compared, first["name"])) == 1:
        told = " ".join(sentence(compared, row) for row in rows[:2])
        return f"{told} Of {len(rows)} metrics {len(apart)} tell them apart."
    groups = words.listing(f"{name} ({letters[name]})" for name in best_first(compared, first))
    return (
        f"By {title_of(first)}, {len(apart)} of the {words.counted(len(rows), 'pair')} of"
        f" {len(names)} policies are told apart. Best first, policies that share a letter are not:"
        f" {groups}."
    )


def _is_bounded(metric: Row) -> bool:
    return metric["low"] is not None and metric["high"] is not None
