"""How far the people agree who scored the same: one figure for each way to ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.episodes.human import HumanScores
from assay.jobs._compare_rows import agreement_of
from assay.metrics.ceiling import score_ceiling
from assay.metrics.correlation import Figure
from assay.metrics.kappa import Weights, cohen_kappa, fleiss_kappa
from assay.metrics.krippendorff import krippendorff_alpha
from assay.metrics.results import Floats, Ints

__all__ = ["raters_of"]

MOST_CATEGORIES = 7
"""More different scores than this are amounts, and no categories."""

_MOST_PAIRS = 2_000_000
"""Ordinal alpha counts pairs of different scores in every thing: more would take minutes."""


def raters_of(human: HumanScores, seed: int) -> dict[str, Any] | None:
    """Return how far raters agree, as plain data; None when nothing was scored twice.

    Args:
        human: The scores.
        seed: Decides the resampling.
    """
    found = agreement_of(human)
    if found is None:
        return None
    table, episodes = _table(human)
    twice = (~np.isnan(table)).sum(axis=1) > 1
    shared, owners = table[twice], episodes[twice]
    return {
        **found,
        "alpha": _alpha(shared, owners, seed),
        "kappa": _kappa(shared, owners, seed),
        "one_out": _one_out(human.raters, shared, owners, seed),
    }


def _table(human: HumanScores) -> tuple[Floats, Ints]:
    """Return the scores, of shape (things, raters), NaN where there is none; whose each thing is.

    A thing is an episode, or a moment of one.
    """
    keys = list(dict.fromkeys((score.episode, score.time) for score in human.scores))
    things = {key: place for place, key in enumerate(keys)}
    raters = {name: place for place, name in enumerate(human.raters)}
    table = np.full((len(things), len(raters)), np.nan)
    for score in human.scores:
        table[things[score.episode, score.time], raters[score.rater]] = score.score
    owners = {name: place for place, name in enumerate(dict.fromkeys(e for e, _ in keys))}
    return table, np.array([owners[episode] for episode, _ in keys], dtype=np.int64)


def _alpha(shared: Floats, owners: Ints, seed: int) -> dict[str, Any]:
    """Return Krippendorff's alpha: ordinal, or of amounts where scores differ too much for it."""
    kinds = len(np.unique(shared[~np.isnan(shared)]))
    is_ordinal = len(shared) * kinds**2 <= _MOST_PAIRS
    scale = "ordinal" if is_ordinal else "interval"
    figure = krippendorff_alpha(
        shared, "ordinal" if is_ordinal else "interval", episodes=owners, seed=seed
    )
    return {"scale": scale, "things": len(shared), **figure.as_json()}


def _kappa(shared: Floats, owners: Ints, seed: int) -> dict[str, Any] | None:
    """Return Cohen's kappa of two raters or Fleiss' of more; None when scores are amounts.

    Cohen's counts a disagreement by its square, which for two categories is 1.
    """
    known = ~np.isnan(shared)
    kinds, codes = np.unique(shared[known], return_inverse=True)
    if len(kinds) > MOST_CATEGORIES:
        return None
    labels = np.full(shared.shape, -1, dtype=np.int64)
    labels[known] = codes
    told: dict[str, Any] = {"categories": len(kinds), "left_out": 0}
    if shared.shape[1] == 2:
        figure = _cohen(labels, kinds, owners, seed)
        return {"kind": "cohen", "raters": 2, "things": len(shared), **told, **figure.as_json()}
    sizes, often = np.unique(known.sum(axis=1), return_counts=True)
    most = int(sizes[::-1][np.argmax(often[::-1])])  # of two as frequent ones the larger
    kept = known.sum(axis=1) == most
    counts = np.stack([(labels[kept] == k).sum(axis=1) for k in range(len(kinds))], axis=1)
    figure = fleiss_kappa(counts, episodes=owners[kept], seed=seed)
    told["left_out"] = len(shared) - int(kept.sum())
    return {
        "kind": "fleiss",
        "raters": most,
        "things": int(kept.sum()),
        **told,
        **figure.as_json(),
    }


def _cohen(labels: Ints, kinds: Floats, owners: Ints, seed: int) -> Figure:
    weights: Weights | Floats = "equal"  # one category has no disagreement to weigh
    if len(kinds) > 1:
        weights = np.asarray(np.subtract.outer(kinds, kinds) ** 2, dtype=np.float64)
    return cohen_kappa(labels[:, 0], labels[:, 1], weights=weights, episodes=owners, seed=seed)


def _one_out(names: list[str], shared: Floats, owners: Ints, seed: int) -> dict[str, Any]:
    """Return how well each rater goes with the mean of the others."""
    found = score_ceiling(shared, episodes=owners, seed=seed)
    raters = [
        {"name": name, **figure.as_json()} for name, figure in zip(names, found.raters, strict=True)
    ]
    return {"mean": found.mean.as_json(), "raters": raters}
