"""Strengths of policies from votes, by Newton's method on the counts, and their covariance.

Bradley and Terry: policy i is preferred to j with probability theta_i / (theta_i + theta_j). The
strength is beta = log theta, so that P(i > j) = 1 / (1 + exp(-(beta_i - beta_j))). Only differences
are known; strengths are centred, so that an average policy has 0.

Davidson counts ties as well. With d = beta_i - beta_j and one parameter nu for all pairs,
P(i > j) : P(tie) : P(j > i) = exp(d / 2) : nu : exp(-d / 2). With nu = 0 it is Bradley and Terry.

Everything below is written for Davidson's model. For a vote on i and j let s be +1/2, 0 or -1/2 and
let t be 1 for a tie, else 0. Their means are l / 2 and q with

    l = sinh(d / 2) / (cosh(d / 2) + nu / 2),    q = (nu / 2) / (cosh(d / 2) + nu / 2),

and the score of the vote is U = (s - l / 2) x + (t - q) e, with x = e_i - e_j and e for log nu.

Cites:
    Bradley and Terry (1952), "Rank analysis of incomplete block designs: I"; Davidson (1970), "On
    extending the Bradley-Terry model to accommodate ties in paired comparison experiments"; Hunter
    (2004), "MM algorithms for generalized Bradley-Terry models"; Huber (1967), "The behavior of
    maximum likelihood estimates under nonstandard conditions"; Liang and Zeger (1986),
    "Longitudinal data analysis using generalized linear models".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.metrics.preference.counts import Cells, Tally
from assay.metrics.results import Floats, Ints

__all__ = ["IMAGINED", "Fit", "Ties", "covariance", "fit", "solve", "win_chances"]

Ties: TypeAlias = Literal["exclude", "davidson"]

IMAGINED = 1.0
"""A regularised fit lets each policy win and lose so often against an imagined average one."""

_STEPS = 100
_HALVINGS = 40
_SMALL = 1e-6  # of a strength: steps shrink quadratically, so the next one would be about 1e-12
_CLUSTERS_AT_ONCE = 1 << 20  # places of a table of scores, 8 MB


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Fitted strengths.

    Attributes:
        beta: The strengths, of shape (P,), with mean 0.
        log_nu: Davidson's log nu; None where ties are left out.
        inverse: The inverse of the information H, of shape (P, P) or, with log nu as the last row
            and column, (P + 1, P + 1); the pseudo-inverse where only differences are known.
        imagined: How many imagined votes each policy has won, and lost.
        steps: How many steps Newton's method took.
    """

    beta: Floats
    log_nu: float | None
    inverse: Floats
    imagined: float
    steps: int


def fit(tally: Tally, *, ties: Ties = "exclude", regularise: bool = False) -> Fit:
    """Fit strengths to votes by maximum likelihood.

    It exists only if every policy can be reached from every other one by going from winners to
    losers (Ford 1957); `assay.metrics.preference.graph` tells. Davidson's nu needs a tie and a vote
    that is none. A regularised fit always exists: there each policy also wins once and loses once
    against an imagined policy of strength 0, and two imagined equals tie once and don't once.

    Args:
        tally: The votes.
        ties: "exclude" leaves ties out, "davidson" counts them.
        regularise: Whether to add the imagined votes.

    Raises:
        UsageError: There is no finite fit.

    Cites:
        Ford (1957), "Solution of a ranking problem from binary comparisons".
    """
    model = _Model(ties == "davidson", IMAGINED if regularise else 0.0)
    beta, log_nu, steps = solve(tally, davidson=model.davidson, imagined=model.imagined)
    own = log_nu if model.davidson else None
    matrix = _information(tally, beta, own, _parts(beta, own), model)
    inverse = _inverse(matrix, len(beta), model)
    nu = float(log_nu) if model.davidson else None
    return Fit(beta - beta.mean(), nu, inverse, model.imagined, steps)


