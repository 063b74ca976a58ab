"""From hops to progress: values derived by hand, and what holds for all."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.integrators import anchored, cumulative, fused, least_squares

PROGRESS = st.lists(st.floats(0.05, 0.95), min_size=1, max_size=12)


def hop(low, high):
    """Return the hop from one progress to another."""
    gain = high - low
    return gain / (1 - low) if gain >= 0 else gain / low


def chain(progress):
    return np.array([hop(a, b) for a, b in pairwise(progress)])


def band(progress, reach):
    """Return all pairs at most `reach` apart and their true hops."""
    count = len(progress)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, min(i + reach, count - 1) + 1)]
    before, after = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    return before, after, np.array([hop(progress[i], progress[j]) for i, j in pairs])


def test_gains_are_shares_of_the_rest_and_losses_of_what_was_done():
    # 0 + .5 * 1 = .5; .5 + .5 * .5 = .75; .75 - 1/3 * .75 = .5
    found = cumulative(np.array([0.5, 0.5, -1 / 3]))
    assert found.values == pytest.approx([0, 0.5, 0.75, 0.5])
    assert found.residual is None


def test_steps_add_up_and_stop_at_the_ends():
    # 0 + .6 = .6; 1.2 is cut to 1; 1 - .6 = .4; -.2 is cut to 0
    found = cumulative(np.array([0.6, 0.6, -0.6, -0.6]), relative=False)
    assert found.values == pytest.approx([0, 0.6, 1, 0.4, 0])


def test_after_an_unknown_hop_nothing_is_known():
    found = cumulative(np.array([0.5, np.nan, 0.5, 1.0])).values
    assert found[:2].tolist() == [0, 0.5]
    assert np.isnan(found[2:]).all()


def test_an_unknown_step_is_not_taken_for_none():
    assert np.isnan(cumulative(np.array([np.nan]), relative=False).values[1])


def test_one_moment_is_the_start():
    assert cumulative(np.empty(0)).values.tolist() == [0]


def test_two_anchors_tell_their_mean_and_their_difference():
    # forward .4 and 0 (a loss from the start is no progress); backward 1 - .4 = .6 and 1 - 1 = 0
    # means .5 and 0; distances .1, .1, 0, 0: rms sqrt(.02 / 4)
    found = anchored(np.array([0.4, -0.2]), np.array([-0.4, -1.0]))
    assert found.values == pytest.approx([0.5, 0])
    assert found.residual == pytest.approx(np.sqrt(0.005))


def test_the_start_alone_tells_without_residual():
    found = anchored(np.array([0.0, 0.3, np.nan]))
    assert found.values[:2].tolist() == [0, 0.3]
    assert np.isnan(found.values[2])
    assert found.residual is None


def test_a_moment_with_one_unknown_estimate_has_no_mean():
    found = fused([np.array([0.2, np.nan]), np.array([0.4, 0.5])])
    assert found.values[0] == pytest.approx(0.3)
    assert np.isnan(found.values[1])
    assert found.residual == pytest.approx(0.1)  # .2 and .4 are each .1 away from .3


@given(PROGRESS)
def test_true_hops_give_back_the_progress(progress):
    path = [0.0, *progress]
    assert cumulative(chain(path)).values == pytest.approx(path)


@given(PROGRESS, st.integers(1, 4))
def test_true_hops_of_all_pairs_give_back_the_progress_without_residual(progress, reach):
    path = [0.0, *progress]
    found = least_squares(*band(path, reach), len(path))
    assert found.values == pytest.approx(path, abs=1e-6)
    assert found.residual is None or found.residual < 1e-6


def test_contradicting_steps_meet_in_the_middle():
    # Steps 0 to 1: .2; 1 to 2: .2; 0 to 2: .7. Let e be the error put on each of the three:
    # x1 = .2 + e, x2 = .4 + 2 e, and .7 - x2 = e, so e = .1: x = .3, .6 and all errors .1
    before, after = np.array([0, 1, 0]), np.array([1, 2, 2])
    found = least_squares(before, after, np.array([0.2, 0.2, 0.7]), 3, relative=False)
    assert found.values == pytest.approx([0, 0.3, 0.6])
    assert found.residual == pytest.approx(0.1)


def test_a_heavy_pair_is_believed_more():
    # with weights 1, 1, 2 the errors are e, e and e / 2: .4 + 2 e = .7 - e / 2, so e = .12
    before, after = np.array([0, 1, 0]), np.array([1, 2, 2])
    hops, weights = np.array([0.2, 0.2, 0.7]), np.array([1.0, 1.0, 2.0])
    found = least_squares(before, after, hops, 3, weights=weights, relative=False)
    assert found.values == pytest.approx([0, 0.32, 0.64])
    # the weighted mean of the squares: .12^2 and .12^2 once each, .06^2 twice, over 4
    assert found.residual == pytest.approx(np.sqrt(0.036 / 4))


def test_a_lost_pair_costs_nothing_where_another_goes_round_it():
    path = [0.0, 0.3, 0.5, 0.9]
    before, after, hops = band(path, 2)
    hops[(before == 1) & (after == 2)] = np.nan
    assert least_squares(before, after, hops, 4).values == pytest.approx(path)


def test_only_moments_that_are_cut_off_are_unknown():
    # pairs 01, 12, 23, 34; without 23 the moments 3 and 4 hang together but on nothing
    before, after = np.arange(4), np.arange(1, 5)
    hops = np.array([0.2, 0.2, np.nan, 0.2])
    found = least_squares(before, after, hops, 5).values
    assert found[:3] == pytest.approx([0, 0.2, 0.36])
    assert np.isnan(found[3:]).all()


def test_a_full_hop_tells_the_end_but_nothing_of_the_way():
    # 1 to 2 is a hop of 1: Phi_2 = 1 whatever Phi_1 is, which no other pair tells
    found = least_squares(np.array([0, 1]), np.array([1, 2]), np.array([np.nan, 1.0]), 3)
    assert found.values[[0, 2]] == pytest.approx([0, 1])
    assert np.isnan(found.values[1])


def test_no_hop_known_leaves_the_start_alone():
    found = least_squares(np.array([0]), np.array([1]), np.array([np.nan]), 2)
    assert found.values[0] == 0
    assert np.isnan(found.values[1])
    assert found.residual is None


def test_one_moment_needs_no_pair():
    none = np.empty(0, dtype=np.int64)
    assert least_squares(none, none, np.empty(0), 1).values.tolist() == [0]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_progress_stays_inside(hops):
    count = len(hops) + 1
    summed = cumulative(np.array(hops)).values
    fitted = least_squares(np.arange(count - 1), np.arange(1, count), np.array(hops), count).values
    for values in (summed, fitted[~np.isnan(fitted)]):
        assert ((values >= 0) & (values <= 1)).all()


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan])
def test_a_weight_must_be_above_zero(weight):
    with pytest.raises(UsageError, match="weights of hops must be above 0"):
        least_squares(np.array([0]), np.array([1]), np.array([0.5]), 2, weights=np.array([weight]))


def test_the_residual_counts_known_moments_alone():
    # moments 0..2 contradict each other by .1 as above; 3 and 4 are tied to each other alone
    before, after = np.array([0, 1, 0, 3]), np.array([1, 2, 2, 4])
    found = least_squares(before, after, np.array([0.2, 0.2, 0.7, 0.5]), 5, relative=False)
    assert found.residual == pytest.approx(0.1)
    assert np.isnan(found.values).tolist() == [False, False, False, True, True]
