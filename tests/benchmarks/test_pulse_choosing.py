"""Which pairs are taken: balanced, spread over time, the same every time."""

from __future__ import annotations

from itertools import cycle, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.pulse.choosing import balanced, drawn, quantile_bins
from assay.benchmarks.pulse.items import Placed, build_items
from assay.benchmarks.pulse.pairs import ORDERS, pairs_of
from assay.benchmarks.pulse.phases import kinds_of_steps
from assay.benchmarks.pulse.thresholds import BIN_NAMES, LEAST_REGRESSIONS
from assay.benchmarks.pulse.truth import Truth
from assay.records import Episode, Series

FORWARD, REVERSED, ANTI_TIME = range(3)


def episode(number, phi, **about):
    """Return a world's episode with the potential `phi` at five states a second."""
    times = 0.2 * np.arange(len(phi))
    return Episode(
        id=f"e{number:03d}",
        task="lift",
        world="tabletop",
        signals={"progress": Series(times, np.asarray(phi))},
        **{"policy": "dropper", **about},
    )


def undone(rng):
    """Return a potential that rises, falls and rises again."""
    parts = (rng.uniform(0.5, 1.0), rng.uniform(0.0, 0.3), rng.uniform(0.5, 1.0))
    ends = [0.0, *parts]
    steps = [np.linspace(a, b, 8)[1:] for a, b in pairwise(ends)]
    return np.concatenate([[0.0], *steps])


def candidates(seed):
    """Return made-up candidates: order, bin and distance, the distance telling of the order."""
    rng = np.random.default_rng(seed)
    order = rng.choice(3, 1500, p=[0.4, 0.4, 0.2])
    return order, rng.integers(0, 3, 1500), rng.exponential(1 + order, 1500)


@given(st.integers(0, 1000))
def test_signs_are_balanced_and_half_of_the_losses_are_real(seed):
    order, level, distance = candidates(seed)
    taken = balanced(order, level, distance, seed)
    for place in range(len(BIN_NAMES)):
        own = order[taken][level[taken] == place]
        counts = np.bincount(own, minlength=3)
        assert counts[FORWARD] == counts[REVERSED] + counts[ANTI_TIME]
        assert counts[REVERSED] == counts[ANTI_TIME] > 0


@given(st.integers(0, 1000))
def test_in_the_small_bin_the_distance_tells_nothing_of_the_sign(seed):
    order, level, distance = candidates(seed)
    taken = balanced(order, level, distance, seed)
    small = np.flatnonzero(level == 0)
    cell = np.full(len(order), -1)
    cell[small] = quantile_bins(distance[small])
    gain = order[taken] == FORWARD
    own = cell[taken][level[taken] == 0]
    sign = gain[level[taken] == 0]
    assert np.array_equal(
        np.bincount(own[sign], minlength=12), np.bincount(own[~sign], minlength=12)
    )


def test_with_few_real_losses_all_are_taken_and_reversed_pairs_fill_up():
    order = np.array([FORWARD] * 50 + [REVERSED] * 50 + [ANTI_TIME] * (LEAST_REGRESSIONS - 1))
    level = np.full(len(order), 2)
    taken = balanced(order, level, np.ones(len(order)), 0)
    counts = np.bincount(order[taken], minlength=3)
    assert counts.tolist() == [50, 50 - LEAST_REGRESSIONS + 1, LEAST_REGRESSIONS - 1]


def test_nothing_gives_nothing():
    none = np.empty(0, dtype=np.int64)
    assert len(balanced(none, none, np.empty(0), 0)) == 0


def test_an_episode_gives_few_of_each_stratum_from_several_distances():
    phi = np.concatenate([np.linspace(0, 1, 60), np.linspace(1, 0.2, 40)[1:]])
    times = 0.2 * np.arange(len(phi))
    pairs, _ = pairs_of(Truth("potential", times, phi, kinds_of_steps(times, phi)))
    places = drawn(pairs, "e", 4, seed=0)
    assert np.array_equal(places, drawn(pairs, "e", 4, seed=0))
    strata = list(zip(pairs.order[places], pairs.bin[places], strict=True))
    assert max(strata.count(one) for one in strata) == 4
    small = places[(pairs.order[places] == 0) & (pairs.bin[places] == 0)]
    # Gains of up to a third take between 0.4 s and 4 s here: three of the bands.
    assert len(set(np.digitize(pairs.distance_s[small], (1.0, 2.0, 4.0)))) == 3


def built(seed, count=30):
    rng = np.random.default_rng(7)
    acting = (
        ("bad", "wrong-object"),
        ("not-wrong-object-at-all", "dropper"),
        ("b", "backtracker"),
    )
    placed = [
        Placed(episode(k, undone(rng), policy=label), "s", "Sim", "t", kind)
        for k, (label, kind) in zip(range(count), cycle(acting), strict=False)
    ]
    return build_items(placed, per_stratum=4, seed=seed)


def test_the_same_seed_gives_the_same_items_and_another_seed_others():
    assert built(3).items == built(3).items
    assert built(3).items != built(4).items


def test_items_say_what_they_are():
    items = built(0).items
    assert len({item.item for item in items}) == len(items)
    for item in items:
        assert item.y == (1 if item.hop > 0 else -1)
        assert item.y * (item.phi_after - item.phi_before) > 0
        assert (item.t_after > item.t_before) == (item.order != "reversed")
        assert item.order in ORDERS
        assert item.wrong_object is (item.policy == "bad")  # by who acted, not by the label
        assert item.undone is (item.policy == "b")
        assert item.setting == "Sim"


def test_policies_that_nobody_knows_are_in_no_stratum_and_are_counted():
    rng = np.random.default_rng(7)
    labels = ["wrong-object", "mine", "mine"]
    placed = [
        Placed(episode(k, undone(rng), policy=label), "s", "Sim", "t")
        for k, label in enumerate(labels)
    ]
    made = build_items(placed, per_stratum=4, seed=0)
    assert {(item.wrong_object, item.undone) for item in made.items} == {(None, None)}
    assert made.unknown == {"wrong-object": 1, "mine": 2}


def test_an_episode_without_truth_is_left_out_with_the_reason():
    bare = Episode(id="bare", task="lift", outcome=None)
    made = build_items([Placed(bare, "s", "Real", "arm")], per_stratum=4, seed=0)
    assert made.items == ()
    assert "not known to be a success" in made.left_out["bare"]
