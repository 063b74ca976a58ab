"""Failure fingerprints, against a published table and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.fingerprints import (
    FINGERPRINT_METRICS,
    Failures,
    fingerprints,
    standard_scores,
)
from metrics.robotwin import COLUMNS, ROBOTWIN


def failures(policy: str, n: int = 5, task: str = "task", **means: float) -> Failures:
    columns = {m: np.full(n, means.get(m, 0.5)) for m in FINGERPRINT_METRICS}
    return Failures(task, policy, columns)


def published(task: str) -> list[Failures]:
    """Return groups whose means are the published ones; the table is of all rollouts."""
    return [
        failures(policy, task=task, **dict(zip(COLUMNS[4:], row[4:], strict=True)))
        for policy, row in ROBOTWIN[task].items()
    ]


@pytest.mark.parametrize("task", ROBOTWIN)
def test_the_published_table_is_typed_correctly(task: str) -> None:
    assert list(ROBOTWIN[task]) == ["ACT", "DP", "RDT", "pi0", "OpenVLA-OFT"]
    for row in ROBOTWIN[task].values():
        assert len(row) == len(COLUMNS)
        assert all(0 <= value <= 100 for value in row)


@pytest.mark.parametrize("task", ROBOTWIN)
def test_fewer_episodes_reach_a_later_milestone(task: str) -> None:
    for row in ROBOTWIN[task].values():
        assert list(row[:4]) == sorted(row[:4], reverse=True)


def test_scores_of_the_published_means() -> None:
    found = fingerprints(published("Place Bread Basket"))
    # CRA 15.46 16.88 22.68 18.91 26.25: mean 20.036, sd (ddof 0) 3.944, sign changed.
    assert [f.z["cra"] for f in found] == pytest.approx(
        [1.160, 0.800, -0.670, 0.286, -1.576], abs=1e-3
    )
    # MP 73.11 87.55 90.40 83.67 92.61: mean 85.468, sd 6.866.
    assert [f.z["mp"] for f in found] == pytest.approx(
        [-1.800, 0.303, 0.718, -0.262, 1.040], abs=1e-3
    )
    assert found[0].means["cra"] == pytest.approx(15.46)
    assert {f.why for f in found} == {None}


def test_a_policy_with_few_failures_takes_no_part() -> None:
    # With d left out the MP means .2 .4 .6 have scores -+ sqrt(1.5) and 0.
    groups = [failures(p, mp=mp) for p, mp in (("a", 0.2), ("b", 0.4), ("c", 0.6))]
    found = fingerprints([failures("d", n=4, mp=0.9), *groups])
    assert found[0].z["mp"] is None
    assert found[0].why == "4 failures, fewer than 5"
    assert found[0].means["mp"] == pytest.approx(0.9)
    assert [f.z["mp"] for f in found[1:]] == pytest.approx([-1.2247, 0, 1.2247], abs=1e-4)


def test_two_policies_are_too_few_to_standardise() -> None:
    found = fingerprints([failures("a"), failures("b"), failures("c", n=0)])
    assert [f.z["ppl"] for f in found] == [None, None, None]
    assert found[0].why == "fewer than 3 policies with 5 failures at this task"
    assert (found[2].n, found[2].means["ppl"], found[2].why) == (
        0,
        None,
        "0 failures, fewer than 5",
    )


def test_tasks_are_standardised_apart_and_order_is_kept() -> None:
    first = [failures(p, task="one", mp=m) for p, m in (("a", 0.1), ("b", 0.2), ("c", 0.3))]
    second = [failures(p, task="two", mp=m) for p, m in (("a", 0.9), ("b", 0.8), ("c", 0.7))]
    mixed = [group for pair in zip(first, second, strict=True) for group in pair]
    found = fingerprints(mixed)
    assert [(f.task, f.policy) for f in found] == [(g.task, g.policy) for g in mixed]
    assert [np.sign(round(f.z["mp"], 9)) for f in found] == [-1, 1, 0, 0, 1, -1]


def test_equal_policies_score_zero() -> None:
    found = fingerprints([failures(p) for p in "abc"])
    assert [set(f.z.values()) for f in found] == [{0.0}] * 3


def test_undefined_stagnation_is_left_out_of_the_mean() -> None:
    groups = [failures(p, n=6, str=s) for p, s in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.4))]
    groups[0].columns["str"][0] = np.nan  # one of six: five values are left
    groups[3].columns["str"][:2] = np.nan  # four are left: too few
    found = fingerprints(groups)
    assert found[0].means["str"] == pytest.approx(0.1)
    assert [f.z["str"] for f in found[:3]] == pytest.approx([1.2247, 0, -1.2247], abs=1e-4)
    assert found[3].z["str"] is None
    assert found[3].why == "undefined for too many failures: str"


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 1000).map(lambda k: k / 1000), min_size=3, max_size=8), st.booleans()
)
def test_scores_are_standard(means: list[float], up_is_good: bool) -> None:
    scores = standard_scores(np.array(means), up_is_good=up_is_good)
    assert scores.mean() == pytest.approx(0, abs=1e-9)
    assert scores.std() == pytest.approx(0 if len(set(means)) == 1 else 1, abs=1e-9)
    np.testing.assert_allclose(scores, -standard_scores(np.array(means), up_is_good=not up_is_good))