def solve(
    tally: Tally,
    *,
    davidson: bool = False,
    imagined: float = 0.0,
    ridge: float = 0.0,
    start: Floats | None = None,
    tolerance: float = _SMALL,
) -> tuple[Floats, Floats, int]:
    """Maximise the likelihood of one tally, or of many at once.

    A step that lowers the likelihood is halved until it doesn't. Tallies that are done are put
    aside, so that a hard one does not hold up the others.

    Args:
        tally: Counts of shape (P, P), or (B, P, P) for B tallies.
        davidson: Whether ties count.
        imagined: So many imagined wins and losses of each policy; above 0 a fit always exists.
        ridge: Takes ridge / 2 times the square of each strength, and of log nu, off the
            log-likelihood; above 0 a fit always exists, and a small one decides nothing else.
        start: Where to start, of shape (P,); 0 by default.
        tolerance: Done when no strength moves further than this.

    Returns:
        The strengths, of shape (P,) or (B, P); log nu, of shape () or (B,); and the steps taken.
    """
    wins = tally.wins if tally.wins.ndim == 3 else tally.wins[None]
    ties = (tally.ties if tally.wins.ndim == 3 else tally.ties[None]) if davidson else 0.0 * wins
    many, policies = wins.shape[:2]
    point = np.zeros((many, policies + davidson))
    if start is not None:
        point[:, :policies] = start
    model = _Model(davidson, imagined, ridge)
    reached = _likelihood(Tally(wins, ties), point, model)
    active, steps = np.arange(many), 0
    while len(active) and steps < _STEPS:
        part = Tally(wins[active], ties[active])
        try:
            moved = _step(part, point, reached, active, model)
        except np.linalg.LinAlgError:
            break
        active, steps = active[~(moved <= tolerance)], steps + 1
    if len(active):
        raise UsageError(
            "The votes have no finite fit: not all policies are joined by wins both ways."
        )
    beta, log_nu = point[:, :policies], point[:, -1]
    if tally.wins.ndim == 3:
        return beta, log_nu, steps
    return beta[0], log_nu[0], steps


def covariance(fitted: Fit, tally: Tally, cells: Cells | None = None) -> Floats:
    """Return the covariance of the centred strengths, of shape (P, P).

    The sandwich V = H^-1 S H^-1 with H the information and S = sum U U' over votes, on the
    identified subspace, then centred: A V A' with A = I - 11'/P. It holds even where the model
    does not. Votes of one cluster are no news of each other: S is then the sum of U_c U_c' over
    clusters with U_c the sum of their scores, times G / (G - 1) for G clusters.

    A regularised fit has V = H^-1, the curvature of its likelihood with the imagined votes: where
    a policy has won every vote the residuals are near 0, and a sandwich would be far too thin.

    Args:
        fitted: The fit.
        tally: The votes it was fitted to.
        cells: The same votes by cluster, if they go together.
    """
    if fitted.imagined and cells is not None:
        raise UsageError("A regularised fit has no clustered intervals: leave out one of the two.")
    policies = len(fitted.beta)
    if fitted.imagined:
        whole = fitted.inverse
    else:
        filling = _scores(fitted, tally) if cells is None else _cluster_scores(fitted, cells)
        whole = fitted.inverse @ filling @ fitted.inverse
    own = whole[:policies, :policies]
    own = own - own.mean(axis=0, keepdims=True)
    centred: Floats = own - own.mean(axis=1, keepdims=True)
    return (centred + centred.T) / 2.0


def win_chances(beta: Floats) -> Floats:
    """Return the probability that i beats j in a decisive vote, of shape (P, P)."""
    found: Floats = (1.0 + np.tanh((beta[:, None] - beta[None, :]) / 2.0)) / 2.0
    return found


@dataclass(frozen=True, slots=True)
class _Model:
    """Whether ties count, how many imagined votes each policy has won, and lost, and the ridge."""

    davidson: bool
    imagined: float
    ridge: float = 0.0

    @property
    def pinned(self) -> bool:
        """Tell whether the level of all strengths is known."""
        return self.imagined > 0 or self.ridge > 0


_Parts: TypeAlias = tuple[Floats, Floats]
"""The means l and q of every pair, of shape (.., P, P)."""


def _parts(beta: Floats, log_nu: Floats | None) -> _Parts:
    half = (beta[..., :, None] - beta[..., None, :]) / 2.0
    if log_nu is None:
        return np.tanh(half), np.zeros_like(half)
    # Divided by cosh, which may be too large for a number where the quotient is not.
    share = np.exp(log_nu)[..., None, None] / 2.0 / np.cosh(np.clip(half, -300.0, 300.0))
    return np.tanh(half) / (1.0 + share), share / (1.0 + share)


