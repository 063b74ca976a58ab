"""The outside check's figures: an attempt that a judge can't score is no evidence, and is told."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.errors import EpisodeError
from assay.records import Curve, Episode, Series

SCRIPT = Path(__file__).parents[2] / "scripts" / "metaworld_figures.py"
TIMES = np.arange(5.0)


@pytest.fixture
def script(monkeypatch):
    """The script, which is no package's module."""
    spec = importlib.util.spec_from_file_location("metaworld_figures", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


class Fickle:
    """Says the clock, but has a gap in the attempts of `gap` and can't judge those of `lost`."""

    def clock(self, episode, fps):
        return TIMES

    def progress(self, episode, times):
        if episode.policy == "lost":
            raise EpisodeError("a frame is missing")
        gap = (times == 2) & (episode.policy == "gap")
        status = np.where(gap, "missing_frame", "ok")
        return Curve(times, np.where(gap, np.nan, times), status)


def attempt(policy: str, reward=TIMES) -> Episode:
    signals = {"reward": Series(TIMES, np.asarray(reward, dtype=float))}
    return Episode(id=policy, task="t", policy=policy, signals=signals, outcome=True)


def test_an_unscored_attempt_has_no_correlation(script):
    rows = [script._judge(Fickle(), attempt(who), 1.0, 0.1) for who in ("fine", "gap", "lost")]
    assert [row.spearman for row in rows] == [1.0, None, None]
    assert np.isnan([row.end for row in rows]).tolist() == [False, True, True]
    task = script.Task("t", {"trained, seed 0": rows})
    # the median is that of the one scored attempt, and the table says of how many
    assert task.correlations("trained, seed 0").tolist() == [1.0]
    assert task.moving() == 3
    assert "(1 of 3)" in script.tables([task])
    assert "2 attempts unscored" in script.verdict([task])[1]


def test_a_reward_that_stays_the_same_has_no_order(script):
    row = script._judge(Fickle(), attempt("fine", np.ones(5)), 1.0, 0.1)
    assert (row.moves, row.spearman, row.end) == (False, None, 4.0)


def test_an_end_value_is_the_mean_of_the_scored(script):
    def ended(end):
        return script.Judged("p", True, end, False, None)

    # (0.2 + 0.4) / 2, and the third is told
    assert script._end([ended(0.2), ended(0.4), ended(float("nan"))]) == "0.30 (2 of 3)"
    assert script._end([ended(0.2), ended(0.4)]) == "0.30"
    assert script._end([ended(float("nan"))]).endswith("(0 of 1)")


@pytest.mark.parametrize(
    ("seeds", "told"), [((0,), "1 training seed."), ((0, 1), "2 training seeds.")]
)
def test_the_page_says_how_many_training_seeds_it_has(script, tmp_path, seeds, told):
    info = tmp_path / "t" / "demos" / "meta" / "info.json"
    info.parent.mkdir(parents=True)
    info.write_text('{"total_episodes": 40}')
    names = [*(f"trained, seed {seed}" for seed in seeds), "ramp"]
    judged = {name: [script._judge(Fickle(), attempt("fine"), 1.0, 0.1)] for name in names}
    _, text = script.page([script.Task("t", judged)], tmp_path, 1.0)
    assert f"The\nfigures rest on {told}" in text


def test_the_page_says_which_of_the_others_is_above_the_trained_ones(script):
    def rows(good, bad, rho):
        return [script.Judged("p", success, end, True, rho) for success, end in (good, bad)]

    # AUC: 1 and 0 for the two seeds, 0.5 on average; 1 for the first of the others, then 0
    right, wrong = ((True, 0.9), (False, 0.1)), ((True, 0.1), (False, 0.9))
    judged = {
        "trained, seed 0": rows(*right, 0.5),
        "trained, seed 1": rows(*wrong, 0.5),
        "similarity-image": rows(*right, 0.4),
        "ramp": rows(*wrong, 0.6),
    }
    text = script.above([script.Task("t", judged)])
    assert text.split("\n- ")[1:] == [
        "mean AUC: similarity-image 1.000, the trained judges 0.500",
        "median Spearman: ramp 0.600, the trained judges 0.500\n",
    ]
    only = {name: judged[name] for name in ("trained, seed 0", "ramp")}
    only["ramp"] = rows(*wrong, 0.1)
    assert "None of the others" in script.above([script.Task("t", only)])
