"""How far a group's means move under analysis settings that nobody can call wrong.

The step threshold, a little smoothing and the sampling rate are choices of the analyst. A result
that turns over within this band is a result of the choice, not of the robot.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.metrics.opd import milestone_levels, opd
from assay.metrics.results import AVERAGED, Band, Floats, Ints, OpdTable

__all__ = [
    "EPSILON_FACTORS",
    "STRIDES",
    "WINDOWS",
    "sensitivity",
    "sensitivity_by_group",
    "smoothed",
    "thinned",
]

# The plain setting comes first, so that it is the one named when several give the same mean.
EPSILON_FACTORS = (1.0, 0.5, 2.0)
WINDOWS = (1, 3, 5)
STRIDES = (1, 2, 4)


def sensitivity(
    values: Floats, offsets: Ints, *, epsilon: float | Floats, milestones: int = 4
) -> dict[str, Band]:
    """Return the band of each mean over all 27 settings, for one group of curves.

    See `sensitivity_by_group`, which is faster for many groups.
    """
    groups = np.zeros(len(offsets) - 1, dtype=np.int64)
    return sensitivity_by_group(values, offsets, groups, epsilon=epsilon, milestones=milestones)[0]


def sensitivity_by_group(
    values: Floats,
    offsets: Ints,
    groups: Ints,
    *,
    epsilon: float | Floats,
    milestones: int = 4,
) -> list[dict[str, Band]]:
    """Return the band of each group's means over all 27 settings.

    Every combination of epsilon times 0.5, 1 and 2, a moving average over 1, 3 and 5
    observations, and every observation, every 2nd and every 4th one is computed.

    Args:
        values: All curves end to end, as for `opd`.
        offsets: Where each curve starts, of shape (N + 1,), N >= 1.
        groups: The group of each curve, 0 .. G-1, each at least once, of shape (N,).
        epsilon: The step threshold, one number or one per episode.
        milestones: K, the number of milestones.

    Returns:
        For each group a band for "mp", "ppl", "cra", "str", and for the share that reaches each
        milestone, named "mc@25", "mc@50", "mc@75", "mc@100" for K = 4.
    """
    variants = _variants(values, offsets, np.asarray(epsilon), milestones)
    rows = [(setting, _group_means(table, groups, milestones)) for setting, table in variants]
    settings = [setting for setting, _ in rows]
    means = {name: np.stack([row[name] for _, row in rows]) for name in rows[0][1]}
    count = int(groups.max()) + 1
    return [
        {name: _band(column[:, group], settings) for name, column in means.items()}
        for group in range(count)
    ]


def smoothed(values: Floats, offsets: Ints, window: int) -> Floats:
    """Return every curve under a centred moving average of `window` observations (odd).

    Towards the ends of a curve the window shrinks evenly on both sides, so the first and last
    observations stay as they are: smoothing can't undo a success in the last frame. Values stay
    in 0..1.
    """
    starts, ends = offsets[:-1], offsets[1:]
    result = _moving_average(values, window // 2)
    # From the widest shrunken window inwards: short curves end up with the one that fits them.
    for half in reversed(range(window // 2)):
        average = _moving_average(values, half)
        fits = ends - starts > 2 * half
        for at in (starts[fits] + half, ends[fits] - 1 - half):
            result[at] = average[at]
    return result


def thinned(values: Floats, offsets: Ints, stride: int) -> tuple[Floats, Ints]:
    """Return every `stride`-th observation of each curve and always its last, with new offsets."""
    if stride == 1:
        return values, offsets
    lengths = np.diff(offsets)
    within = np.arange(len(values)) - np.repeat(offsets[:-1], lengths)
    kept = within % stride == 0
    kept[offsets[1:] - 1] = True
    counts = np.concatenate([[0], np.cumsum(kept)])
    return values[kept], counts[offsets]


def _variants(
    values: Floats, offsets: Ints, epsilon: Floats, milestones: int
) -> Iterator[tuple[str, OpdTable]]:
    """Yield each setting in words with its table."""
    for window in WINDOWS:
        smooth = smoothed(values, offsets, window)
        for stride in STRIDES:
            curves, starts = thinned(smooth, offsets, stride)
            for factor in EPSILON_FACTORS:
                table = opd(curves, starts, epsilon=factor * epsilon, milestones=milestones)
                yield f"epsilon x{factor:g}, window {window}, stride {stride}", table


def _group_means(table: OpdTable, groups: Ints, milestones: int) -> dict[str, Floats]:
    """Return the means of each group, of shape (G,); NaN where no episode has a value."""
    levels = milestone_levels(milestones)[1:]
    columns = {f"mc@{100 * q:.0f}": (table.mp >= q).astype(np.float64) for q in levels}
    columns |= {name: table.column(name) for name in AVERAGED}
    return {name: _means(column, groups) for name, column in columns.items()}


def _means(column: Floats, groups: Ints) -> Floats:
    defined = ~np.isnan(column)
    size = int(groups.max()) + 1
    counts = np.bincount(groups[defined], minlength=size)
    totals = np.bincount(groups[defined], weights=column[defined], minlength=size)
    means: Floats = np.divide(totals, counts, out=np.full(size, np.nan), where=counts > 0)
    return means


def _band(means: Floats, settings: list[str]) -> Band:
    """Return the extremes of one mean over the settings; both are of length 27."""
    # One-observation curves have no STR under any setting, so a mean is always or never NaN.
    if np.isnan(means[0]):
        return Band(None, None, "", "")
    low, high = int(np.argmin(means)), int(np.argmax(means))
    return Band(float(means[low]), float(means[high]), settings[low], settings[high])


def _moving_average(values: Floats, half: int) -> Floats:
    """Return the average over `half` values either side, wrong within `half` of a curve's ends."""
    average = values.copy()
    if half and len(values) > 2 * half:
        inside = average[half : len(values) - half]
        for shift in range(1, half + 1):
            inside += values[half - shift : len(values) - half - shift]
            inside += values[half + shift : len(values) - half + shift]
        inside /= 2 * half + 1
    return average