def _likelihood(tally: Tally, point: Floats, model: _Model) -> Floats:
    """Return the log-likelihood of each tally, of shape (B,)."""
    policies = tally.wins.shape[-1]
    beta = point[:, :policies]
    apart = np.abs(beta[:, :, None] - beta[:, None, :])
    weight = np.exp(-apart)
    if model.davidson:
        weight = weight + np.exp(point[:, -1])[:, None, None] * np.exp(-apart / 2.0)
    scale = apart / 2.0 + np.log1p(weight)
    lead = ((tally.wins.sum(axis=2) - tally.wins.sum(axis=1)) * beta).sum(axis=1) / 2.0
    found: Floats = lead - ((tally.wins + tally.ties / 2.0) * scale).sum(axis=(1, 2))
    if model.davidson:
        found = found + point[:, -1] * tally.ties.sum(axis=(1, 2)) / 2.0
    if model.imagined:
        found = found - 2.0 * model.imagined * np.logaddexp(beta / 2.0, -beta / 2.0).sum(axis=1)
    if model.imagined and model.davidson:
        log_nu = point[:, -1]
        found = found + model.imagined * (log_nu - 2.0 * np.logaddexp(math.log(2.0), log_nu))
    if model.ridge:
        found = found - model.ridge / 2.0 * (point**2).sum(axis=1)
    return found


def _step(tally: Tally, whole: Floats, reached: Floats, active: Ints, model: _Model) -> Floats:
    """Take one step of Newton's method in place, and return how far each point has moved.

    Args:
        tally: The votes of the `active` rows.
        whole: All points; the `active` rows are moved.
        reached: Their likelihood, kept up to date.
        active: Which rows to move.
        model: What is fitted.
    """
    point = whole[active]
    policies = tally.wins.shape[-1]
    beta = point[:, :policies]
    log_nu = point[:, -1] if model.davidson else None
    parts = _parts(beta, log_nu)
    games = tally.wins + np.swapaxes(tally.wins, 1, 2) + tally.ties
    slope = (tally.wins - np.swapaxes(tally.wins, 1, 2) - games * parts[0]).sum(axis=2) / 2.0
    if model.imagined:
        slope = slope - model.imagined * np.tanh(beta / 2.0)
    if model.davidson:
        own = (tally.ties - games * parts[1]).sum(axis=(1, 2)) / 2.0
        own = own + model.imagined * (1.0 - 2.0 * _tie_of_equals(point[:, -1]))
        slope = np.concatenate([slope, own[:, None]], axis=1)
    slope = slope - model.ridge * point
    matrix = _information(tally, beta, log_nu, parts, model)
    matrix = _with_level(matrix, policies, model)
    move = np.linalg.solve(matrix, slope[..., None])[..., 0]
    before = reached[active]
    allowed = before - 1e-12 * (1.0 + np.abs(before))  # what is lost by rounding alone
    for _ in range(_HALVINGS):
        after = _likelihood(tally, point + move, model)
        worse = ~(after >= allowed)
        if not worse.any():
            break
        move[worse] /= 2.0
    whole[active], reached[active] = point + move, after
    moved: Floats = np.abs(move).max(axis=1)
    return moved


def _information(
    tally: Tally, beta: Floats, log_nu: Floats | None, parts: _Parts, model: _Model
) -> Floats:
    """Return H, of shape (.., P, P), or (.., P + 1, P + 1) with log nu."""
    lean, tied = parts
    games = tally.wins + np.swapaxes(tally.wins, -1, -2)
    if model.davidson:
        games = games + tally.ties
    found = _laplacian(games * (1.0 - tied - lean**2) / 4.0)
    if model.imagined:
        diagonal = np.arange(beta.shape[-1])
        found[..., diagonal, diagonal] += model.imagined * (1.0 - np.tanh(beta / 2.0) ** 2) / 2.0
    if not model.davidson:
        return found
    cross = (-games * lean * tied / 2.0).sum(axis=-1)
    corner = (games * tied * (1.0 - tied)).sum(axis=(-2, -1)) / 2.0
    if model.imagined and log_nu is not None:
        share = _tie_of_equals(log_nu)
        corner = corner + 2.0 * model.imagined * share * (1.0 - share)
    return _bordered(found, cross, corner)


