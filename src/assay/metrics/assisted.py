"""Few labels by people, many scores by a judge: one mean, with an interval the labels justify.

People label n episodes; a judge scores these and N others. The judge may be wrong by any amount,
because its mean over the others is corrected by how far it is off on the labelled ones:

    mean = mean of y + lambda (mean of f over the others - mean of f over the labelled)

with y the labels and f the judge's scores. lambda is chosen to make the variance least; a judge
that tells nothing gets a lambda near 0 and changes nothing. `metrics.two_phase` has the formulas.

One thing must hold: chance picked the episodes that are labelled. And labels can't tell of what
they don't show: with 20 labels, blunders of the judge in one episode of ten are missed altogether
one time in eight, and an interval then is too short; `Assisted.unseen` says how large such a share
may be. Coverage is measured in `tests/proof/assisted_coverage.py`.

Cites:
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), "Prediction-powered inference";
    Angelopoulos, Duchi and Zrnic (2023), "PPI++: efficient prediction-powered inference".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from assay.errors import UnknownNameError, UsageError
from assay.metrics.correlation import SMALLEST_LINE, Figure, jackknifed
from assay.metrics.intervals import SMALLEST_SAMPLE, mean_interval
from assay.metrics.results import Floats
from assay.metrics.two_phase import Draw, Fit, Stratum, as_they_are, draw_again, regress

__all__ = ["GAIN_NOTE", "Assisted", "AssistedSettings", "Labelled", "assist"]

GAIN_NOTE = (
    "The gain is itself measured on these labels: its range comes from the interval of the"
    " correlation. Neither interval was chosen for being the shorter one."
)

_SD_FLOOR = 0.25  # of the sample's, as in `metrics.intervals`
_SAME = 1e-9  # of the range: what differs by less differs by rounding
_ROUNDING = 1e-12  # of all squares: what is left of equal scores when others are taken away
_STRANGE = 3.0  # standard errors; by chance 3 in 1,000


@dataclass(frozen=True, slots=True)
class AssistedSettings:
    """How the interval is made.

    Attributes:
        low: The smallest value a label can take, or -inf.
        high: The largest, or inf.
        level: The wanted coverage.
        method: "bootstrap-t", or "normal", which is faster and too short with few labels.
        resamples: How many resamples the bootstrap draws.
        seed: The same seed gives the same interval.
    """

    low: float = 0.0
    high: float = 1.0
    level: float = 0.95
    method: Literal["bootstrap-t", "normal"] = "bootstrap-t"
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise UsageError(f"Labels need low < high, not {self.low:g} and {self.high:g}.")
        if not 0.0 < self.level < 1.0:
            raise UsageError(f"A level lies between 0 and 1, not at {self.level:g}.")
        if self.method not in {"bootstrap-t", "normal"}:
            raise UnknownNameError("method", self.method, ("bootstrap-t", "normal"))
        if self.resamples < 1:
            raise UsageError(f"A bootstrap draws at least once, not {self.resamples} times.")


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Episodes with labels and scores, and episodes with scores alone.

    Attributes:
        labels: What people said of the labelled episodes, of shape (n,).
        judged: What the judge said of the same episodes, of shape (n,), on any scale.
        others: What the judge said of the unlabelled episodes, of shape (N,).
        strata: The task of each labelled episode, of shape (n,), when means are taken task by task
            and weighed by how many episodes a task has; else None.
        other_strata: The task of each unlabelled episode, of shape (N,), or None.
    """

    labels: Floats
    judged: Floats
    others: Floats
    strata: npt.ArrayLike | None = None
    other_strata: npt.ArrayLike | None = None


