"""From votes to a ranking: counts, groups, tiers, tests, resamples, the next pair, agreement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from assay.errors import UsageError
from assay.metrics.bradley_terry import covariance, fit
from assay.metrics.preference import counts as counting
from assay.metrics.preference.agreeing import Drawn, agree_rankings, resample_means
from assay.metrics.preference.bootstrap import resample_strengths
from assay.metrics.preference.counts import MOST_POLICIES, count_cells, count_votes, tally_of
from assay.metrics.preference.graph import find_groups
from assay.metrics.preference.planning import next_pairs
from assay.metrics.preference.ranking import rank_policies
from assay.metrics.preference.standings import RankingSettings
from assay.metrics.preference.tiers import (
    compare_pairs,
    overlap_tiers,
    rank_limits,
    ranks,
    tiers,
)
from votes_made import draw, tally

BETA = np.array([1.0, 0.4, 0.3, -0.5, -1.2])
VOTES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(-1, 1), st.integers(0, 5)),
    min_size=1,
    max_size=60,
).map(lambda rows: [(a, (a + step) % 4, outcome, c) for a, step, outcome, c in rows])


def arrays(rows):
    a, b, outcome, cluster = np.array(rows).T
    return a, b, outcome.astype(np.int8), cluster


def test_votes_are_counted_by_winner():
    # 0 beats 1; 1 listed first loses to 0; 1 beats 0; a tie of 0 and 2 in either order.
    a, b = np.array([0, 1, 0, 0, 2]), np.array([1, 0, 1, 2, 0])
    found = count_votes(a, b, np.array([1, -1, -1, 0, 0]), 3)
    assert found.wins.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
    assert found.ties.tolist() == [[0, 0, 2], [0, 0, 0], [2, 0, 0]]
    assert (found.votes, found.decisive) == (5, 3)


@given(VOTES)
def test_counting_is_that_of_a_plain_loop(rows):
    a, b, outcome, cluster = arrays(rows)
    found = count_votes(a, b, outcome, 4)
    wins, ties = np.zeros((4, 4)), np.zeros((4, 4))
    for i, j, said, _ in rows:
        if said:
            wins[(i, j) if said > 0 else (j, i)] += 1
        else:
            ties[i, j] += 1
            ties[j, i] += 1
    assert np.array_equal(found.wins, wins)
    assert np.array_equal(found.ties, ties)
    cells = count_cells(a, b, outcome, cluster, 4)
    whole = tally_of(cells, np.ones(cells.clusters), 4)
    assert np.array_equal(whole.wins, wins)
    assert np.array_equal(whole.ties, ties)


def test_blocks_and_sorted_clusters_count_the_same(monkeypatch):
    a, b, outcome = draw(BETA, 1000, nu=0.4)
    cluster = np.random.default_rng(0).integers(0, 30, 1000)
    plain, cells = count_votes(a, b, outcome, 5), count_cells(a, b, outcome, cluster, 5)
    monkeypatch.setattr(counting, "_VOTES_AT_ONCE", 64)
    monkeypatch.setattr(counting, "_DENSE", 0)
    again, sparse = count_votes(a, b, outcome, 5), count_cells(a, b, outcome, cluster, 5)
    assert np.array_equal(plain.wins, again.wins)
    for name in ("cluster", "i", "j", "tie", "count"):
        assert np.array_equal(getattr(cells, name), getattr(sparse, name))


@pytest.mark.parametrize(
    ("a", "b", "outcome", "said"),
    [
        ([0], [1, 0], [1], "three lists of one length"),
        ([0], [2], [1], r"outside 0\.\.1"),
        ([-1], [0], [1], r"outside 0\.\.1"),
        ([0], [1], [2], r"\+1 \(a\)"),
        ([1], [1], [1], "against itself"),
    ],
)
def test_what_is_no_vote_is_refused(a, b, outcome, said):
    with pytest.raises(UsageError, match=said):
        count_votes(np.array(a), np.array(b), np.array(outcome), 2)


def test_too_many_policies_are_refused():
    with pytest.raises(UsageError, match="At most 1000"):
        count_votes(np.array([0]), np.array([1]), np.array([1]), MOST_POLICIES + 1)


def test_all_share_a_scale_when_wins_go_round():
    # a > b > c > a: a circle can be gone round.
    found = find_groups(tally([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), "abc")
    assert found.whole
    assert found.warnings == ()


def test_a_one_sided_policy_is_explained_and_the_others_stay():
    found = find_groups(tally([[0, 3, 0], [2, 0, 0], [4, 0, 0]]), ["ann", "bob", "king"])
    assert found.main.tolist() == [0, 1]
    assert found.why[2] == "it won all 4 decisive votes against others: no upper limit"
    assert found.warnings == (
        "king won all 4 decisive votes against others: the strength has no upper limit.",
    )


def test_parts_that_were_never_compared():
    wins = np.zeros((5, 5))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 5, 4, 1, 1
    found = find_groups(tally(wins.tolist()), "abcde")
    assert found.main.tolist() == [0, 1]
    assert [group.tolist() for group in found.others] == [[2, 3]]
    assert found.why[2:] == (*["no vote joins it with a, b"] * 2, "it has no decisive vote")
    assert "3 parts that no decisive vote joins: a, b; c, d; e." in found.warnings[0]


def test_a_chain_of_groups():
    # {a, b} always beat {c, d} and e lies between: above d, below a.
    wins = np.zeros((5, 5))
    wins[0, 1] = wins[1, 0] = 9
    wins[2, 3] = wins[3, 2] = 2
    wins[0, 2], wins[0, 4], wins[4, 3] = 3, 1, 1
    found = find_groups(tally(wins.tolist()), "abcde")
    assert (
        found.why[2] == "its group (c, d) lost all 4 decisive votes against others: no lower limit"
    )
    assert found.why[4] == (
        "it always won against some and always lost against others: no limit on either side"
    )
    assert len(found.warnings) == 2


def test_ties_join_where_they_count():
    votes = tally([[0, 5], [0, 0]], [[0, 2], [2, 0]])
    assert not find_groups(votes, "ab").whole
    assert find_groups(votes, "ab", with_ties=True).whole
    equal = tally([[0, 0], [0, 0]], [[0, 2], [2, 0]])
    assert len(find_groups(equal, "ab", with_ties=True).main) == 0


def test_wald_by_hand():
    # Variances .09 and .04, covariance .02: .13 - .04 = .09, an error of .3; .6 / .3 = 2.
    found = compare_pairs(np.array([0.4, -0.2]), np.array([[0.09, 0.02], [0.02, 0.04]]))
    assert found.error[0, 1] == pytest.approx(0.3)
    assert found.p[0, 1] == pytest.approx(0.0455, abs=5e-5)  # 2 * Phi(-2)
    few = compare_pairs(np.array([0.4, -0.2]), np.array([[0.09, 0.02], [0.02, 0.04]]), freedom=4)
    assert few.p[0, 1] == pytest.approx(0.1161, abs=5e-5)  # Student's, 4 degrees of freedom


def test_what_is_not_tested_costs_the_others_nothing():
    sure = np.array([True, True, False])
    found = compare_pairs(np.array([1.0, 0.0, -9.0]), 0.1 * np.eye(3), sure=sure)
    assert (found.p[2] == 1).all()
    assert found.adjusted[0, 1] == found.p[0, 1] < 0.05


def test_ranks_share_what_is_equal():
    assert ranks(np.array([0.5, 0.5, -1.0, 2.0])).tolist() == [2, 2, 4, 1]


def test_tiers_by_hand():
    # [1, 2] [.5, 1.2] [0, .6] [-1, -.5]: the third overlaps the second but lies clear of the first.
    low, high = np.array([1, 0.5, 0, -1.0]), np.array([2, 1.2, 0.6, -0.5])
    beta = (low + high) / 2
    assert overlap_tiers(beta, low, high).tolist() == [1, 1, 2, 3]
    assert overlap_tiers(beta[::-1], low[::-1], high[::-1]).tolist() == [3, 2, 1, 1]


def test_a_wide_leader_does_not_join_what_lies_apart():
    # The leader [3, 13] overlaps both [6.5, 7.5] and [3.5, 4.5], which lie apart.
    low, high = np.array([3, 6.5, 3.5]), np.array([13, 7.5, 4.5])
    assert overlap_tiers((low + high) / 2, low, high).tolist() == [1, 1, 2]


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.01, 2)), min_size=1, max_size=10))
def test_policies_of_one_tier_overlap(found):
    beta, half = np.array(found).T
    tier = overlap_tiers(beta, beta - half, beta + half)
    clear = (beta - half)[:, None] > (beta + half)[None, :]
    assert not (clear & (tier[:, None] == tier[None, :])).any()
    order = np.argsort(-beta, kind="stable")
    assert (np.diff(tier[order]) >= 0).all()
    assert (tier[order[0]], set(np.diff(np.unique(tier))) - {1}) == (1, set())


def test_no_interval_parts_nothing():
    nothing = np.full(2, np.nan)
    assert overlap_tiers(np.array([5.0, -5.0]), nothing, nothing).tolist() == [1, 1]
    assert tiers(np.array([1.0, 0.0]), np.ones((2, 2), dtype=bool)).tolist() == [1, 2]


def test_rank_limits_by_hand():
    # The first is told from the third only: it can't be third, nor can that one be first.
    told = compare_pairs(np.array([1.0, 0.5, 0.0]), 0.06 * np.eye(3))
    assert told.adjusted[0, 2] < 0.05 < told.adjusted[0, 1]
    best, worst = rank_limits(told, 0.05)
    assert (best.tolist(), worst.tolist()) == ([1, 1, 2], [2, 3, 3])


def test_the_next_vote_joins_what_is_not_joined():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = 50
    wins[2, 3] = wins[3, 2] = 50
    best = next_pairs(tally(wins.tolist()))[0]
    assert {best.i, best.j} & {0, 1}
    assert {best.i, best.j} & {2, 3}
    assert best.votes == 0


def test_the_gain_of_a_vote_by_hand():
    # 10 to 10: beta 0, p = 1/2. H = 20 / 4 x x' + imagined 2 / 4 I; x is an eigenvector with
    # 2 * 5 + .5 = 10.5, so that x' H^-1 x = 2 / 10.5, and the gain log(1 + .25 * 2 / 10.5) / 2.
    (found,) = next_pairs(tally([[0, 10], [10, 0]]))
    assert found.gain == pytest.approx(np.log1p(0.5 / 10.5) / 2)
    assert (found.votes, found.chance) == (20, 0.5)


def test_of_two_open_pairs_the_less_known_is_asked():
    wins = np.zeros((3, 3))
    wins[0, 1] = wins[1, 0] = 40
    wins[0, 2] = wins[2, 0] = 5
    found = next_pairs(tally(wins.tolist()), count=2)
    assert [2 in (pair.i, pair.j) for pair in found] == [True, True]
    assert found[0].gain >= found[1].gain


@pytest.mark.parametrize("n", [400, 60])
@pytest.mark.parametrize("ties", ["exclude", "davidson"])
def test_resamples_spread_as_the_sandwich_says(n, ties):
    # 60 votes of 3 policies are drawn one by one, 400 as counts.
    votes = count_votes(*draw(np.array([0.5, 0.0, -0.5]), n, seed=3, nu=0.4), 3)
    found = fit(votes, ties=ties)
    drawn = resample_strengths(votes, ties=ties, start=found.beta, resamples=800)
    error = np.sqrt(np.diag(covariance(found, votes)))
    # The spread of 800 draws is good to 2.5 %; small samples have heavier tails.
    assert drawn.std(axis=0) == pytest.approx(error, rel=0.1 if n > 100 else 0.3)
    assert drawn.sum(axis=1) == pytest.approx(np.zeros(800), abs=1e-9)
    again = resample_strengths(votes, ties=ties, start=found.beta, resamples=800)
    assert np.array_equal(drawn, again)


def test_clusters_are_drawn_whole():
    # Ten raters who each say one thing ten times: the spread is that of ten votes.
    a, b, outcome = (np.repeat(x, 10) for x in draw(np.array([0.3, 0.0, -0.3]), 40, seed=9))
    cluster = np.repeat(np.arange(40), 10)
    votes, cells = count_votes(a, b, outcome, 3), count_cells(a, b, outcome, cluster, 3)
    start = fit(votes).beta
    whole = resample_strengths(votes, cells, start=start, resamples=500)
    single = resample_strengths(votes, start=start, resamples=500)
    assert whole.std(axis=0) == pytest.approx(np.sqrt(10) * single.std(axis=0), rel=0.35)


def test_a_resample_without_a_finite_fit_still_has_an_order():
    # 5 to 1: a draw has no loss with probability (5/6)^6 = .335; it is then far apart.
    drawn = resample_strengths(tally([[0, 5], [1, 0]]), resamples=400)
    far = drawn[:, 0] > 4
    assert far.mean() == pytest.approx(0.335, abs=0.07)
    assert np.isfinite(drawn).all()


def test_resamples_of_few_ties():
    # One tie of 21: a third of the draws have none, and nu has no finite best value there.
    votes = tally([[0, 12], [8, 0]], [[0, 1], [1, 0]])
    drawn = resample_strengths(votes, ties="davidson", resamples=200)
    assert np.isfinite(drawn).all()


def both(x, y, **more):
    names = [str(k) for k in range(len(x))]
    return agree_rankings(Drawn(names, x, None), Drawn(names, y, None), **more)


def test_rank_correlations_published():
    # Hours of television against IQ, the worked example of Spearman's rho: -29 / 165.
    iq = np.array([106, 100, 86, 101, 99, 103, 97, 113, 112, 110.0])
    hours = np.array([7, 27, 2, 50, 28, 29, 20, 12, 6, 17.0])
    assert both(iq, hours).spearman.value == pytest.approx(-29 / 165)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_rank_correlations_are_scipys(pairs):
    x, y = np.array(pairs, dtype=float).T
    assume(np.ptp(x) and np.ptp(y))
    found = both(x, y)
    assert found.kendall.value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic)


def test_policies_of_one_side_only_are_named():
    first = Drawn(["a", "b", "c", "d"], np.array([3, 2, 1, np.nan]), None, "exact")
    second = Drawn(["c", "b", "a", "e"], np.array([1, 3, 2, 9.0]), None)
    found = agree_rankings(first, second)
    assert (found.policies, found.only_first, found.only_second) == (("a", "b", "c"), (), ("e",))
    # a > b here and b > a there; the other two pairs agree: tau = (2 - 1) / 3.
    assert found.swapped == (("a", "b"),)
    assert found.kendall.value == pytest.approx(1 / 3)
    assert found.kendall.why == "exact"


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([1, 2], [1, 2], "fewer than 3 policies that both rank"),
        ([1, 1, 1], [1, 2, 3], "the first ranking tells no two policies apart"),
        ([1, 2, 3], [4, 4, 4], "the second ranking tells no two policies apart"),
    ],
)
def test_an_undefined_agreement_says_why(x, y, why):
    found = both(np.array(x, dtype=float), np.array(y, dtype=float))
    assert (found.kendall.value, found.kendall.why) == (None, why)


def test_the_interval_of_an_agreement_holds_it():
    rng = np.random.default_rng(0)
    values = {name: rng.normal(k, 2.0, 40) for k, name in enumerate("abcde")}
    one = resample_means(values, 400)
    other = resample_means({name: own + 0.1 for name, own in values.items()}, 400, seed=1)
    found = agree_rankings(one, other)
    assert found.kendall.value == 1.0
    assert -1 <= found.kendall.low < found.kendall.high == 1.0
    narrow = agree_rankings(one, other, level=0.5)
    assert narrow.kendall.low >= found.kendall.low
    assert found.kendall.method == "orders left open"


def test_the_interval_of_an_agreement_by_hand():
    # Of four policies the resamples swap the last pair in 40 of 100 draws of one side: that pair is
    # open, all others are settled. Tau is 1 or (5 - 1) / 6 = 2/3, rho 1 or 1 - 6 * 2 / 60 = .8.
    names, values = list("abcd"), np.array([4.0, 3, 2, 1])
    drawn = np.tile(values, (100, 1))
    drawn[:40, 2:] = [1, 2]
    exact = Drawn(names, values, np.tile(values, (100, 1)))
    both = agree_rankings(Drawn(names, values, drawn), exact)
    found, rho = both.kendall, both.spearman
    assert (found.value, found.low, found.high) == (1.0, pytest.approx(2 / 3), 1.0)
    assert (rho.value, rho.low, rho.high) == (1.0, pytest.approx(0.8), 1.0)
    # Turned: the value is 2/3, and 1 is as open as before.
    turned = Drawn(names, np.array([4.0, 3, 1, 2]), drawn)
    found = agree_rankings(turned, exact).kendall
    assert (found.value, found.low) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found.high == 1.0
    # A swap in 1 of 100 draws is rare enough, and in 2 it is not: (1 - .95) / 4 is 1.25 %.
    for swaps, low in ((1, 1.0), (2, 2 / 3)):
        drawn = np.tile(values, (100, 1))
        drawn[:swaps, 2:] = [1, 2]
        found = agree_rankings(Drawn(names, values, drawn), exact).kendall
        assert found.low == pytest.approx(low)


def test_equal_episodes_are_not_taken_for_certain():
    # Six values of .5: others may be .5 away; the error is sqrt(.75 * .25 / (7 * 8)) = .0579.
    found = resample_means({"a": np.full(6, 0.5), "b": np.array([0.2, 0.3] * 3)}, 4000)
    assert found.resamples[:, 0].std() == pytest.approx(0.0579, rel=0.05)
    assert found.resamples[:, 0].mean() == pytest.approx(0.5, abs=0.005)
    assert found.values.tolist() == pytest.approx([0.5, 0.25])


def test_names_that_stand_twice_are_refused():
    with pytest.raises(UsageError, match="each name once"):
        agree_rankings(Drawn(["a", "a"], np.zeros(2), None), Drawn(["a"], np.zeros(1), None))


def test_a_ranking_by_hand():
    found = rank_policies(tally([[0, 30], [10, 0]], [[0, 7], [7, 0]]), ["act", "pi0"])
    first, second = found.standings
    assert (first.name, first.rank, first.tier, first.wins, first.losses) == ("act", 1, 1, 30, 10)
    assert (second.rank, second.tier, second.ties) == (2, 2, 7)
    assert (first.low, first.high) == pytest.approx((0.191467, 0.907145), abs=1e-6)
    # beta apart 1.098612, its error 2 / sqrt(30): z = 3.0087, p = .00262.
    assert found.pairs[0].p == pytest.approx(0.00262, abs=1e-5)
    assert (first.rank_low, first.rank_high, second.rank_low) == (1, 1, 2)
    assert (found.interval, found.warnings) == ("sandwich", ())


def test_a_policy_off_the_scale_has_no_number_and_the_others_keep_theirs():
    wins = np.zeros((3, 3))
    wins[0, 1], wins[1, 0], wins[2, 0] = 30, 10, 6
    found = rank_policies(tally(wins.tolist()), ["a", "b", "king"])
    assert [(s.name, s.beta is None, s.rank) for s in found.standings] == [
        ("a", False, 1),
        ("b", False, 2),
        ("king", True, None),
    ]
    assert found.standings[0].beta == pytest.approx(0.549306, abs=1e-6)
    assert found.standings[2].why.startswith("it won all 6")
    assert found.warnings[-1].startswith("Collect votes")
    whole = rank_policies(
        tally(wins.tolist()), ["a", "b", "king"], None, RankingSettings(regularise=True)
    )
    assert [s.name for s in whole.standings] == ["king", "a", "b"]
    assert all(s.low < s.beta < s.high for s in whole.standings)
    assert "imagined" in whole.warnings[-1]


def test_few_votes_have_no_interval():
    wins = np.zeros((3, 3))
    wins[0, 1], wins[1, 0], wins[2, 0], wins[0, 2] = 30, 10, 2, 2
    found = {s.name: s for s in rank_policies(tally(wins.tolist()), "abc").standings}
    assert (found["c"].low, found["c"].tier) == (None, None)
    assert found["c"].beta is not None
    assert found["c"].why == "fewer than 5 votes: no interval"
    assert found["a"].low is not None


def test_few_clusters_have_no_interval():
    a, b, outcome = draw(np.array([0.4, -0.4]), 100)
    cells = count_cells(a, b, outcome, np.arange(100) % 4, 2)
    found = rank_policies(count_votes(a, b, outcome, 2), "ab", cells)
    assert [s.why for s in found.standings] == ["fewer than 5 clusters of votes: no interval"] * 2
    assert found.interval == "sandwich over 4 clusters"


def test_davidson_without_a_tie_is_bradley_terry():
    votes = tally([[0, 30], [10, 0]])
    found = rank_policies(votes, "ab", None, RankingSettings(ties="davidson"))
    assert found.standings == rank_policies(votes, "ab").standings
    assert found.log_nu is None


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        (tally([[0, 1], [0, 0]]), "at least 2 votes, not 1"),
        (tally([[0, 0], [0, 0]], [[0, 3], [3, 0]]), "All 3 votes are ties"),
    ],
)
def test_what_can_not_be_ranked_is_refused(votes, said):
    with pytest.raises(UsageError, match=said):
        rank_policies(votes, "ab")


@pytest.mark.parametrize("bad", [{"ties": "half"}, {"level": 0.4}, {"level": 1.0}])
def test_settings_that_mean_nothing_are_refused(bad):
    with pytest.raises(UsageError):
        RankingSettings(**bad)


@given(VOTES)
def test_a_ranking_never_has_a_silent_number(rows):
    a, b, outcome, _ = arrays(rows)
    votes = count_votes(a, b, outcome, 4)
    assume(votes.votes > 1 and votes.decisive)
    found = rank_policies(votes, "abcd")
    for one in found.standings:
        assert (one.beta is None) == (one.rank is None)
        assert one.low is None or one.low < one.beta < one.high
        assert (one.why is None) == (one.low is not None)
    known = [one.rank for one in found.standings if one.rank is not None]
    assert known == sorted(known)
    assert bool(found.warnings) == any(one.why for one in found.standings)
