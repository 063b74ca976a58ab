"""Permutation tests of a difference: signs are flipped in pairs, labels swapped between two arms.

What belongs together moves together: see `resampling` for units and blocks. Small designs are
counted out, so that p is exact; larger ones are drawn.

Cites:
    Fisher (1935), "The Design of Experiments"; Phipson and Smyth (2010), "Permutation p-values
    should never be zero".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.metrics.resampling import Units
from assay.metrics.results import Floats

__all__ = ["Permuted", "flip_signs", "swap_labels"]

_MOST_FLIPS = 20  # units: 2^19 sums and their mirrors take about 10 ms
_MOST_SWAPS = 20_000
_EVEN = 1e-9  # of the statistic: the same sum in another order differs by rounding
_AT_ONCE = 1 << 20  # 8 MB of signs
_NO_SPREAD = 1e-12  # of the pooled variance


@dataclass(frozen=True, slots=True)
class Permuted:
    """The two-sided p of a permutation test.

    Attributes:
        p: The share of arrangements at least as far from 0 as the one observed; None when the
            test can't be made.
        method: "exact sign flips", "sign flips", "exact permutation", "permutation" or "".
    """

    p: float | None
    method: str = ""


def flip_signs(units: Units, *, permutations: int = 9999, seed: int = 0) -> Permuted:
    """Test that paired differences are as likely to be d as -d, with |sum w d| as the statistic.

    Under the null hypothesis every one of the 2^G ways to give signs to the G units is as likely
    as the others. Up to 20 units that aren't 0 all are counted. Beyond, `permutations` B are drawn
    and p = (1 + those at least as far) / (1 + B).
    """
    sums = units.sums[units.sums != 0.0]
    if not len(sums):
        return Permuted(1.0, "exact sign flips")
    sums = sums / float(np.max(np.abs(sums)))
    least = abs(float(np.sum(sums))) - _EVEN
    if len(sums) <= _MOST_FLIPS:
        found = sums[:1]  # the other sign of the first gives the mirror of every sum
        for one in sums[1:]:
            found = np.concatenate([found + one, found - one])
        return Permuted(float(np.mean(np.abs(found) >= least)), "exact sign flips")
    far = sum(
        int(np.count_nonzero(np.abs(signs @ sums) >= least))
        for signs in _signs(len(sums), permutations, seed)
    )
    return Permuted((1 + far) / (1 + permutations), "sign flips")


def swap_labels(
    first: Units, second: Units, *, permutations: int = 9999, seed: int = 0
) -> Permuted:
    """Test that two arms are alike, swapping units between them within each block.

    The statistic is |difference of the means| / se, with the squared standard errors of both arms
    added as in Welch's test: the test then holds its level in large samples also where the arms
    have one mean and unequal spreads. Designs with at most 20,000 arrangements are counted out.

    Args:
        first: The units of one arm; weights are on the scale that both arms share.
        second: The units of the other, in the same blocks.
        permutations: How many arrangements to draw when they are too many to count.
        seed: The same seed gives the same p.

    Cites:
        Janssen (1997), "Studentized permutation tests for non-i.i.d. hypotheses and the generalized
        Behrens-Fisher problem"; Chung and Romano (2013), "Exact and asymptotically robust
        permutation tests".
    """
    blocks = [_Block.of(first, second, block) for block in range(len(first.sizes))]
    if any(min(block.sizes) < 2 for block in blocks):
        return Permuted(None)
    floor = _NO_SPREAD * sum(block.variance for block in blocks)
    if floor <= 0.0:
        return Permuted(1.0, "exact permutation")
    seen = _statistic([block.arranged(block.labels[None]) for block in blocks], floor)
    least = float(seen[0]) * (1.0 - _EVEN)
    counts = [math.comb(sum(block.sizes), block.sizes[0]) for block in blocks]
    if math.prod(counts) <= _MOST_SWAPS:
        found = _statistic([_every_arrangement(blocks, counts)], floor)
        return Permuted(float(np.mean(found >= least)), "exact permutation")
    rng = np.random.default_rng(seed)
    drawn = [block.drawn(permutations, rng) for block in blocks]
    far = int(np.count_nonzero(_statistic(drawn, floor) >= least))
    return Permuted((1 + far) / (1 + permutations), "permutation")


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The units of both arms in one block.

    Attributes:
        columns: x, w, x^2, x w and w^2 of each unit, with x = sum w (value - block mean) and the
            weights w adding up to 1, of shape (G, 5).
        labels: 1 for units of the first arm, 0 for the others, of shape (G,).
        share: The weight of the block.
    """

    columns: Floats
    labels: Floats
    share: float

    @classmethod
    def of(cls, first: Units, second: Units, block: int) -> _Block:
        """Pool the units of one block."""
        own = [arm.blocks == block for arm in (first, second)]
        sums = np.concatenate([first.sums[own[0]], second.sums[own[1]]])
        w = np.concatenate([first.weights[own[0]], second.weights[own[1]]])
        share = float(np.sum(w))
        w = w / share
        x = sums / share - w * float(np.sum(sums)) / share
        labels = np.repeat([1.0, 0.0], [np.count_nonzero(one) for one in own])
        return cls(np.stack([x, w, x * x, x * w, w * w], axis=1), labels, share)

    @property
    def sizes(self) -> tuple[int, int]:
        """Return how many units each arm has."""
        ones = int(np.sum(self.labels))
        return ones, len(self.labels) - ones

    @property
    def variance(self) -> float:
        """Return the sum of squares of x: the same for every arrangement."""
        return self.share**2 * float(np.sum(self.columns[:, 2]))

    def arranged(self, labels: Floats) -> Floats:
        """Return the difference of the means and its se^2 for each row of labels: (2, rows)."""
        ones = labels @ self.columns
        shift, variance = 0.0, 0.0
        for sign, size, sums in zip(
            (1, -1), self.sizes, (ones, self.columns.sum(axis=0) - ones), strict=True
        ):
            mean = sums[:, 0] / sums[:, 1]
            squares = sums[:, 2] - 2.0 * mean * sums[:, 3] + mean**2 * sums[:, 4]
            shift = shift + sign * mean
            variance = variance + np.maximum(squares, 0.0) / sums[:, 1] ** 2 * size / (size - 1)
        return np.stack([self.share * shift, self.share**2 * variance])

    def every(self) -> Floats:
        """Return what `arranged` gives for every way to label the units."""
        count = len(self.labels)
        picks = list(combinations(range(count), self.sizes[0]))
        labels = np.zeros((len(picks), count))
        np.put_along_axis(labels, np.array(picks), 1.0, axis=1)
        return self.arranged(labels)

    def drawn(self, permutations: int, rng: np.random.Generator) -> Floats:
        """Return what `arranged` gives for labels drawn at random."""
        rows = max(1, _AT_ONCE // len(self.labels))
        parts = [
            self.arranged(
                rng.permuted(np.tile(self.labels, (min(rows, permutations - start), 1)), axis=1)
            )
            for start in range(0, permutations, rows)
        ]
        return np.concatenate(parts, axis=1)


def _statistic(blocks: list[Floats], floor: float) -> Floats:
    """Return |difference| / se of each arrangement, over blocks; se^2 is at least `floor`."""
    shift, variance = np.sum(blocks, axis=0)
    found: Floats = np.abs(shift) / np.sqrt(np.maximum(variance, floor))
    return found


def _every_arrangement(blocks: list[_Block], counts: list[int]) -> Floats:
    """Let every arrangement of a block meet every arrangement of the others, (2, prod counts)."""
    total = math.prod(counts)
    found, stride = np.zeros((2, total)), 1
    for block, count in zip(blocks, counts, strict=True):
        found += block.every()[:, np.arange(total) // stride % count]
        stride *= count
    return found


def _signs(units: int, permutations: int, seed: int) -> Iterator[Floats]:
    """Yield rows of random signs, of shape (rows, units), `permutations` rows in all."""
    rng = np.random.default_rng(seed)
    rows = max(1, _AT_ONCE // units)
    for start in range(0, permutations, rows):
        count = min(rows, permutations - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes((count * units + 7) // 8), dtype=np.uint8))
        yield 2.0 * bits[: count * units].reshape(count, units).astype(np.float64) - 1.0
