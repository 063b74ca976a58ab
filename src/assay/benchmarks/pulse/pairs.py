"""All pairs of states of an episode that have a clear answer, and why the others have none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.pulse.hops import bins_of, hops
from assay.benchmarks.pulse.phases import OSCILLATING, STATIC
from assay.benchmarks.pulse.thresholds import LEAST_CHANGE, LEAST_HOP, LEAST_SECONDS
from assay.benchmarks.pulse.truth import Truth
from assay.records import Floats

__all__ = ["ORDERS", "REASONS", "Pairs", "pairs_of"]

ORDERS: Final = ("forward", "reversed", "anti-time")
"""A gain as it happened; a gain shown backwards; a loss as it happened."""

REASONS: Final = ("too close", "near-static", "oscillating", "ambiguous")
"""Why two states make no pair, the first that holds."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs as they are shown; every array is of shape (P,).

    Attributes:
        before: The state shown first.
        after: The state shown second.
        order: Places in `ORDERS`.
        hop: The signed progress from the first to the second.
        bin: Places in `BIN_NAMES`.
        distance_s: How far apart they were filmed [s].
    """

    before: Ints
    after: Ints
    order: Ints
    hop: Floats
    bin: Ints
    distance_s: Floats


def pairs_of(truth: Truth) -> tuple[Pairs, Counter[str]]:
    """Return the pairs with a clear answer, and how many pairs of states were left out and why.

    Every phase between the two states must be retained. A gain can be shown in both orders, a loss
    is shown as it happened.
    """
    first, second = np.triu_indices(len(truth.times), 1)
    p, q = truth.phi[first], truth.phi[second]
    distance = truth.times[second] - truth.times[first]
    gain = q > p
    as_filmed, backwards = hops(p, q), np.where(gain, hops(q, p), 1.0)
    clear = np.minimum(np.abs(as_filmed), np.abs(backwards)) >= LEAST_HOP
    faults = (
        distance < LEAST_SECONDS - 1e-9,  # times are counted in floats
        _crosses(truth, first, second, STATIC),
        _crosses(truth, first, second, OSCILLATING),
        (np.abs(q - p) < LEAST_CHANGE) | ~clear,
    )
    kept, dropped = np.ones(len(first), dtype=bool), Counter(dict.fromkeys(REASONS, 0))
    for reason, fault in zip(REASONS, faults, strict=True):
        dropped[reason] += int(np.count_nonzero(kept & fault))
        kept &= ~fault
    shown = [
        (kept & gain, first, second, as_filmed, 0),
        (kept & gain, second, first, backwards, 1),
        (kept & ~gain, first, second, as_filmed, 2),
    ]
    hop = np.concatenate([values[mask] for mask, _, _, values, _ in shown])
    found = Pairs(
        before=np.concatenate([states[mask] for mask, states, _, _, _ in shown]),
        after=np.concatenate([states[mask] for mask, _, states, _, _ in shown]),
        order=np.repeat([order for *_, order in shown], [mask.sum() for mask, *_ in shown]),
        hop=hop,
        bin=bins_of(hop),
        distance_s=np.concatenate([distance[mask] for mask, *_ in shown]),
    )
    return found, dropped + Counter(kept=int(kept.sum()))


def _crosses(truth: Truth, first: Ints, second: Ints, kind: int) -> npt.NDArray[np.bool_]:
    """Tell of each pair whether a step of that kind lies between its states."""
    passed = np.concatenate([[0], np.cumsum(truth.kinds == kind)])
    return passed[second] > passed[first]
