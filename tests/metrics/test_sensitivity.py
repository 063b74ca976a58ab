"""The band over epsilon, smoothing and stride."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.opd import opd
from assay.metrics.sensitivity import sensitivity, sensitivity_by_group, smoothed, thinned
from metrics.curves import curves, pack

relaxed = settings(deadline=None, max_examples=60)
groups_of_curves = st.lists(curves, min_size=1, max_size=6)


def smooth_slowly(curve: list[float], window: int) -> list[float]:
    """Average over the widest centred window, up to `window`, that fits into the curve."""
    last = len(curve) - 1
    halves = [min(window // 2, i, last - i) for i in range(len(curve))]
    return [float(np.mean(curve[i - h : i + h + 1])) for i, h in enumerate(halves)]


@relaxed
@given(groups_of_curves, st.sampled_from([1, 3, 5, 7]))
def test_smoothing_equals_the_slow_one_and_keeps_the_ends(
    episodes: list[list[float]], window: int
) -> None:
    values, offsets = pack(*episodes)
    found = smoothed(values, offsets, window)
    wanted = np.concatenate([smooth_slowly(episode, window) for episode in episodes])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    assert found.min() >= 0
    assert found.max() <= 1
    np.testing.assert_array_equal(found[offsets[:-1]], values[offsets[:-1]])
    np.testing.assert_array_equal(found[offsets[1:] - 1], values[offsets[1:] - 1])


def test_smoothing_leaves_its_input_alone() -> None:
    values, offsets = pack([0.0, 1.0, 0.0, 1.0])
    smoothed(values, offsets, 3)
    assert values.tolist() == [0, 1, 0, 1]


@relaxed
@given(groups_of_curves, st.sampled_from([1, 2, 4]))
def test_thinning_keeps_every_stride_th_and_the_last(
    episodes: list[list[float]], stride: int
) -> None:
    def thin(curve: list[float]) -> list[float]:
        tail = [] if (len(curve) - 1) % stride == 0 else [curve[-1]]
        return curve[::stride] + tail

    found, offsets = thinned(*pack(*episodes), stride)
    wanted, wanted_offsets = pack(*(thin(episode) for episode in episodes))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(offsets, wanted_offsets)


@relaxed
@given(groups_of_curves)
def test_the_band_holds_the_plain_means(episodes: list[list[float]]) -> None:
    values, offsets = pack(*episodes)
    table = opd(values, offsets, epsilon=0.05)
    bands = sensitivity(values, offsets, epsilon=0.05)
    for name in ("mp", "ppl", "cra"):
        mean = table.column(name).mean()
        assert bands[name].low - 1e-12 <= mean <= bands[name].high + 1e-12
    assert bands["mc@75"].low <= np.mean(table.mp >= 0.75) <= bands["mc@75"].high
    assert bands["mc@25"].high >= bands["mc@50"].high >= bands["mc@100"].high


def test_a_brief_peak_depends_on_the_settings() -> None:
    # (0, 1, 0, 0): the peak falls to 1/3 under a window of 3 or 5 (which shrinks to 3 there), and
    # strides 2 and 4 skip it. Without smoothing regret is 2/4.
    bands = sensitivity(*pack([0.0, 1.0, 0.0, 0.0]), epsilon=0.01)
    assert (bands["mp"].low, bands["mp"].high) == (0, 1)
    assert bands["mp"].high_at == "epsilon x1, window 1, stride 1"
    assert bands["mp"].low_at == "epsilon x1, window 1, stride 2"
    assert (bands["mc@100"].low, bands["mc@100"].high) == (0, 1)
    assert (bands["cra"].low, bands["cra"].high) == (0, 0.5)


def test_stagnation_depends_on_epsilon() -> None:
    # A ramp of steps 1/8: all below 0.15 and 0.3, none below 0.075; with stride 2 steps are 1/4.
    bands = sensitivity(*pack([k / 8 for k in range(9)]), epsilon=0.15)
    assert (bands["str"].low, bands["str"].high) == (0, 1)
    assert bands["str"].high_at == "epsilon x1, window 1, stride 1"
    assert bands["str"].low_at == "epsilon x0.5, window 1, stride 1"


def test_a_monotone_curve_has_no_band_but_in_stagnation() -> None:
    bands = sensitivity(*pack([k / 16 for k in range(17)]), epsilon=0.01)
    for name in ("mp", "cra", "mc@100"):
        assert bands[name].low == bands[name].high
    assert bands["ppl"].low == pytest.approx(bands["ppl"].high)


def test_one_observation_has_no_stagnation_band() -> None:
    bands = sensitivity(*pack([0.5], [0.25]), epsilon=0.01)
    assert (bands["str"].low, bands["str"].high) == (None, None)
    assert (bands["mp"].low, bands["mp"].high) == (0.375, 0.375)


def test_groups_are_kept_apart() -> None:
    rng = np.random.default_rng(5)
    episodes = [rng.random(n).tolist() for n in (5, 9, 1, 30, 12, 7)]
    epsilon = np.array([0.1, 0.1, 0.1, 0.3, 0.3, 0.3])
    groups = np.array([1, 0, 1, 0, 1, 0])
    together = sensitivity_by_group(*pack(*episodes), groups, epsilon=epsilon)
    for group in (0, 1):
        members = np.flatnonzero(groups == group)
        alone = sensitivity(*pack(*(episodes[i] for i in members)), epsilon=epsilon[members])
        assert alone.keys() == together[group].keys()
        for name, band in alone.items():
            assert together[group][name].low == pytest.approx(band.low)
            assert together[group][name].high == pytest.approx(band.high)
