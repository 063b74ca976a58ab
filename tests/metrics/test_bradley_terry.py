"""Strengths from votes: by hand, by published tables, and against plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from assay.errors import UsageError
from assay.metrics.bradley_terry import covariance, fit, solve, win_chances
from assay.metrics.preference.counts import Tally, count_cells, count_votes
from assay.metrics.preference.graph import find_groups
from proof.rank_coverage import STRENGTHS, coverage
from votes_made import draw, tally

Z = 1.959963984540054

# Wins of 1987 in the eastern division of the American League: Agresti (1990), "Categorical data
# analysis", section 10.6.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = tally(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
TALLIES = st.integers(2, 5).flatmap(
    lambda p: st.lists(st.integers(0, 9), min_size=2 * p * p, max_size=2 * p * p).map(
        lambda counts: _tally_of(np.array(counts, dtype=float).reshape(2, p, p))
    )
)


def _tally_of(counts: np.ndarray) -> Tally:
    wins, ties = (np.where(np.eye(len(part)), 0, part) for part in counts)
    return Tally(wins, np.triu(ties, 1) + np.triu(ties, 1).T)


def votes_of(found: Tally) -> list[tuple[int, int, float]]:
    """Return every vote as i, j and 1 for a win of i or 0.5 for a tie."""
    pairs = list(itertools.permutations(range(len(found.wins)), 2))
    won = [(i, j, 1.0) for i, j in pairs for _ in range(int(found.wins[i, j]))]
    return won + [(i, j, 0.5) for i, j in pairs if i < j for _ in range(int(found.ties[i, j]))]


def test_thirty_wins_to_ten():
    # log(30 / 10) / 2 = .549306. H = 40 * .75 * .25 (x x') = 7.5 x x', S is the same, and
    # V_11 = 1 / (4 * 7.5) = 1 / 30: the half width is 1.959964 / sqrt(30) = .357839.
    votes = tally([[0, 30], [10, 0]])
    found = fit(votes)
    assert found.beta == pytest.approx([0.549306, -0.549306], abs=1e-6)
    half = Z * np.sqrt(np.diag(covariance(found, votes)))
    assert half == pytest.approx([0.357839, 0.357839], abs=1e-6)


def test_ties_change_nothing_when_they_are_left_out():
    plain, tied = tally([[0, 30], [10, 0]]), tally([[0, 30], [10, 0]], [[0, 99], [99, 0]])
    a, b = fit(plain), fit(tied)
    assert np.array_equal(a.beta, b.beta)
    assert np.array_equal(covariance(a, plain), covariance(b, tied))


def test_davidson_by_hand():
    # Two policies: log(30 / 10) apart, and nu = ties / sqrt(wins * losses) = 20 / sqrt(300).
    found = fit(tally([[0, 30], [10, 0]], [[0, 20], [20, 0]]), ties="davidson")
    assert found.beta == pytest.approx([0.549306, -0.549306], abs=1e-6)
    assert math.exp(found.log_nu) == pytest.approx(20 / math.sqrt(300))


def test_a_regularised_fit_by_hand():
    # By symmetry beta = (b, -b). 4 wins to 0 and one imagined win and loss each: the slope
    # 4 (1 - p(2b)) = p(b) - (1 - p(b)) with p(x) = 1 / (1 + exp(-x)) gives t = exp(b) by
    # 4 / (1 + t^2) = (t - 1) / (t + 1): t^3 - t^2 - 3 t - 5 = 0, so t = 2.8026.
    t = max(np.roots([1, -1, -3, -5]).real)
    found = fit(tally([[0, 4], [0, 0]]), regularise=True)
    assert found.beta == pytest.approx([math.log(t), -math.log(t)])


def test_published_strengths_of_baseball_teams():
    # Agresti's table 10.11 and the vignette of BradleyTerry2 (Turner and Firth 2012), with
    # Baltimore at 0; the errors are those of the model.
    found = fit(BASEBALL)
    apart = found.beta - found.beta[-1]
    wanted = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0]
    assert apart == pytest.approx(wanted, abs=6e-5)
    own = np.diag(found.inverse)
    errors = np.sqrt(own + own[-1] - 2 * found.inverse[-1])[:-1]
    assert errors == pytest.approx([0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319], abs=6e-5)


def test_win_chances_of_the_fit_are_those_of_the_table():
    # At the maximum each team's expected wins are its wins.
    games = BASEBALL.wins + BASEBALL.wins.T
    expected = (games * win_chances(fit(BASEBALL).beta)).sum(axis=1)
    assert expected == pytest.approx(BASEBALL.wins.sum(axis=1))


def reference(votes: Tally, ties: str, start: np.ndarray) -> np.ndarray:
    """Return the best strengths, and log nu, found by a general optimiser on a plain loop."""
    listed = votes_of(votes)

    def cost(point: np.ndarray) -> float:
        total = 0.0
        for i, j, won in listed:
            d = point[i] - point[j]
            nu = math.exp(point[-1]) if ties == "davidson" else 0.0
            if won == 0.5 and not nu:
                continue
            up = math.log(nu) if won == 0.5 else d / 2
            total += math.log(math.exp(d / 2) + math.exp(-d / 2) + nu) - up
        return total + float(point[: len(votes.wins)].sum()) ** 2

    return minimize(cost, start, method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("ties", ["exclude", "davidson"])
def test_a_general_optimiser_finds_the_same(ties):
    a, b, outcome = draw(np.array([0.6, 0.1, -0.7]), 120, seed=4, nu=0.6)
    votes = count_votes(a, b, outcome, 3)
    found = fit(votes, ties=ties)
    known = [found.log_nu] if ties == "davidson" else []
    best = reference(votes, ties, np.zeros(3 + len(known)))
    assert [*found.beta, *known] == pytest.approx(best.tolist(), abs=1e-5)


def plain_scores(votes: Tally, beta: np.ndarray, log_nu: float | None) -> np.ndarray:
    """Return the score of every vote, one at a time, of shape (n, P) or (n, P + 1)."""
    rows = []
    for i, j, won in votes_of(votes):
        if won == 0.5 and log_nu is None:
            continue
        d, nu = beta[i] - beta[j], 0.0 if log_nu is None else math.exp(log_nu)
        weights = np.array([math.exp(d / 2), nu, math.exp(-d / 2)])
        p = weights / weights.sum()
        row = np.zeros(len(beta) + 1)
        row[i] = {1.0: 0.5, 0.5: 0.0}[won] - (p[0] - p[2]) / 2
        row[j] = -row[i]
        row[-1] = (won == 0.5) - p[1]
        rows.append(row[: len(beta) + (log_nu is not None)])
    return np.array(rows)


@pytest.mark.parametrize("ties", ["exclude", "davidson"])
def test_the_sandwich_is_that_of_a_plain_loop(ties):
    # H^-1 = inv of the numbers' covariance; here as pinv of the sum of expected U U'.
    a, b, outcome = draw(np.array([0.6, 0.1, -0.7, 0.2]), 200, seed=5, nu=0.5)
    votes = count_votes(a, b, outcome, 4)
    found = fit(votes, ties=ties)
    scores = plain_scores(votes, found.beta, found.log_nu)
    whole = found.inverse @ (scores.T @ scores) @ found.inverse
    centre = np.eye(4) - 0.25
    assert covariance(found, votes) == pytest.approx(centre @ whole[:4, :4] @ centre, abs=1e-12)


def test_the_inverse_is_the_pseudo_inverse_of_the_information():
    found = fit(BASEBALL)
    p = win_chances(found.beta)
    weight = (BASEBALL.wins + BASEBALL.wins.T) * p * (1 - p)
    information = np.diag(weight.sum(axis=1)) - weight
    assert found.inverse == pytest.approx(np.linalg.pinv(information), abs=1e-10)


@pytest.mark.parametrize("ties", ["exclude", "davidson"])
def test_clusters_of_one_vote_are_votes(ties):
    a, b, outcome = draw(np.array([0.6, 0.1, -0.7]), 300, seed=6, nu=0.5)
    votes, cells = (
        count_votes(a, b, outcome, 3),
        count_cells(a, b, outcome, np.arange(300), 3),
    )
    found = fit(votes, ties=ties)
    wanted = covariance(found, votes) * 300 / 299
    assert covariance(found, votes, cells) == pytest.approx(wanted, abs=1e-14)


def test_raters_who_vote_alike_count_once(monkeypatch):
    # Each rater gives one opinion ten times over: the variance is that of the raters alone, times
    # G / (G - 1) = 20 / 19, and not a tenth of it. Blocks of clusters change nothing.
    a, b, outcome = draw(np.array([0.5, 0.0, -0.5]), 20, seed=8)
    once = count_votes(a, b, outcome, 3)
    many = [np.repeat(x, 10) for x in (a, b, outcome)]
    votes = count_votes(*many, 3)
    cells = count_cells(*many, np.repeat(np.arange(20), 10), 3)
    found = fit(votes)
    single = covariance(fit(once), once) * 20 / 19
    assert covariance(found, votes, cells) == pytest.approx(single)
    assert covariance(found, votes) == pytest.approx(single * 19 / 20 / 10)
    monkeypatch.setattr("assay.metrics.bradley_terry._CLUSTERS_AT_ONCE", 12)
    assert covariance(found, votes, cells) == pytest.approx(single)


@given(TALLIES, st.sampled_from(["exclude", "davidson"]))
def test_a_fit_exists_exactly_where_the_graph_says_so(votes, ties):
    assume(votes.decisive > 0 and (ties == "exclude" or votes.ties.any()))
    names = [str(k) for k in range(len(votes.wins))]
    whole = find_groups(votes, names, with_ties=ties == "davidson").whole
    if not whole:
        with pytest.raises(UsageError, match="no finite fit"):
            fit(votes, ties=ties)
        return
    found = fit(votes, ties=ties)
    assert abs(found.beta.sum()) < 1e-9
    scores = plain_scores(votes, found.beta, found.log_nu)
    assert scores.sum(axis=0) == pytest.approx(np.zeros(scores.shape[1]), abs=1e-6)


@given(TALLIES, st.permutations(range(5)))
def test_the_order_of_names_does_not_matter_and_a_regularised_fit_always_exists(votes, order):
    chosen = np.array([k for k in order if k < len(votes.wins)])
    found = fit(votes, regularise=True)
    turned = fit(votes.take(chosen), regularise=True)
    assert turned.beta == pytest.approx(found.beta[chosen], abs=1e-7)
    assert covariance(turned, votes) == pytest.approx(
        covariance(found, votes)[np.ix_(chosen, chosen)], abs=1e-7
    )


def test_many_tallies_at_once_are_each_fitted():
    stack = [count_votes(*draw(np.array([1.0, 0.2, -1.2]), 200, seed), 3) for seed in range(5)]
    whole = Tally(np.stack([t.wins for t in stack]), np.stack([t.ties for t in stack]))
    beta, _, _ = solve(whole)
    for row, one in zip(beta, stack, strict=True):
        assert row - row.mean() == pytest.approx(fit(one).beta, abs=1e-9)


def test_far_apart_strengths_are_found():
    # A million to one: log(1e6) / 2 each.
    found = fit(tally([[0, 1e6], [1, 0]]))
    assert found.beta == pytest.approx([math.log(1e6) / 2, -math.log(1e6) / 2])


def test_a_regularised_fit_has_no_clusters():
    a, b, outcome = draw(np.array([0.5, -0.5]), 50)
    votes, cells = count_votes(a, b, outcome, 2), count_cells(a, b, outcome, np.arange(50), 2)
    with pytest.raises(UsageError, match="no clustered intervals"):
        covariance(fit(votes, regularise=True), votes, cells)


def test_coverage_at_a_realistic_size():
    # 200 studies of 600 votes on 6 policies: 0.95 less three Monte-Carlo errors. Intervals of one
    # study go together, so the error is taken as that of 200 intervals, 0.0154.
    found = coverage(STRENGTHS, 600, 200)
    assert found.held > 0.904
    assert found.lost == 0
