"""A judge beside the main one: what it says of every cell, and how far the two agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.jobs._cells import grouped, metrics_of
from assay.jobs._measured import Measured
from assay.judges._null import NullJudge
from assay.metrics.agreement import OrderAgreement, compare_orders, curve_distance
from assay.metrics.intervals import estimate_mean
from assay.records import Floats

__all__ = ["RANKED_BY", "make_beside"]

Row = Mapping[str, Any]

RANKED_BY = "mp"
"""What orders policies: the figure that the report itself compares them by where success does not
tell them apart. MC@100 would tie all policies that never finish, which are those in question."""


def make_beside(main: Measured, other: Measured, by: Sequence[str], seed: int) -> dict[str, Any]:
    """Return the entry of `audit.json` for one judge beside the main one.

    Args:
        main: What the main judge's curves come to.
        other: What the judge's own curves come to.
        by: What groups the episodes.
        seed: Decides the resampling.
    """
    described = other.described(seed)
    names = (main.about["name"], described["name"])
    apart = _distances(main, other)
    by_main = {row["episode"]: row[RANKED_BY] for row in main.rows}
    cells = [
        {**metrics_of(group, rows, seed), "difference": _difference(rows, apart, seed)}
        for group, rows in grouped(other.rows, by)
    ]
    tasks = grouped(other.rows, ("task",))
    return {
        "judge": described,
        "is_null": isinstance(other.judge, NullJudge),
        "epsilon": other.epsilon.as_json(),
        "cells": cells,
        "orders": [
            {"task": group["task"], **_order(by_main, rows, names, seed)} for group, rows in tasks
        ],
        "difference": _difference(other.rows, apart, seed),
    }


def _distances(main: Measured, other: Measured) -> dict[str, float]:
    """Return how far the curves lie apart, for each episode that both judges scored."""
    position = {episode: i for i, episode in enumerate(main.flat.ids)}
    found = {}
    for place, episode in enumerate(other.flat.ids):
        at = position.get(episode)
        if at is None:
            continue
        distance = curve_distance(
            main.curves[episode].times,
            main.flat.curve(at),
            other.curves[episode].times,
            other.flat.curve(place),
        )
        if distance is not None:
            found[episode] = distance
    return found


def _difference(rows: Sequence[Row], apart: Mapping[str, float], seed: int) -> dict[str, Any]:
    values = np.array([apart[row["episode"]] for row in rows if row["episode"] in apart])
    unscored = len(rows) - len(values)
    return estimate_mean(values, unscored, worst_value=1.0, best_value=0.0, seed=seed).as_json()


def _order(
    by_main: Mapping[str, float | None], rows: Sequence[Row], names: tuple[str, str], seed: int
) -> dict[str, Any]:
    """Return how the judges order the policies of a task, over the episodes that both scored."""
    first: dict[str, Floats] = {}
    second: dict[str, Floats] = {}
    for group, members in grouped(rows, ("policy",)):
        pairs = [(by_main[row["episode"]], row[RANKED_BY]) for row in members]
        both = np.array([pair for pair in pairs if None not in pair], dtype=np.float64)
        if len(both):
            first[group["policy"]], second[group["policy"]] = both.T
    return {"by": RANKED_BY, **_agreement(compare_orders(first, second, judges=names, seed=seed))}


def _agreement(found: OrderAgreement) -> dict[str, Any]:
    tau = {"value": found.tau, "low": found.low, "high": found.high, "n": found.n}
    return {
        "policies": [
            {
                "policy": name,
                "n": found.episodes[name],
                "main": found.first[name],
                "beside": found.second[name],
            }
            for name in found.episodes
        ],
        "tau": {**tau, "method": found.method, **({"why": found.why} if found.why else {})},
        "pairs": found.pairs,
        "swapped": [
            {
                "policies": list(swap.policies),
                "main": list(swap.first),
                "beside": list(swap.second),
                "share": swap.share,
            }
            for swap in found.swapped
        ],
        "tied": [list(pair) for pair in found.tied],
        "parted": [list(pair) for pair in found.parted],
    }
