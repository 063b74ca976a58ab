"""Score whole curves against the exact potential: drops, ends, order in time, order of policies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.benchmarks.pulse.drops import is_clean, is_false, is_hit, true_drops
from assay.benchmarks.pulse.ranks import auc, median, spearman
from assay.benchmarks.pulse.shares import clustered_share
from assay.metrics.agreement import OrderAgreement, compare_orders
from assay.metrics.intervals import SMALLEST_SAMPLE, estimate_share
from assay.metrics.opd import opd
from assay.records import Floats

__all__ = ["Watched", "curve_figures"]


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """One episode with its truth and what a judge said of it.

    Attributes:
        episode: Its id.
        policy: Who acted.
        outcome: Whether it was a success; None when nobody knows.
        times: The judged moments [s], of shape (T,).
        phi: The exact potential there, of shape (T,).
        values: What the judge said, of shape (T,), no NaN; None when it gave no whole curve.
    """

    episode: str
    policy: str
    outcome: bool | None
    times: Floats
    phi: Floats
    values: Floats | None


def curve_figures(watched: Sequence[Watched], seed: int = 0) -> dict[str, Any]:
    """Return all figures of one judge's curves as plain data.

    Episodes without a curve count in `worst` and `best`: as the least and the most favourable
    curve would.
    """
    scored = [one for one in watched if one.values is not None]
    return {
        "episodes": len(scored),
        "unscored": len(watched) - len(scored),
        "drop_hits": _hits(watched),
        "false_drops": _false_drops(watched),
        "end_auc": _ends(watched),
        "spearman": {
            name: _correlation([w for w in watched if w.outcome is told])
            for name, told in (("successes", True), ("failures", False))
        },
        "order_of_policies": {name: _order(scored, name, seed) for name in ("mp", "ppl")},
    }


def _hits(watched: Sequence[Watched]) -> dict[str, Any]:
    """Return the share of true drops that the curves show."""
    hits, episodes, unscored = [], [], 0
    for one in watched:
        for drop in true_drops(one.times, one.phi):
            if one.values is None:
                unscored += 1
                continue
            hits.append(is_hit(drop, one.times, one.values))
            episodes.append(one.episode)
    return clustered_share(np.array(hits, dtype=bool), episodes, unscored).as_json()


def _false_drops(watched: Sequence[Watched]) -> dict[str, Any]:
    """Return the share of clean episodes whose curve shows a drop; at worst the unscored do."""
    clean = [w for w in watched if is_clean(w.times, w.phi)]
    shown = [is_false(w.times, w.values) for w in clean if w.values is not None]
    found = estimate_share(sum(shown), len(shown), len(clean) - len(shown))
    return replace(found, worst=found.best, best=found.worst).as_json()


def _ends(watched: Sequence[Watched]) -> dict[str, Any]:
    """Return how likely the curve of a success ends higher than that of a failure."""
    good, bad = ([w.values for w in watched if w.outcome is told] for told in (True, False))
    successes, failures = (
        np.array([values[-1] for values in own if values is not None]) for own in (good, bad)
    )
    unscored = (len(good) - len(successes), len(bad) - len(failures))
    return auc(successes, failures, unscored).as_json()


def _correlation(watched: Sequence[Watched]) -> dict[str, Any]:
    """Return the median correlation with the truth, over episodes in which that changes."""
    changing = [w for w in watched if np.ptp(w.phi) > 0]
    found = [spearman(w.phi, w.values) for w in changing if w.values is not None]
    known = np.array([rho for rho in found if rho is not None], dtype=np.float64)
    return median(known, len(changing) - len(found)).as_json()


def _order(watched: Sequence[Watched], metric: str, seed: int) -> dict[str, Any]:
    """Return how far the judge orders the policies as the truth does, by their mean metric.

    A policy of few episodes beside others of more is left out: it would bring chance into the order
    and cost the interval.
    """
    episodes = Counter(one.policy for one in watched)
    enough = {policy for policy, count in episodes.items() if count >= SMALLEST_SAMPLE}
    kept = enough if len(enough) > 1 else set(episodes)
    shown = [one for one in watched if one.policy in kept]
    true, said = (_by_policy(shown, name, metric) for name in ("phi", "values"))
    found: OrderAgreement = compare_orders(true, said, judges=("the truth", "the judge"), seed=seed)
    written: dict[str, Any] = {
        "value": found.tau,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "method": found.method,
        "left_out": {policy: n for policy, n in sorted(episodes.items()) if policy not in kept},
    }
    return written if found.why is None else {**written, "why": found.why}


def _by_policy(watched: Sequence[Watched], which: str, metric: str) -> Mapping[str, Floats]:
    curves: dict[str, list[Floats]] = defaultdict(list)
    for one in watched:
        curves[one.policy].append(getattr(one, which))
    found = {}
    for policy, own in curves.items():
        offsets = np.cumsum([0, *map(len, own)])
        found[policy] = opd(np.concatenate(own), offsets, epsilon=0.01).column(metric)
    return found
