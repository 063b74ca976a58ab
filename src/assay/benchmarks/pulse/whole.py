"""Score whole curves against the exact potential: drops, ends, order in time, order of policies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.benchmarks.pulse.drops import is_clean, is_false, is_hit, true_drops
from assay.benchmarks.pulse.ranks import auc, median, spearman
from assay.benchmarks.pulse.shares import clustered_share
from assay.metrics.agreement import OrderAgreement, compare_orders
from assay.metrics.intervals import estimate_share
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
        values: What the judge said, of shape (T,), no NaN.
    """

    episode: str
    policy: str
    outcome: bool | None
    times: Floats
    phi: Floats
    values: Floats


def curve_figures(watched: Sequence[Watched], unscored: int, seed: int = 0) -> dict[str, Any]:
    """Return all figures of one judge's curves as plain data; `unscored` episodes had no curve."""
    ends = {
        told: np.array([w.values[-1] for w in watched if w.outcome is told])
        for told in (True, False)
    }
    return {
        "episodes": len(watched),
        "unscored": unscored,
        "drop_hits": _hits(watched),
        "false_drops": _false_drops(watched),
        "end_auc": auc(ends[True], ends[False]).as_json(),
        "spearman": {
            name: median(_correlations([w for w in watched if w.outcome is told])).as_json()
            for name, told in (("successes", True), ("failures", False))
        },
        "order_of_policies": {name: _order(watched, name, seed) for name in ("mp", "ppl")},
    }


def _hits(watched: Sequence[Watched]) -> dict[str, Any]:
    """Return the share of true drops that the curves show."""
    hits, episodes = [], []
    for one in watched:
        for drop in true_drops(one.times, one.phi):
            hits.append(is_hit(drop, one.times, one.values))
            episodes.append(one.episode)
    return clustered_share(np.array(hits, dtype=bool), episodes).as_json()


def _false_drops(watched: Sequence[Watched]) -> dict[str, Any]:
    """Return the share of clean episodes whose curve shows a drop."""
    clean = [w for w in watched if is_clean(w.times, w.phi)]
    return estimate_share(sum(is_false(w.times, w.values) for w in clean), len(clean)).as_json()


def _correlations(watched: Sequence[Watched]) -> Floats:
    found = [spearman(w.phi, w.values) for w in watched]
    return np.array([rho for rho in found if rho is not None], dtype=np.float64)


def _order(watched: Sequence[Watched], metric: str, seed: int) -> dict[str, Any]:
    """Return how far the judge orders the policies as the truth does, by their mean metric."""
    true, said = (_by_policy(watched, name, metric) for name in ("phi", "values"))
    found: OrderAgreement = compare_orders(true, said, judges=("the truth", "the judge"), seed=seed)
    written: dict[str, Any] = {
        "value": found.tau,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "method": found.method,
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
