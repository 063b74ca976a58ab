"""Count votes: how often each policy was preferred to each other one.

A vote says of two policies a and b which was better: +1 for a, -1 for b, 0 for a tie. A model of
strengths needs nothing but the counts, so votes are read once, block by block, and never copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.errors import UsageError
from assay.metrics.results import Floats, Ints

__all__ = ["MOST_POLICIES", "Cells", "Codes", "Tally", "count_cells", "count_votes", "tally_of"]

Codes: TypeAlias = npt.NDArray[np.integer[Any]]

MOST_POLICIES = 1000
"""More names than this are ids of episodes or typing errors, not policies."""

_VOTES_AT_ONCE = 1 << 17  # 1 MB of keys: they stay in the cache
_DENSE = 1 << 22  # places of a table of clusters; a larger one is sorted instead


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Votes between P policies.

    Attributes:
        wins: How often i was preferred to j, of shape (P, P).
        ties: How often neither of i and j was, of shape (P, P), symmetric.
    """

    wins: Floats
    ties: Floats

    @property
    def decisive(self) -> int:
        """Return the number of votes that are no ties."""
        return int(self.wins.sum())

    @property
    def votes(self) -> int:
        """Return the number of votes."""
        return self.decisive + int(self.ties.sum()) // 2

    def take(self, places: Ints) -> Tally:
        """Return the votes among the policies at `places`."""
        chosen = np.ix_(places, places)
        return Tally(self.wins[chosen], self.ties[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Votes that go together, such as those of one rater, counted by pair and outcome.

    Attributes:
        cluster: Which cluster the votes are of, numbered from 0, of shape (m,), sorted.
        i: The policy that was preferred, of shape (m,).
        j: The other one, of shape (m,).
        tie: Whether neither was, of shape (m,).
        count: How many such votes there are, of shape (m,).
        clusters: How many clusters there are.
    """

    cluster: Ints
    i: Ints
    j: Ints
    tie: npt.NDArray[np.bool_]
    count: Floats
    clusters: int

    def take(self, places: Ints, policies: int, *, ties: bool = True) -> Cells:
        """Return the votes among the policies at `places`, of `policies` in all.

        Clusters without any such vote are left out; `ties` says whether ties are kept.
        """
        number = np.full(policies, -1)
        number[places] = np.arange(len(places))
        i, j = number[self.i], number[self.j]
        kept = (i >= 0) & (j >= 0) & (ties | ~self.tie)
        names, cluster = np.unique(self.cluster[kept], return_inverse=True)
        return Cells(cluster, i[kept], j[kept], self.tie[kept], self.count[kept], len(names))


def count_votes(a: Codes, b: Codes, outcome: Codes, policies: int) -> Tally:
    """Count votes.

    Args:
        a: The first policy of each vote, numbered from 0, of shape (n,).
        b: The second one, of shape (n,).
        outcome: +1 where a was preferred, -1 where b was, 0 for a tie, of shape (n,).
        policies: How many policies there are.
    """
    _check(a, b, outcome, policies)
    table = np.zeros(3 * policies * policies, dtype=np.int64)
    width = max(_VOTES_AT_ONCE, policies * policies)
    for start in range(0, len(a), width):
        part = slice(start, start + width)
        key = a[part].astype(np.int64)
        key *= policies
        key += b[part]
        key *= 3
        key += outcome[part]
        key += 1
        table += np.bincount(key, minlength=len(table))
    lost, tied, won = np.moveaxis(table.reshape(policies, policies, 3), 2, 0)
    if np.trace(lost + tied + won):
        raise UsageError("A vote puts a policy against itself.")
    return Tally((won + lost.T).astype(np.float64), (tied + tied.T).astype(np.float64))


def count_cells(a: Codes, b: Codes, outcome: Codes, cluster: Codes, policies: int) -> Cells:
    """Count votes by cluster.

    Args:
        a: As in `count_votes`.
        b: As in `count_votes`.
        outcome: As in `count_votes`.
        cluster: Which cluster each vote is of, numbered from 0, of shape (n,).
        policies: How many policies there are.
    """
    _check(a, b, outcome, policies)
    if len(cluster) != len(a):
        raise UsageError(f"Votes and clusters must be of one length, not {len(a)}, {len(cluster)}.")
    one, other = a.astype(np.int64), b.astype(np.int64)
    first = np.where(outcome < 0, other, one)
    key = np.where(outcome == 0, policies, 0) + first
    key *= policies
    key += np.where(outcome < 0, one, other)
    key += cluster.astype(np.int64) * (2 * policies * policies)
    clusters = int(cluster.max(initial=-1)) + 1
    if clusters * 2 * policies * policies <= _DENSE:
        table = np.bincount(key)
        key = np.flatnonzero(table)
        count = table[key]
    else:
        key, count = np.unique(key, return_counts=True)
    rest, j = np.divmod(key, policies)
    rest, i = np.divmod(rest, policies)
    group, tie = np.divmod(rest, 2)
    return Cells(group, i, j, tie.astype(np.bool_), count.astype(np.float64), clusters)


def tally_of(cells: Cells, weights: Floats, policies: int) -> Tally:
    """Return the votes of all clusters together, each cluster so often as `weights` says.

    Args:
        cells: The votes by cluster.
        weights: One per cluster, of shape (clusters,), or one row per resample, of shape
            (B, clusters).
        policies: How many policies there are.

    Returns:
        Counts of shape (P, P), or (B, P, P).
    """
    from scipy.sparse import csr_array

    place = (cells.tie * policies + cells.i) * policies + cells.j
    shape = (2 * policies * policies, cells.clusters)
    table = csr_array((cells.count, (place, cells.cluster)), shape=shape)
    drawn = np.asarray(table @ weights.T).T
    wins, ties = np.moveaxis(drawn.reshape(*weights.shape[:-1], 2, policies, policies), -3, 0)
    return Tally(wins, ties + np.swapaxes(ties, -1, -2))


def _check(a: Codes, b: Codes, outcome: Codes, policies: int) -> None:
    if not a.shape == b.shape == outcome.shape or a.ndim != 1:
        raise UsageError("Votes are three lists of one length: a, b and outcome.")
    if policies > MOST_POLICIES:
        raise UsageError(f"At most {MOST_POLICIES} policies can be ranked, not {policies}.")
    ends = [(int(x.min(initial=0)), int(x.max(initial=0))) for x in (a, b, outcome)]
    if min(ends[0][0], ends[1][0]) < 0 or max(ends[0][1], ends[1][1]) >= max(policies, 1):
        raise UsageError(f"A vote names a policy outside 0..{policies - 1}.")
    if ends[2][0] < -1 or ends[2][1] > 1:
        raise UsageError("An outcome is +1 (a), -1 (b) or 0 (tie).")
