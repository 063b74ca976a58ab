"""The columns of a table of judges: what stands where in `bench.json`, and how it is worded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.reports import words
from assay.reports._evidence import unseen
from assay.reports.words import Estimate

__all__ = [
    "CURVES",
    "PAIRS",
    "Figure",
    "asked_judges",
    "bench_alarms",
    "shown_judges",
    "unknown_policies",
]

Judge = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """One figure of a judge.

    Attributes:
        key: Its name in tables for programs.
        heading: Its name for people.
        title: What it means.
        pick: Finds it in a judge's part of the document.
        plain: Whether it is no share, such as a correlation, and so not times 100.
        up: Whether more is better.
    """

    key: str
    heading: str
    title: str
    pick: Callable[[Judge], Estimate]
    plain: bool = False
    up: bool = True

    def worded(self, judge: Judge) -> str:
        """Return the figure of `judge` in words."""
        estimate = self.pick(judge)
        if self.plain and estimate is not None and estimate.get("value") is not None:
            low, high = estimate.get("low"), estimate.get("high")
            bounds = words.FEW if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
            return f"{estimate['value']:.2f} {bounds}"
        return words.number(estimate)

    def reach(self, judge: Judge) -> str:
        """Word what unscored episodes could make of it: "worst to best 0.56 to 1.00", or ""."""
        estimate = self.pick(judge)
        found = words.unscored_range(estimate)
        if found and estimate is not None and self.plain:
            found = f"{estimate['worst']:.2f} to {estimate['best']:.2f}"
        return found and f"worst to best {found}"


def _bin(name: str) -> Callable[[Judge], Estimate]:
    return lambda judge: (judge["bins"].get(name) or {}).get("average")


def _order(name: str) -> Callable[[Judge], Estimate]:
    return lambda judge: judge["orders"][name]


def _undone(judge: Judge) -> Estimate:
    """Return the figure; documents of before have it by the policy's label alone."""
    if "anti_time_undone" in judge:
        return judge["anti_time_undone"]  # type: ignore[no-any-return]  # the document is plain data
    return (judge.get("anti_time_by_policy") or {}).get("backtracker")


def _curve(*keys: str) -> Callable[[Judge], Estimate]:
    def pick(judge: Judge) -> Estimate:
        found: Any = judge.get("curves")
        for key in keys:
            found = None if found is None else found.get(key)
        return found  # type: ignore[no-any-return]  # the document is plain data

    return pick


PAIRS = (
    Figure(
        "overall",
        "Overall",
        "Right answers: mean of the three bins, each the mean of its settings.",
        lambda judge: judge["overall"]["average"],
    ),
    Figure(
        "pairs", "By pair", "Right answers of all pairs.", lambda judge: judge["overall"]["pairs"]
    ),
    Figure("small", "Small", "Right answers where |hop| is at most 1/3.", _bin("small")),
    Figure("medium", "Medium", "Right answers where |hop| is 1/3 to 2/3.", _bin("medium")),
    Figure("large", "Large", "Right answers where |hop| is above 2/3.", _bin("large")),
    Figure("forward", "Forward", "Gains shown as they happened.", _order("forward")),
    Figure("reversed", "Reversed", "Gains shown backwards.", _order("reversed")),
    Figure(
        "anti-time",
        "Anti-time",
        "Real losses shown as they happened: a clock gets none of them.",
        _order("anti-time"),
    ),
    Figure(
        "wrong-object",
        "Wrong object",
        "Real losses of wrong-object, the policy that takes a thing that was not asked for.",
        lambda judge: judge["anti_time_wrong_object"],
    ),
    Figure(
        "undone",
        "Undone",
        "Real losses of backtracker, the policy that undoes what it has done.",
        _undone,
    ),
    Figure(
        "lift",
        "Lift",
        "Overall above the best null judge, on the same pairs.",
        lambda judge: judge["lift"],
    ),
)

CURVES = (
    Figure("drop-hits", "Drop hits", "True drops that the curve shows.", _curve("drop_hits")),
    Figure(
        "false-drops",
        "False drops",
        "Episodes without a drop in which the curve shows one.",
        _curve("false_drops"),
        up=False,
    ),
    Figure(
        "end-auc",
        "End AUC",
        "How likely a success ends higher than a failure.",
        _curve("end_auc"),
        plain=True,
    ),
    Figure(
        "rho-successes",
        "Rho, successes",
        "Spearman's correlation with the truth, median over successes.",
        _curve("spearman", "successes"),
        plain=True,
    ),
    Figure(
        "rho-failures",
        "Rho, failures",
        "Spearman's correlation with the truth, median over failures.",
        _curve("spearman", "failures"),
        plain=True,
    ),
    Figure(
        "tau-mp",
        "Tau by MP",
        "Kendall's tau-b with the truth's order, by maximum progress, of the policies with at least"
        " 5 episodes; of all when fewer than two have so many.",
        _curve("order_of_policies", "mp"),
        plain=True,
    ),
    Figure(
        "tau-ppl",
        "Tau by PPL",
        "Kendall's tau-b with the truth's order of the same policies by PPL.",
        _curve("order_of_policies", "ppl"),
        plain=True,
    ),
)


def shown_judges(bench: Mapping[str, Any]) -> list[Judge]:
    """Return the judges as tables list them: those asked for, then the null judges."""
    return sorted(bench["judges"], key=lambda judge: bool(judge["null"]))


def asked_judges(bench: Mapping[str, Any], *, nulls: bool) -> dict[str, Judge]:
    """Return the judges that were asked here by name, with their options; recorded ones were not.

    Args:
        bench: What `bench.json` holds.
        nulls: Whether null judges count.
    """
    options = (bench.get("settings") or {}).get("judges") or {}
    return {
        judge["name"]: {**judge, **options.get(judge["name"], {})}
        for judge in shown_judges(bench)
        if not judge["recorded"] and (nulls or not judge["null"])
    }


def bench_alarms(bench: Mapping[str, Any]) -> list[str]:
    """Return what must stand before the figures: which judges have not seen such scenes."""
    return [line for judge in shown_judges(bench) for line in unseen(judge)]


def unknown_policies(build: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the policies that nobody knows, if there are any."""
    unknown: Mapping[str, int] = build.get("unknown_policies") or {}
    if not unknown:
        return []
    episodes = words.counted(sum(unknown.values()), "episode")
    told = f"Which policy acted is not recorded for {episodes} ({', '.join(unknown)})"
    return [f"{told}: they count neither as wrong object nor as undone."]
