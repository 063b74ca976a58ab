"""Epsilon from the judge's noise, and the noise from still stretches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import UsageError
from assay.metrics.noise import SMALLEST_EPSILON, epsilon_from_noise, noise_from_still
from assay.metrics.opd import opd


def test_epsilon_of_one_per_cent_noise() -> None:
    # sqrt(2) * 0.01 * 2.5758293 = 0.0364277
    assert epsilon_from_noise(0.01) == pytest.approx(0.0364277, abs=5e-8)


def test_noise_exceeds_epsilon_as_often_as_alpha_says() -> None:
    noise = np.random.default_rng(0).normal(0.5, 0.02, 200_000)
    exceeding = np.mean(np.abs(np.diff(noise)) >= epsilon_from_noise(0.02, alpha=0.05))
    # Standard error sqrt(0.05 * 0.95 / 200,000) = 0.0005, a little more as steps share scores.
    assert exceeding == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize("sigma", [0.0, 1e-12])
def test_a_judge_without_noise_still_sees_stillness(sigma: float) -> None:
    # 0.1 + 0.2 and 0.3 are one rounding apart; two such steps are still, the step to 0.31 is not.
    epsilon = epsilon_from_noise(sigma)
    assert epsilon == SMALLEST_EPSILON
    curve = np.array([0.3, 0.1 + 0.2, 0.3, 0.31])
    assert opd(curve, np.array([0, 4]), epsilon=epsilon).stagnation[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("sigma", "alpha"), [(-0.1, 0.01), (math.nan, 0.01), (0.1, 0), (0.1, 1)])
def test_nonsense_is_refused(sigma: float, alpha: float) -> None:
    with pytest.raises(UsageError, match=r"noise must be|alpha must"):
        epsilon_from_noise(sigma, alpha)


def test_noise_is_pooled_within_stretches() -> None:
    # (0, .2): squares .02, 1 degree of freedom. (.5, .5, .8): squares .01 + .01 + .04, 2 degrees.
    # sigma = sqrt(.08 / 3); the difference between the stretches' levels does not count.
    stretches = [np.array([0.0, 0.2]), np.array([0.5, 0.5, 0.8]), np.array([0.9]), np.array([])]
    assert noise_from_still(stretches) == pytest.approx(math.sqrt(0.08 / 3))


@pytest.mark.parametrize(
    "stretches", [[], [[0.1, 0.2]], [[0.1], [0.2], [0.3]], [[0.1, 0.2], [0.3]]]
)
def test_too_few_scores_are_refused(stretches: list[list[float]]) -> None:
    with pytest.raises(UsageError, match="at least 3 scores of a still stretch"):
        noise_from_still([np.array(s) for s in stretches])


def test_a_missing_score_is_refused() -> None:
    with pytest.raises(UsageError, match="is not a number"):
        noise_from_still([np.array([0.1, math.nan, 0.2, 0.3])])