def _tie_of_equals(log_nu: Floats) -> Floats:
    """Return the probability nu / (2 + nu) that two policies of one strength tie."""
    found: Floats = (1.0 + np.tanh((log_nu - math.log(2.0)) / 2.0)) / 2.0
    return found


def _laplacian(weight: Floats) -> Floats:
    """Return the sum of w_ij x x' over pairs, x = e_i - e_j, for symmetric weights."""
    found = -weight
    places = np.arange(weight.shape[-1])
    found[..., places, places] = 0.0
    found[..., places, places] = -found.sum(axis=-1)
    return found


def _bordered(inner: Floats, cross: Floats, corner: Floats) -> Floats:
    size = inner.shape[-1]
    found = np.empty((*inner.shape[:-2], size + 1, size + 1))
    found[..., :size, :size] = inner
    found[..., size, :size] = found[..., :size, size] = cross
    found[..., size, size] = corner
    return found


def _with_level(matrix: Floats, policies: int, model: _Model) -> Floats:
    """Return H made regular: raising all strengths alike changes no vote, and so is pinned."""
    if model.pinned:
        return matrix + model.ridge * np.eye(matrix.shape[-1])
    scale = np.trace(matrix[..., :policies, :policies], axis1=-2, axis2=-1) / policies**2
    found = matrix.copy()
    found[..., :policies, :policies] += scale[..., None, None]
    return found


def _inverse(matrix: Floats, policies: int, model: _Model) -> Floats:
    """Return the inverse of H, or its pseudo-inverse on differences."""
    found = np.asarray(np.linalg.inv(_with_level(matrix, policies, model)), dtype=np.float64)
    if not model.pinned:
        level = float(np.trace(matrix[:policies, :policies])) / policies**2
        found[:policies, :policies] -= 1.0 / (level * policies**2)
    return found


def _scores(fitted: Fit, tally: Tally) -> Floats:
    """Return S = sum U U' over votes, from the counts."""
    lean, tied = _parts(fitted.beta, None if fitted.log_nu is None else np.array(fitted.log_nu))
    up, down = (1.0 - lean) / 2.0, (1.0 + lean) / 2.0  # how far a win and a loss of i surprise
    won, lost = tally.wins, tally.wins.T
    squares = won * up**2 + lost * down**2
    if fitted.log_nu is None:
        return _laplacian(squares)
    squares = squares + tally.ties * lean**2 / 4.0
    cross = (won * up - lost * down) * -tied - tally.ties * lean * (1.0 - tied) / 2.0
    corner = ((won + lost) * tied**2 + tally.ties * (1.0 - tied) ** 2).sum() / 2.0
    return _bordered(_laplacian(squares), cross.sum(axis=1), corner)


def _cluster_scores(fitted: Fit, cells: Cells) -> Floats:
    """Return S over clusters, some clusters at a time."""
    policies = len(fitted.beta)
    lean, tied = _parts(fitted.beta, None if fitted.log_nu is None else np.array(fitted.log_nu))
    size = policies + (fitted.log_nu is not None)
    ours = np.where(cells.tie, 0.0, 0.5) - lean[cells.i, cells.j] / 2.0
    of_nu = cells.tie - tied[cells.i, cells.j]
    count = np.where(cells.tie & (fitted.log_nu is None), 0.0, cells.count)
    found = np.zeros((size, size))
    width = max(1, _CLUSTERS_AT_ONCE // size)
    for start in range(0, cells.clusters, width):
        ends = np.searchsorted(cells.cluster, [start, start + width])
        part = slice(int(ends[0]), int(ends[1]))
        scores = np.zeros((min(width, cells.clusters - start), size))
        row = cells.cluster[part] - start
        np.add.at(scores, (row, cells.i[part]), (count * ours)[part])
        np.add.at(scores, (row, cells.j[part]), -(count * ours)[part])
        if fitted.log_nu is not None:
            np.add.at(scores, (row, np.full(len(row), policies)), (count * of_nu)[part])
        found += scores.T @ scores
    return found * cells.clusters / max(cells.clusters - 1, 1)
