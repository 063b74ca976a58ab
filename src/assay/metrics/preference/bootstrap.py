"""Draw votes again, many times at once, and fit every draw.

A resample of n votes is a draw of counts: with few kinds of votes (pair and outcome) and many
votes it is drawn as such. Votes that go together are drawn as whole clusters.
"""

from __future__ import annotations

import numpy as np

from assay.metrics.bradley_terry import Ties, solve
from assay.metrics.preference.counts import Cells, Tally, tally_of
from assay.metrics.results import Floats, Ints

__all__ = ["resample_strengths"]

_VANISHING = 1e-4  # a ridge: where a draw has no finite fit it decides, and nowhere else
_SMALL = 1e-6  # of a strength: far less than draws differ by
_AT_ONCE = 1 << 20  # numbers of a batch, 8 MB
_PER_KIND = 12  # votes: to draw the count of a kind takes as long as to draw so many votes


def resample_strengths(
    tally: Tally,
    cells: Cells | None = None,
    *,
    ties: Ties = "exclude",
    imagined: float = 0.0,
    start: Floats | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Floats:
    """Return the strengths of each resample, of shape (resamples, P), each with mean 0.

    A resample in which some policy won or lost everything has no finite fit. There a vanishing
    ridge decides: such a policy is far up or far down, as it should be.

    Args:
        tally: The votes.
        cells: The same votes by cluster, to draw clusters; None draws votes.
        ties: As in `assay.metrics.bradley_terry.fit`.
        imagined: How many imagined votes each policy wins and loses, for a regularised fit.
        start: Strengths to start from, such as those of the votes themselves, of shape (P,).
        resamples: How many resamples to draw.
        seed: The same seed gives the same resamples.

    Cites:
        Efron (1979), "Bootstrap methods: another look at the jackknife".
    """
    rng = np.random.default_rng(seed)
    policies = tally.wins.shape[0]
    kinds = _PER_KIND * int(np.count_nonzero(tally.wins) + np.count_nonzero(tally.ties))
    units = min(tally.votes, kinds) if cells is None else cells.clusters
    width = max(1, _AT_ONCE // max(units, 2 * policies * policies))
    parts = []
    for first in range(0, resamples, width):
        many = min(width, resamples - first)
        if cells is None:
            drawn = _draw_votes(tally, many, rng)
        else:
            owner = np.arange(cells.clusters)
            drawn = tally_of(cells, _drawn(owner, cells.clusters, many, rng), policies)
        beta, _, _ = solve(
            drawn,
            davidson=ties == "davidson",
            imagined=imagined,
            ridge=_VANISHING,
            start=start,
            tolerance=_SMALL,
        )
        parts.append(beta - beta.mean(axis=1, keepdims=True))
    return np.concatenate(parts)


def _draw_votes(tally: Tally, many: int, rng: np.random.Generator) -> Tally:
    """Return `many` tallies of as many votes as there are, drawn with replacement."""
    policies = tally.wins.shape[0]
    whole = np.stack([tally.wins, np.triu(tally.ties)]).reshape(-1)
    kinds = np.flatnonzero(whole)
    count = whole[kinds]
    drawn = np.zeros((many, len(whole)))
    # Both ways draw the same thing, one a kind and one a vote at a time.
    if len(kinds) * _PER_KIND < count.sum():
        drawn[:, kinds] = rng.multinomial(int(count.sum()), count / count.sum(), size=many)
    else:
        owner = np.repeat(np.arange(len(kinds)), count.astype(np.int64))
        drawn[:, kinds] = _drawn(owner, len(kinds), many, rng)
    wins, ties = np.moveaxis(drawn.reshape(many, 2, policies, policies), 1, 0)
    return Tally(wins, ties + np.swapaxes(ties, 1, 2))


def _drawn(owner: Ints, kinds: int, many: int, rng: np.random.Generator) -> Floats:
    """Draw as many units as there are, `many` times, and count their kinds: (many, kinds)."""
    units = len(owner)
    key = owner[rng.integers(0, units, (many, units))] + kinds * np.arange(many)[:, None]
    counts = np.bincount(key.reshape(-1), minlength=many * kinds)
    return counts.reshape(many, kinds).astype(np.float64)
