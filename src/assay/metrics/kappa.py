"""How far raters agree on categories, beyond what chance would give: Cohen's and Fleiss' kappa."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.item_sums import Number, chance_corrected, grouped
from assay.metrics.results import Floats, Ints

__all__ = ["Weights", "cohen_kappa", "cohen_number", "fleiss_kappa", "weight_table"]

Weights: TypeAlias = Literal["equal", "linear", "quadratic"]

_ROUNDING = 1e-9


def cohen_kappa(
    a: Ints,
    b: Ints,
    *,
    weights: Weights | Floats = "equal",
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Figure:
    """Return Cohen's kappa of two raters with its interval.

    With w_ij the weight of the disagreement "i by the first, j by the second", p_ij the share of
    items rated so, and p_i., p_.j the shares of each rater's own ratings:
    kappa = 1 - sum w_ij p_ij / sum w_ij p_i. p_.j. It is 1 when the two agree on all items and 0
    when they agree as often as their habits alone would make them.

    Args:
        a: The category that the first rater gave each item, numbered from 0, of shape (n,).
        b: The one that the second rater gave it.
        weights: "equal" counts every disagreement as 1, "linear" as |i - j|, "quadratic" as
            (i - j)^2; or a table of one's own, of shape (K, K), 0 on its diagonal.
        episodes: Which episode each item belongs to, numbered from 0, of shape (n,): they are
            drawn together. None when every item is an episode of its own.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Cohen (1960), "A coefficient of agreement for nominal scales"; Cohen (1968), "Weighted
        kappa: nominal scale agreement with provision for scaled disagreement or partial credit".
    """
    a, b = _checked_labels(a), _checked_labels(b)
    if a.shape != b.shape:
        raise UsageError(f"Both raters need the same items, not {len(a)} and {len(b)}.")
    table = weight_table(weights, int(max(a.max(initial=0), b.max(initial=0))) + 1)
    own = np.eye(len(table))
    parts = np.concatenate([table[a, b][:, None], own[a], own[b]], axis=1)
    expected = float(own[a].mean(0) @ table @ own[b].mean(0)) if len(a) else 0.0
    return chance_corrected(
        grouped(parts, episodes),
        cohen_number(table),
        observed=float(table[a, b].sum()),
        expected=expected,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def fleiss_kappa(
    counts: Ints,
    *,
    episodes: Ints | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Figure:
    """Return Fleiss' kappa of several raters, the same number for each item, with its interval.

    Of the m (m - 1) ordered pairs of ratings of item i, sum_k n_ik (n_ik - 1) agree; P is the mean
    share of such pairs, p_k the share of all ratings that are k, and Q = sum_k p_k^2:
    kappa = (P - Q) / (1 - Q). The raters of one item need not be those of another.

    Args:
        counts: How many raters put each item into each category, of shape (n, K); all rows have
            the same sum m >= 2. Where ratings are missing, use Krippendorff's alpha.
        episodes: As in `cohen_kappa`.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same interval.

    Cites:
        Fleiss (1971), "Measuring nominal scale agreement among many raters".
    """
    counts = np.asarray(counts)
    if counts.ndim != 2 or (counts < 0).any():
        raise UsageError("Fleiss' kappa needs a table of counts, one row an item.")
    m = int(counts[0].sum()) if len(counts) else 2
    if m < 2 or (counts.sum(axis=1) != m).any():
        raise UsageError("Fleiss' kappa needs the same number of raters, 2 or more, for each item.")
    agreeing = (counts * (counts - 1)).sum(axis=1) / (m * (m - 1))
    parts = np.concatenate([1.0 - agreeing[:, None], counts], axis=1)
    shares = counts.sum(axis=0) / max(1, m * len(counts))

    def number(sums: Floats) -> tuple[Floats, Floats]:
        disagreement, own = sums[..., 0], sums[..., 1:]
        total = own.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = 1.0 / (total**2 - (own**2).sum(axis=-1))
            value = 1.0 - m * disagreement * total * apart
            outer = 2 * m * disagreement * total * apart**2
            along = (outer * total - m * disagreement * apart)[..., None] - outer[..., None] * own
            slopes = np.concatenate([(-m * total * apart)[..., None], along], axis=-1)
        return value, slopes

    return chance_corrected(
        grouped(parts, episodes),
        number,
        observed=float(np.sum(1.0 - agreeing)),
        expected=1.0 - float(np.sum(shares**2)),
        level=level,
        resamples=resamples,
        seed=seed,
    )


def cohen_number(table: Floats) -> Number:
    """Return Cohen's kappa as a number made of sums over items, for `table` of shape (K, K).

    The sums are the weighted disagreement and how often either rater used each of the categories:
    1 + K + K of them.
    """
    size = len(table)

    def number(sums: Floats) -> tuple[Floats, Floats]:
        disagreement, a, b = sums[..., 0], sums[..., 1 : size + 1], sums[..., size + 1 :]
        n, by_a, by_b = a.sum(axis=-1), a @ table, b @ table.T
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = 1.0 / (a * by_b).sum(axis=-1)
            value = 1.0 - disagreement * n * apart
            outer = (disagreement * n * apart**2)[..., None]
            along_a = outer * by_b - (disagreement * apart)[..., None]
            slopes = np.concatenate([(-n * apart)[..., None], along_a, outer * by_a], axis=-1)
        return value, slopes

    return number


def weight_table(weights: Weights | Floats, size: int) -> Floats:
    """Return how much each disagreement counts, of shape (K, K), the largest as 1; K >= `size`."""
    if isinstance(weights, str):
        apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
        power = {"equal": 0, "linear": 1, "quadratic": 2}.get(weights)
        if power is None:
            raise UsageError(f"Weights are equal, linear or quadratic, not {weights!r}.")
        table = np.where(apart > 0, apart**power, 0.0)
    else:
        table = np.asarray(weights, dtype=np.float64)
        square = table.ndim == 2 and table.shape[0] == table.shape[1] >= size
        if not square or not (table >= 0).all() or np.diag(table).any() or not table.any():
            raise UsageError(
                f"A table of weights needs a row and a column for each of {size} categories, 0 on"
                " its diagonal, nothing below 0 and something above it."
            )
    return table / max(float(table.max()), _ROUNDING)


def _checked_labels(labels: Ints) -> Ints:
    labels = np.asarray(labels)
    whole = np.issubdtype(labels.dtype, np.integer) or not labels.size
    if labels.ndim != 1 or not whole or (labels < 0).any():
        raise UsageError("Categories are whole numbers from 0, one for each item in a list.")
    return labels.astype(np.int64)