@dataclass(frozen=True, slots=True)
class Assisted:
    """A mean from labels and a judge, beside the mean from labels alone.

    Attributes:
        mean: The mean with its interval; its n counts the labels.
        alone: The same from the labels alone, its interval made in the same way.
        others: How many episodes have only the judge's score.
        power: lambda, the weight that the judge gets; 0 when it is not used.
        correlation: Of the judge's scores with the labels (within tasks, if there are any).
        effective: The number of labels that would give as small an error without a judge.
        width_ratio: Width of the interval over that of the labels alone, or None.
        is_informative: Whether the correlation is told apart from 0.
        unseen: The share of episodes that may be of a kind, such as a rare blunder of the judge,
            that no label happens to show: 1 - (1 - level)^(1/n).
        warnings: What a reader has to know before using the mean.
    """

    mean: Figure
    alone: Figure
    others: int
    power: float
    correlation: Figure
    effective: Figure
    width_ratio: float | None
    is_informative: bool
    unseen: float
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the result as it stands in result files."""
        return {
            "mean": self.mean.as_json(),
            "alone": self.alone.as_json(),
            "others": self.others,
            "power": self.power,
            "correlation": self.correlation.as_json(),
            "effective_labels": self.effective.as_json(),
            "width_ratio": self.width_ratio,
            "is_informative": self.is_informative,
            "unseen": self.unseen,
            "warnings": list(self.warnings),
            "note": GAIN_NOTE,
        }


def assist(data: Labelled, settings: AssistedSettings | None = None) -> Assisted:
    """Return the mean of labels over all episodes, with the judge's help and without.

    Works for any number per episode: progress, success as 0 or 1, or one of the five metrics. The
    interval is the studentised bootstrap: labelled episodes are drawn again, each with its label
    and its score, within tasks; b is fitted anew each time; the mean over the others moves by its
    normal error. With fewer than 5 labels there is no interval; a task needs 2 labels and 1 other.

    When the labels are all equal the judge is not used, and the ends are the exact bound of
    `mean_interval`. When the labels lie on a line with the scores, so that nothing is left to
    resample, a share p = 1 - (alpha / 2)^(1/n) of the episodes may still be off that line, by at
    most the range: the ends are that much further out.

    Args:
        data: Labels and scores; nothing unscored.
        settings: How the interval is made.
    """
    settings = settings or AssistedSettings()
    parts = _strata(data, settings)
    labels = np.concatenate([part.y for part in parts])
    n, others = len(labels), sum(len(part.g) for part in parts)
    correlation = _correlation(parts, settings.level)
    draws = (
        draw_again(parts, settings.resamples, settings.seed)
        if settings.method == "bootstrap-t"
        else []
    )
    mean, alone = (_figure(parts, draws, settings, is_assisted=a) for a in (True, False))
    slope = float(regress(parts, as_they_are(parts)).slope[0])
    low, high = correlation.low, correlation.high
    is_informative = low is not None and high is not None and (low > 0 or high < 0)
    # Without a point out of line there is no interval, and no doubt either.
    is_informative |= n >= SMALLEST_SAMPLE and abs(correlation.value or 0.0) >= 1.0 - _SAME
    return Assisted(
        mean=mean,
        alone=alone,
        others=others,
        power=slope * sum(part.weight * part.reach for part in parts),
        correlation=correlation,
        effective=_effective(correlation, n, others),
        width_ratio=_ratio(mean, alone),
        is_informative=is_informative,
        unseen=1.0 - (1.0 - settings.level) ** (1.0 / n),
        warnings=_warnings(parts, correlation, is_informative=is_informative),
    )


def _figure(
    parts: list[Stratum], draws: list[Draw], settings: AssistedSettings, *, is_assisted: bool
) -> Figure:
    """Return the mean with its interval, or with the reason why there is none."""
    fit = regress(parts, as_they_are(parts), is_assisted=is_assisted)
    labels = np.concatenate([part.y for part in parts])
    low, high, n = settings.low, settings.high, len(labels)
    value = min(max(float(fit.mean[0]), low), high)
    if n < SMALLEST_SAMPLE:
        few = f"fewer than {SMALLEST_SAMPLE} labels: no interval"
        return Figure(value, None, None, n, why=few)
    if _is_flat(labels, settings):
        _, start, end, method = mean_interval(labels, low=low, high=high, level=settings.level)
        why = None if method else "all labels are equal: no interval in an open range"
        return Figure(value, start, end, n, method, why)
    slope = float(fit.slope[0])
    rest = np.concatenate(
        [part.y - part.y.mean() - slope * (part.f - part.f.mean()) for part in parts]
    )
    if _is_flat(rest, settings, labels):
        return _on_a_line(value, math.sqrt(float(fit.variance[0])), n, settings)
    drawn = regress(parts, draws, is_assisted=is_assisted) if draws else None
    start, end = _ends(fit, drawn, settings.level)
    # A lop-sided sample can put every t* on one side; the mean itself is always inside.
    start, end = min(max(start, low), value), max(min(end, high), value)
    return Figure(value, start, end, n, settings.method)


def _ends(fit: Fit, drawn: Fit | None, level: float) -> tuple[float, float]:
    """Return the ends of the interval before they are clipped; normal ones if nothing was drawn."""
    mean, error = float(fit.mean[0]), math.sqrt(float(fit.variance[0]))
    if drawn is None:
        reach = NormalDist().inv_cdf(0.5 + level / 2.0) * error
        return mean - reach, mean + reach
    t = np.sort((drawn.mean - mean) / np.sqrt(np.maximum(drawn.variance, (_SD_FLOOR * error) ** 2)))
    tail = int(len(t) * (1.0 - level) / 2.0)
    return mean - float(t[len(t) - 1 - tail]) * error, mean - float(t[tail]) * error


def _on_a_line(value: float, error: float, n: int, settings: AssistedSettings) -> Figure:
    """Return the interval of labels that lie on a line with the scores.

    Half of alpha goes to the episodes that may be off the line, and half to the mean of scores.
    """
    if not math.isfinite(settings.high - settings.low):
        why = "nothing is left to resample: no interval in an open range"
        return Figure(value, None, None, n, why=why)
    half = (1.0 - settings.level) / 2.0
    off = (1.0 - half ** (1.0 / n)) * (settings.high - settings.low)
    reach = off + NormalDist().inv_cdf(1.0 - half / 2.0) * error
    ends = max(settings.low, value - reach), min(settings.high, value + reach)
    return Figure(value, *ends, n, "exact bound")


def _is_flat(values: Floats, settings: AssistedSettings, like: Floats | None = None) -> bool:
    """Return whether values differ by rounding alone, on the scale of the labels."""
    wide = settings.high - settings.low
    scale = wide if math.isfinite(wide) else float(np.max(np.abs(values if like is None else like)))
    return float(np.ptp(values)) <= _SAME * scale


def _correlation(parts: list[Stratum], level: float) -> Figure:
    """Return the correlation of scores with labels within tasks, by the jackknife over episodes."""
    y = np.concatenate([part.y - part.y.mean() for part in parts])
    f = np.concatenate([part.f - part.f.mean() for part in parts])
    n = len(y)
    if n < SMALLEST_LINE:
        return Figure(None, None, None, n, why=f"fewer than {SMALLEST_LINE} labels")
    for name, values, like in (
        ("the label", y, [part.y for part in parts]),
        ("the judge", f, [part.f for part in parts]),
    ):
        if float(np.ptp(values)) <= _SAME * max(float(np.max(np.abs(part))) for part in like):
            return Figure(None, None, None, n, why=f"{name} never changes")
    yy, ff, yf = _with_and_without(y * y), _with_and_without(f * f), _with_and_without(y * f)
    known = (yy > _ROUNDING * yy[0]) & (ff > _ROUNDING * ff[0])
    scale = np.sqrt(np.where(known, yy, 1.0)) * np.sqrt(np.where(known, ff, 1.0))
    r = np.divide(yf, scale, where=known, out=np.full(n + 1, np.nan)).clip(-1.0, 1.0)
    return jackknifed(float(r[0]), r[1:], on_z=True, level=level)


def _with_and_without(products: Floats) -> Floats:
    """Return the sum of products of centred values, then that without each episode: (1 + n,).

    Without episode i both means move by -1 / (n - 1) of its value, so more than its own product is
    taken away.
    """
    n, total = len(products), products.sum()
    return np.append(total, total - products * n / (n - 1))


def _effective(correlation: Figure, n: int, others: int) -> Figure:
    """Return the number of labels that would do as well alone: n / (1 - r^2 N / (n + N))."""

    def labels(square: float) -> float:
        return n / (1.0 - square * others / (n + others))

    if correlation.value is None:
        return Figure(None, None, None, n, why=correlation.why)
    value = labels(correlation.value**2)
    low, high = correlation.low, correlation.high
    if low is None or high is None:
        return Figure(value, None, None, n, why=correlation.why)
    least = 0.0 if low <= 0.0 <= high else min(low**2, high**2)
    ends = labels(least), labels(max(low**2, high**2))
    return Figure(value, *ends, n, f"of the correlation: {correlation.method}")


def _ratio(mean: Figure, alone: Figure) -> float | None:
    if mean.low is None or mean.high is None or alone.low is None or alone.high is None:
        return None
    width = alone.high - alone.low
    return (mean.high - mean.low) / width if width > 0 else None


def _warnings(
    parts: list[Stratum], correlation: Figure, *, is_informative: bool
) -> tuple[str, ...]:
    found = []
    if not is_informative:
        reason = correlation.why or "its correlation with the labels is not told apart from 0"
        found.append(f"The judge carries no information that these labels can show: {reason}.")
    elif (correlation.value or 0.0) < 0:
        found.append("The judge goes against the labels: its scores are used turned round.")
    apart = sum(part.weight * float(part.g.mean() - part.f.mean()) for part in parts)
    variance = sum(
        part.weight**2 * part.score_variance * (1 / len(part.f) + 1 / len(part.g)) for part in parts
    )
    if abs(apart) > _STRANGE * math.sqrt(variance):
        found.append(
            "The judge scores the labelled episodes unlike the others: if they were not picked by"
            " chance, neither interval holds."
        )
    return tuple(found)


def _strata(data: Labelled, settings: AssistedSettings) -> list[Stratum]:
    """Return the episodes task by task; all of them are one task when none is named."""
    y, f, g = (np.asarray(v, dtype=np.float64) for v in (data.labels, data.judged, data.others))
    if y.ndim != 1 or y.shape != f.shape or g.ndim != 1:
        raise UsageError(
            "Labels and scores of the same episodes must be lists of one length,"
            f" not {y.shape} and {f.shape}."
        )
    if not all(np.isfinite(v).all() for v in (y, f, g)):
        raise UsageError("Labels and scores must be finite: leave out what is unscored.")
    if not ((y >= settings.low) & (y <= settings.high)).all():
        raise UsageError(f"A label lies outside {settings.low:g}..{settings.high:g}.")
    if (data.strata is None) != (data.other_strata is None):
        raise UsageError(
            "Tasks are named for the labelled and for the other episodes, or for none."
        )
    here = np.zeros(len(y)) if data.strata is None else np.asarray(data.strata)
    there = np.zeros(len(g)) if data.other_strata is None else np.asarray(data.other_strata)
    if here.shape != y.shape or there.shape != g.shape:
        raise UsageError("Every episode needs one task.")
    everyone = len(y) + len(g)
    found = []
    for name in np.unique(np.concatenate([here, there])).tolist():
        part = y[here == name], f[here == name], g[there == name]
        if len(part[0]) < 2 or not len(part[2]):
            which = "Judge and labels" if data.strata is None else f"Task {name!r}"
            raise UsageError(
                f"{which} needs at least 2 labelled episodes and 1 other,"
                f" not {len(part[0])} and {len(part[2])}."
            )
        found.append(Stratum(*part, (len(part[0]) + len(part[2])) / everyone))
    return found
