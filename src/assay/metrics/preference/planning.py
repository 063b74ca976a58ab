"""Choose the pair of policies whose next vote tells most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.metrics.bradley_terry import fit, win_chances
from assay.metrics.preference.counts import Tally

__all__ = ["NextPair", "next_pairs"]


@dataclass(frozen=True, slots=True)
class NextPair:
    """A pair that a vote would tell something of.

    Attributes:
        i: The place of the stronger policy.
        j: The place of the weaker one.
        gain: How much one decisive vote is expected to tell [nats].
        votes: How many decisive votes the pair has.
        chance: How probable a win of i is, as things stand.
    """

    i: int
    j: int
    gain: float
    votes: int
    chance: float


def next_pairs(tally: Tally, count: int = 3) -> list[NextPair]:
    """Return the pairs whose next vote tells most of the strengths, best first.

    A vote on i and j adds p (1 - p) x x' to the information H, x = e_i - e_j. The volume of what
    is still open shrinks by gain = log(1 + p (1 - p) x' H^-1 x) / 2: a pair is worth a vote when
    its outcome is open and the difference is poorly known. H is that of the regularised fit, which
    exists for any votes; policies that no vote joins with others come first by themselves.

    Args:
        tally: The votes.
        count: How many pairs to return at most.

    Cites:
        Lindley (1956), "On a measure of the information provided by an experiment"; Chaloner and
        Verdinelli (1995), "Bayesian experimental design: a review".
    """
    fitted = fit(tally, regularise=True)
    chance = win_chances(fitted.beta)
    own = np.diag(fitted.inverse)
    spread = own[:, None] + own[None, :] - 2.0 * fitted.inverse
    gain = np.log1p(chance * (1.0 - chance) * spread) / 2.0
    games = tally.wins + tally.wins.T
    left, right = np.triu_indices(len(own), 1)
    best = np.lexsort((right, left, games[left, right], -np.round(gain[left, right], 12)))[:count]
    found = []
    for k in best.tolist():
        i, j = int(left[k]), int(right[k])
        if fitted.beta[i] < fitted.beta[j]:
            i, j = j, i
        found.append(NextPair(i, j, float(gain[i, j]), int(games[i, j]), float(chance[i, j])))
    return found
