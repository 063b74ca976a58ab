"""The campaign of progress against success: its waits and ratios, on a few numbers and rollouts."""

from __future__ import annotations

import numpy as np
import pytest

from assay.metrics.deciding import decide
from assay.metrics.flipping import flip
from proof.dense_binary import (
    against,
    attempts,
    behind,
    cached,
    campaign,
    interval,
    ratios,
    sign_verdicts,
    total,
    verdicts,
    watched_verdicts,
)


def found(mp, success, scenes=4):
    """Return what policies did at one task: the same in every scene."""
    return {
        ("lift", name): {
            "mp": [mp[name]] * scenes,
            "end": [mp[name]] * scenes,
            "success": [float(success[name])] * scenes,
        }
        for name in mp
    }


def test_waits_are_those_of_the_bets():
    draws = np.zeros((2, 20), dtype=int)
    # Wins all along take 8 pairs (tests/jobs/test_watch.py derives it), losses as many.
    waits, signs = verdicts(np.array([1.0]), draws)
    assert (waits.tolist(), signs.tolist()) == ([8, 8], [1, 1])
    assert verdicts(np.array([-1.0]), draws)[1].tolist() == [-1, -1]
    waits, signs = verdicts(np.array([0.0]), draws)
    assert (waits.tolist(), signs.tolist()) == ([21, 21], [0, 0])


def test_waits_by_signs_are_those_of_the_library():
    draws = np.random.default_rng(0).integers(6, size=(8, 60))
    values = np.array([0.3, 0.1, -0.2, 0.0, 0.25, 0.05])
    waits, signs = sign_verdicts(values, draws)
    alone = [flip(row) for row in values[draws]]
    assert waits.tolist() == [one.decided_at or 61 for one in alone]
    names = {1: "above", -1: "below", 0: None}
    assert [names[sign] for sign in signs.tolist()] == [one.verdict for one in alone]
    # On success both kinds of bets are the same.
    success = np.array([1.0, -1.0, 0.0, 1.0, 1.0, 0.0])
    for told, other in zip(verdicts(success, draws), sign_verdicts(success, draws), strict=True):
        assert told.tolist() == other.tolist()


def test_watched_waits_are_those_of_the_library():
    draws = np.random.default_rng(0).integers(6, size=(8, 60))
    values = np.array([0.3, 0.1, -0.2, 0.0, 0.25, 0.05])
    waits, signs = watched_verdicts(values, draws)
    alone = [decide(row) for row in values[draws]]
    assert waits.tolist() == [one.decided_at or 61 for one in alone]
    names = {1: "above", -1: "below", 0: None}
    assert [names[sign] for sign in signs.tolist()] == [one.verdict for one in alone]
    # Ahead by a point in nine scenes of ten: signs decide, and no mean does.
    rows = {name: {"success": [0.0] * 4, "end": [0.0] * 4} for name in "ab"}
    rows["a"]["mp"], rows["b"]["mp"] = [0.51] * 4, [0.5] * 4
    (one,) = campaign({("lift", name): row for name, row in rows.items()}, streams=5, horizon=40)
    assert one.signs["mp watched"].tolist() == [1] * 5
    assert not one.by_mean["mp watched"].any()


def test_signs_may_go_against_the_mean():
    # Ahead by .02 in nine scenes of ten and behind by .9 in one: the mean is -.072.
    rows = {name: {"success": [0.0] * 10, "end": [0.0] * 10} for name in "ab"}
    rows["a"]["mp"], rows["b"]["mp"] = [0.92] * 9 + [0.0], [0.9] * 10
    duels = campaign({("lift", name): row for name, row in rows.items()}, streams=20, horizon=200)
    assert duels[0].leads["mp"] == pytest.approx(-0.072)
    wrong, made = behind(duels, "mp signs")
    assert made == 20
    assert wrong > 15
    assert behind(duels, "mp")[0] == 0
    # Nobody succeeds, so success never decides and there is nothing to contradict.
    assert against(duels, "mp signs") == (0, 0)


def test_a_stream_without_a_verdict_counts_as_the_horizon():
    # a and b both fail, .9 apart in progress; c succeeds, and does so 1 apart from both in success.
    mp, success = {"a": 0.0, "b": 0.9, "c": 1.0}, {"a": False, "b": False, "c": True}
    duels = campaign(found(mp, success), streams=3, horizon=40)
    assert [one.pair for one in duels] == [("a", "b"), ("a", "c"), ("b", "c")]
    one, two, three = (ratios([one], 40)[0, 0] for one in duels)
    assert one == pytest.approx(40 / duels[0].waits["mp"][0])
    assert two == 1.0
    # b and c are .1 apart in progress: success tells them apart sooner, and that counts too.
    assert three < 1.0
    assert total(duels, 40) == pytest.approx(
        (40 + 8 + 8) / sum(min(int(one.waits["mp"][0]), 40) for one in duels)
    )
    low, high = interval(duels, lambda own: total(own, 40), resamples=200, seed=0)
    assert low <= total(duels, 40) <= high


def test_rollouts_are_done_once(tmp_path):
    made = cached(tmp_path, "lift-block", "frozen", [1000])
    assert made == {"mp": [pytest.approx(0.0, abs=0.05)], "end": made["end"], "success": [0.0]}
    (kept,) = tmp_path.iterdir()
    kept.write_text(kept.read_text().replace("[0.0]", "[1.0]"))
    assert cached(tmp_path, "lift-block", "frozen", [1000])["success"] == [1.0]
    assert attempts("lift-block", "frozen", [])["mp"] == []
