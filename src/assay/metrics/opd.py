"""The five metrics of a progress curve, over many curves of unequal length at once.

With the observations Phi_0 .. Phi_T of one episode, all in 0..1:

    MC   largest k/K that some Phi_t reaches, K milestones
    MP   max Phi_t
    PPL  Phi_T * max(Phi_T - Phi_0, 0) / (TV + delta),  TV = sum |Phi_t - Phi_{t-1}|
    CRA  mean over the T+1 observations of (running maximum - Phi_t)
    STR  share of the T steps with |Phi_t - Phi_{t-1}| < epsilon

Curves are stored end to end: episode i is `values[offsets[i]:offsets[i + 1]]`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.errors import InputError, UsageError
from assay.metrics.results import Floats, Ints, OpdTable

__all__ = ["check_curve", "milestone_levels", "opd"]

_BLOCK_VALUES = 1 << 16  # 512 kB of float64, so that a block stays in cache from step to step


def opd(
    values: Floats,
    offsets: Ints,
    *,
    epsilon: float | Floats,
    milestones: int = 4,
    delta: float = 1e-8,
) -> OpdTable:
    """Return the metrics of N curves.

    Args:
        values: All curves end to end, in 0..1, of shape (sum of T_i + 1,).
        offsets: Where each curve starts, and the end of the last one, of shape (N + 1,).
        epsilon: A step smaller than this counts as standing still; one number, or one per
            episode of shape (N,).
        milestones: K, the number of milestones.
        delta: Keeps PPL finite for a curve that does not move.

    Raises:
        InputError: A curve is empty, or a value is NaN or outside 0..1.
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    offsets = np.asarray(offsets, dtype=np.int64)
    _check_offsets(offsets, len(values))
    lengths = np.diff(offsets)
    count = len(lengths)
    thresholds = _check_epsilon(epsilon, count)
    mp, tv, regret, still = (np.empty(count) for _ in range(4))
    work = np.zeros(max(_BLOCK_VALUES, int(lengths.max(initial=0))))
    for rows, curves in _blocks(values, offsets):
        # Written so that NaN fails it too.
        if not (curves.min() >= 0.0 and curves.max() <= 1.0):
            raise _bad_value(values, offsets)
        steps = _step_sizes(curves, work)
        tv[rows] = np.add.reduce(steps, axis=1)
        limit = thresholds[rows, None] if thresholds.ndim else thresholds
        still[rows] = np.count_nonzero(steps < limit, axis=1)
        peaks = _running_max(curves, work)
        mp[rows] = peaks[:, -1]
        regret[rows] = np.add.reduce(np.subtract(peaks, curves, out=peaks), axis=1)
    first, final = values[offsets[:-1]], values[offsets[1:] - 1]
    levels = milestone_levels(milestones)
    return OpdTable(
        mc=levels[np.searchsorted(levels, mp, side="right") - 1],
        mp=mp,
        ppl=final * np.maximum(final - first, 0.0) / (tv + delta),
        cra=regret / lengths,
        stagnation=np.divide(still, lengths - 1, out=np.full(count, np.nan), where=lengths > 1),
        final=final,
        tv=tv,
    )


def milestone_levels(milestones: int) -> Floats:
    """Return 0, 1/K, .., 1: each k/K is the float nearest to it, so reaching it is exact."""
    if milestones < 1:
        raise UsageError(f"There must be at least 1 milestone, not {milestones}.")
    return np.arange(milestones + 1) / milestones


def check_curve(values: Floats) -> int | None:
    """Return the index of the first value that is NaN or outside 0..1, or None."""
    bad = ~((values >= 0.0) & (values <= 1.0))
    return int(np.argmax(bad)) if bad.any() else None


def _blocks(values: Floats, offsets: Ints) -> Iterator[tuple[Ints, Floats]]:
    """Yield the episodes' numbers and their curves, of shape (rows, T + 1), a block at a time.

    Episodes of equal length form a dense block, so that numpy's inner loops run over whole curves.
    V values hold fewer than sqrt(2 V) different lengths, so there are never many small blocks.
    """
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    cuts = np.flatnonzero(np.diff(lengths[order])) + 1
    for group in np.split(order, cuts) if len(order) else []:
        length = int(lengths[group[0]])
        shape = (len(values) - length + 1, length)
        # Row i is values[i : i + length], without a copy; numpy checks that it fits.
        windows: Floats = np.ndarray(shape, values.dtype, values, strides=values.strides * 2)
        height = max(1, _BLOCK_VALUES // length)
        for start in range(0, len(group), height):
            rows = group[start : start + height]
            yield rows, windows[offsets[rows]]


def _step_sizes(curves: Floats, work: Floats) -> Floats:
    """Return |Phi_t - Phi_{t-1}| of shape (rows, T), written into `work`.

    The subtraction runs over the block as one line of numbers, which is faster than row by row;
    the column of differences between one curve's end and the next one's start is cut off.
    """
    line = curves.reshape(-1)
    steps = work[: line.size]
    np.subtract(line[1:], line[:-1], out=steps[:-1])
    np.abs(steps, out=steps)
    return steps.reshape(curves.shape)[:, :-1]


def _running_max(curves: Floats, work: Floats) -> Floats:
    """Return the running maximum along axis 1, written into `work`.

    Floats that are not negative sort like their bit patterns, and the integer scan is several
    times faster: it has no NaN to look for. Minus zero becomes the smallest integer, which is in
    order too.
    """
    peaks = work[: curves.size].reshape(curves.shape)
    np.maximum.accumulate(curves.view(np.int64), axis=1, out=peaks.view(np.int64))
    return peaks


def _check_epsilon(epsilon: float | Floats, count: int) -> Floats:
    thresholds = np.asarray(epsilon, dtype=np.float64)
    if thresholds.ndim and thresholds.shape != (count,):
        raise UsageError(
            f"epsilon must be one number or one per episode ({count}), not {thresholds.shape}."
        )
    if not (np.isfinite(thresholds) & (thresholds >= 0.0)).all():
        raise UsageError("epsilon must be a finite number of at least 0.")
    return thresholds


def _check_offsets(offsets: Ints, size: int) -> None:
    if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != size:
        raise UsageError(f"offsets must start at 0 and end at the number of values, {size}.")
    empty = np.flatnonzero(np.diff(offsets) < 1)
    if len(empty):
        raise InputError(f"Episode {empty[0]} has no observation.")


def _bad_value(values: Floats, offsets: Ints) -> InputError:
    """Word the error for the first value that is not in 0..1."""
    at = check_curve(values)
    assert at is not None  # noqa: S101 - a block was found bad, so some value is
    episode = int(np.searchsorted(offsets, at, side="right")) - 1
    frame = at - int(offsets[episode])
    return InputError(
        f"Episode {episode}, frame {frame}: progress must be in 0..1, found {values[at]:g}."
    )
