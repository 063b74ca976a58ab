"""What an estimate looks like in a file, and what is said of each metric."""

from __future__ import annotations

import json

from assay.metrics.results import AVERAGED, METRICS, UP_IS_GOOD, WORST, Estimate


def test_a_full_estimate_has_no_why() -> None:
    found = Estimate(0.5, 0.4, 0.6, 10, 0.5, 0.5, why="unused", method="wilson").as_json()
    assert found == {
        "value": 0.5, "low": 0.4, "high": 0.6, "n": 10, "worst": 0.5, "best": 0.5,
        "method": "wilson",
    }  # fmt: skip
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_null_says_why() -> None:
    found = Estimate(None, None, None, 0, None, None, "no scored episode").as_json()
    assert found["why"] == "no scored episode"
    assert found["value"] is None


def test_a_null_without_a_reason_still_says_something() -> None:
    assert Estimate(0.5, None, None, 3, 0.5, 0.5).as_json()["why"] == "not computed"


def test_the_spread_is_written_when_there_is_one() -> None:
    assert Estimate(0.5, 0.4, 0.6, 10, 0.5, 0.5, sd=0.1).as_json()["sd"] == 0.1


def test_every_metric_says_what_is_good_and_what_is_worst() -> None:
    assert tuple(UP_IS_GOOD) == tuple(WORST) == METRICS
    assert WORST == {"mc": 0, "mp": 0, "ppl": 0, "cra": 1, "str": 1}
    assert AVERAGED == ("mp", "ppl", "cra", "str")
