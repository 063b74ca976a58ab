"""What the plain sentence about two policies needs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from assay.metrics.differences import Difference, paired_difference
from assay.metrics.plans import Needed
from assay.metrics.power import needed_pairs
from assay.metrics.verdicts import decide


def difference(value: float, low: float | None, high: float | None, p: float | None) -> Difference:
    return Difference(
        value=value,
        low=low,
        high=high,
        n=20,
        p=p,
        method="bootstrap-t",
        test="sign flips",
        is_paired=True,
        sizes=(20, 20),
        units=(20, 20),
        why=None if p is not None else "a policy has a single unit: no test",
    )


NEEDED = Needed(58, 41, None, 20, 0.8, why="no upper end")


def test_not_separable_with_how_many_more() -> None:
    found = decide(difference(0.1, -0.05, 0.25, 0.2), NEEDED)
    assert (found.is_separable, found.higher, found.interval_agrees) == (False, "a", True)
    assert (found.more, found.more_low, found.more_high, found.power) == (38, 21, None, 0.8)
    assert found.why == "no upper end"


def test_separable_needs_no_more() -> None:
    found = decide(difference(-0.1, -0.2, -0.01, 0.03), NEEDED)
    assert (found.is_separable, found.higher, found.more, found.why) == (True, "b", None, None)


def test_the_adjusted_p_decides() -> None:
    found = decide(difference(-0.1, -0.2, -0.01, 0.03), NEEDED, adjusted_p=0.06)
    assert (found.is_separable, found.p, found.interval_agrees) == (False, 0.06, False)
    assert found.more == 38
    assert decide(difference(-0.1, -0.2, -0.01, 0.03), adjusted_p=0.06, level=0.9).is_separable


def test_without_a_test_nothing_is_decided() -> None:
    found = decide(difference(0.0, None, None, None))
    assert (found.is_separable, found.higher, found.interval_agrees) == (None, None, None)
    assert found.why == "a policy has a single unit: no test"


@pytest.mark.parametrize("seed", [0, 1])
def test_from_data_to_verdict(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.random(12)
    b = np.clip(a - 0.02 + 0.3 * rng.standard_normal(12), 0, 1)
    found = decide(paired_difference(a, b), needed_pairs(a - b))
    assert found.is_separable is False
    assert found.more is None or found.more > 0
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["n"] == 12
