"""The five metrics: worked values, edges, and equality with the plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import InputError, UsageError
from assay.metrics import opd as module
from assay.metrics.opd import check_curve, milestone_levels, opd
from assay.metrics.results import METRICS, OpdTable
from metrics.curves import pack
from metrics.reference import reference


def one(*curve: float, epsilon: float = 0.01, **options: float) -> dict[str, float]:
    values, offsets = pack(curve)
    table = opd(values, offsets, epsilon=epsilon, **options)
    return {name: float(table.column(name)[0]) for name in METRICS}


def assert_matches_reference(
    table: OpdTable, episodes: list[list[float]], epsilons: list[float], milestones: int = 4
) -> None:
    for index, (episode, epsilon) in enumerate(zip(episodes, epsilons, strict=True)):
        wanted = reference(episode, epsilon, milestones)
        found = {name: table.column(name)[index] for name in METRICS}
        assert found == pytest.approx(wanted, rel=0, abs=1e-12, nan_ok=True)


def test_a_loss_that_stays() -> None:
    # Running maximum 0 1 1 1 1: regret 0 0 1 1 1 = 3/5. Steps 1 1 0 0: two of four stand still.
    # The end is at 0, so PPL is 0.
    assert one(0, 1, 0, 0, 0) == pytest.approx({"mc": 1, "mp": 1, "ppl": 0, "cra": 0.6, "str": 0.5})


def test_a_loss_that_is_made_good() -> None:
    # Regret only at the third observation: 1/5. TV 3, so PPL = 1 * 1 / 3. One still step of four.
    found = one(0, 1, 0, 1, 1)
    assert found == pytest.approx({"mc": 1, "mp": 1, "ppl": 1 / 3, "cra": 0.2, "str": 0.25})


def test_delta_shows_in_the_eighth_digit() -> None:
    # PPL = 0.1 * 0.1 / (0.1 + 1e-8) = 0.0999999900..
    found = one(0, 0.1, 0.1, 0.1)
    assert found["ppl"] == pytest.approx(0.09999999, abs=1e-10)
    assert found["ppl"] < 0.1
    assert found["cra"] == 0


def test_a_curve_that_does_not_move() -> None:
    assert one(0.3, 0.3, 0.3) == {"mc": 0.25, "mp": 0.3, "ppl": 0, "cra": 0, "str": 1}


def test_a_step_of_exactly_epsilon_is_a_movement() -> None:
    assert one(0, 0.5, 0.75, epsilon=0.25)["str"] == 0
    assert one(0, 0.5, 0.75, epsilon=0.2500001)["str"] == 0.5


def test_with_epsilon_zero_nothing_stands_still() -> None:
    assert one(0.5, 0.5, 0.5, epsilon=0)["str"] == 0


def test_the_last_milestone_is_reached_only_at_one() -> None:
    assert one(0, 0.99)["mc"] == 0.75
    assert one(0, 1.0)["mc"] == 1


@pytest.mark.parametrize(("k", "milestones"), [(1, 3), (2, 3), (3, 7), (1, 10), (7, 10), (49, 49)])
def test_a_milestone_is_reached_exactly_at_its_float(k: int, milestones: int) -> None:
    level = k / milestones
    assert one(level, milestones=milestones)["mc"] == level
    below = float(np.nextafter(level, 0))
    assert one(below, milestones=milestones)["mc"] == (k - 1) / milestones


def test_one_observation_has_no_steps() -> None:
    found = one(0.6)
    assert np.isnan(found.pop("str"))
    assert found == {"mc": 0.5, "mp": 0.6, "ppl": 0, "cra": 0}


def test_final_and_total_variation_stand_beside_the_metrics() -> None:
    table = opd(*pack([0.25, 0.75, 0.5], [1.0]), epsilon=0.01)
    assert table.final.tolist() == [0.5, 1.0]
    assert table.tv.tolist() == [0.75, 0.0]


def test_minus_zero_is_zero() -> None:
    assert one(-0.0, 0.0, -0.0) == {"mc": 0, "mp": 0, "ppl": 0, "cra": 0, "str": 1}


def test_no_episodes_give_an_empty_table() -> None:
    table = opd(np.empty(0), np.array([0]), epsilon=0.01)
    assert [len(table.column(name)) for name in METRICS] == [0] * 5


def test_epsilon_may_differ_between_episodes() -> None:
    # Steps of 0.1: below 0.2, not below 0.05.
    curve = [0.0, 0.1, 0.2]
    table = opd(*pack(curve, curve), epsilon=np.array([0.2, 0.05]))
    assert table.stagnation.tolist() == [1, 0]


@pytest.mark.parametrize("block", [1, 64, 1 << 16])
def test_equals_the_plain_loop_whatever_the_block_size(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK_VALUES", block)
    rng = np.random.default_rng(7)
    lengths = [1, 2, 2, *rng.integers(1, 90, 120)]
    episodes = [np.clip(rng.normal(0.4, 0.4, n), 0, 1).tolist() for n in lengths]
    epsilons = rng.choice([0.0, 0.01, 0.1, 0.5], len(episodes))
    table = opd(*pack(*episodes), epsilon=epsilons, milestones=3)
    assert_matches_reference(table, episodes, epsilons.tolist(), milestones=3)


def test_equals_the_plain_loop_for_long_and_many_curves() -> None:
    # 300 curves of 301 values overflow a block; one curve alone is longer than a block.
    rng = np.random.default_rng(8)
    episodes = [np.clip(np.cumsum(rng.normal(0, 0.05, 301)), 0, 1).tolist() for _ in range(300)]
    episodes.append(rng.random(70_000).tolist())
    table = opd(*pack(*episodes), epsilon=0.01)
    assert_matches_reference(table, episodes, [0.01] * len(episodes))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1e-300, np.nextafter(1, 2), -np.nan])
def test_a_bad_value_is_named_by_episode_and_frame(bad: float) -> None:
    values, offsets = pack([0.1, 0.2], [0.3, 0.4, bad, 0.5])
    with pytest.raises(InputError, match=r"Episode 1, frame 2: progress must be in 0\.\.1, found"):
        opd(values, offsets, epsilon=0.01)


def test_an_episode_without_observations_is_named() -> None:
    with pytest.raises(InputError, match="Episode 1 has no observation"):
        opd(np.array([0.1, 0.2]), np.array([0, 1, 1, 2]), epsilon=0.01)


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 1], [0, 3]])
def test_offsets_must_cover_the_values(offsets: list[int]) -> None:
    with pytest.raises(UsageError, match="offsets must start at 0 and end at"):
        opd(np.array([0.1, 0.2]), np.array(offsets), epsilon=0.01)


@pytest.mark.parametrize("epsilon", [-0.01, np.nan, np.inf])
def test_epsilon_must_be_a_length(epsilon: float) -> None:
    with pytest.raises(UsageError, match="epsilon must be a finite number"):
        one(0.5, epsilon=epsilon)


def test_epsilon_must_fit_the_episodes() -> None:
    with pytest.raises(UsageError, match=r"one per episode \(1\), not \(2,\)"):
        opd(*pack([0.5]), epsilon=np.array([0.1, 0.2]))


def test_there_must_be_a_milestone() -> None:
    with pytest.raises(UsageError, match="at least 1 milestone, not 0"):
        milestone_levels(0)


def test_check_curve_finds_the_first_bad_value() -> None:
    assert check_curve(np.array([0.0, 1.0])) is None
    assert check_curve(np.array([0.0, np.nan, 2.0])) == 1
    assert check_curve(np.array([])) is None
