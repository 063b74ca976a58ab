"""Tasks and clusters as numbers: what each counts, and within what episodes are drawn again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.results import Floats, Ints

__all__ = [
    "Labels",
    "Weighting",
    "lay_out",
    "numbered",
    "shared_strata",
    "stratum_shares",
    "value_weights",
]

Labels: TypeAlias = npt.ArrayLike | None
"""One label for each value, such as the name of its task; None when there are none."""

Weighting: TypeAlias = Literal["equal", "size"]
"""Whether strata count the same, or by their episodes."""


def numbered(labels: npt.ArrayLike, n: int) -> Ints:
    """Return a number from 0 for each of the `n` labels, equal for equal ones, of shape (n,)."""
    names = np.asarray(labels)
    if names.shape != (n,):
        raise UsageError(f"{n} values need as many labels, not {names.size}.")
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def shared_strata(strata: tuple[Labels, Labels], sizes: tuple[int, int]) -> tuple[Ints, Ints]:
    """Number the strata of two policies alike; refuse a stratum that only one of them has."""
    first, second = strata
    if (first is None) != (second is None):
        raise UsageError("Strata are needed for both policies or for neither.")
    if first is None or second is None:
        return np.zeros(sizes[0], dtype=np.int64), np.zeros(sizes[1], dtype=np.int64)
    names = np.asarray(first), np.asarray(second)
    alone = np.setxor1d(*names)
    if len(alone):
        raise UsageError(
            f"Stratum {str(alone[0])!r} has episodes of only one policy: leave it out, or compare"
            " without strata."
        )
    # Both have the same names, so that equal names get equal numbers.
    return numbered(names[0], sizes[0]), numbered(names[1], sizes[1])


def stratum_shares(counts: Ints, weights: Weighting) -> Floats:
    """Return what each stratum counts, of shape (strata,); the shares add up to 1."""
    if weights not in {"equal", "size"}:
        raise UsageError(f"Strata are weighted 'equal' or by 'size', not {weights!r}.")
    raw = np.ones(len(counts)) if weights == "equal" else counts.astype(np.float64)
    shares: Floats = raw / raw.sum()
    return shares


def value_weights(strata: Ints, shares: Floats) -> Floats:
    """Return what each value counts: its stratum's share, in equal parts, of shape (n,)."""
    weights: Floats = (shares / np.bincount(strata))[strata]
    return weights


def lay_out(arms: Sequence[tuple[Ints, Ints]]) -> list[Ints]:
    """Return the block of each value, for every arm given as (strata, clusters) of shape (n,).

    A stratum is a block. Where a cluster reaches over several strata, all is one block. Strata in
    which an arm has a single unit show no spread. They are joined to one block, if need be with
    the next smallest: strata differ, so that this errs on the side of too wide an interval.
    """
    homes = [_homes(strata, clusters) for strata, clusters in arms]
    if any(home is None for home in homes):
        return [np.zeros_like(strata) for strata, _ in arms]
    count = 1 + max(int(strata.max()) for strata, _ in arms)
    sizes = np.stack([np.bincount(home, minlength=count) for home in homes if home is not None])
    alone = sizes.min(axis=0) < 2
    if alone.any() and not alone.all() and sizes[:, alone].sum(axis=1).min() < 2:
        others = np.where(alone, np.iinfo(np.int64).max, sizes.sum(axis=0))
        alone[int(np.argmin(others))] = True
    joined = np.where(alone, int(np.argmax(alone)), np.arange(count))
    blocks = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    return [blocks[strata] for strata, _ in arms]


def _homes(strata: Ints, clusters: Ints) -> Ints | None:
    """Return the stratum of each cluster; None when a cluster reaches over several."""
    pairs = np.unique(np.stack([clusters, strata], axis=1), axis=0)
    return None if len(pairs) > len(np.unique(clusters)) else pairs[:, 1]
