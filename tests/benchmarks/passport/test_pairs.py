"""Pairs of moments, and the goal that a judge is handed with them."""

from __future__ import annotations

import numpy as np
import pytest

import pictures_made
from assay.benchmarks.passport.checks._pairs import Pairs, drawn_moments
from assay.benchmarks.passport.examining import checks
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.judges import make_judge
from clips import write_clip
from passport_made import Sees, drawn_episode, material_of

UP = list(range(0, 210, 10))
SAME = {
    "id": "one",
    "instruction": "lift-block",
    "views": {"main": drawn_episode(UP).views["front"]},
}


def similar(goal):
    """The judge that compares with goal pictures."""
    return make_judge("similarity-image", {"goal": str(goal)})


def demonstrations(root, **levels):
    """Write a success of "lift-block" for each name, which brightens from black to its level."""
    for name, level in levels.items():
        write_clip(
            root / f"{name}.mkv",
            codec="mjpeg",
            pix_fmt="yuvj444p",
            frames=3,
            draw=lambda number, size, level=level: pictures_made.grey(level * (number // 2)),
        )
    rows = [f"{name}.mkv,lift-block,yes" for name in levels]
    (root / "manifest.csv").write_text("\n".join(["file,task,success", *rows]))
    return root


@pytest.fixture
def by_task(tmp_path):
    """Goals that go by the task's name: the instruction of `rising` is another text."""
    pictures_made.save(tmp_path / "lift-block" / "front.png", pictures_made.grey(200))
    pictures_made.save(tmp_path / "push-to-zone" / "front.png", pictures_made.grey(90))
    return tmp_path


def test_a_hop_is_measured_against_the_goal_of_the_episodes_task(by_task, rising):
    # moment k is 10 k bright, the start 0 and the goal 200: k / 20 of the way
    pairs = Pairs(Probe(similar(by_task)), rising)
    assert pairs.hop(0, 5) == pytest.approx(0.25)
    assert pairs.hop(20, 10) == pytest.approx(-0.5)


def test_checks_of_pairs_are_measured_with_goals_that_go_by_the_task(by_task, rising):
    probe = Probe(similar(by_task))
    assert checks()["order-swap"].measure(probe, rising)["value"] == 0.0
    # Hops are differences: from p = a / 20 one step h + k leads to 1 - (1 - p)(1 - h - k), and two
    # lead to 1 - (1 - p)(1 - h)(1 - k), so the residual is (1 - p) h k.
    a, b, c = drawn_moments(rising, 10, 3).T / 20
    found = checks()["macro-residual"].measure(probe, rising)["value"]
    assert found == pytest.approx(np.mean((1 - a) * (b - a) * (c - b)))


def test_an_episode_is_not_handed_its_own_end(tmp_path):
    # one ends 200 bright and two 100: with the end of two alone, 200 is as far away as 0 was
    root = demonstrations(tmp_path, one=200, two=100)
    own = material_of(UP, **SAME, source=str(root))
    pairs = Pairs(Probe(similar(root)), own)
    assert pairs.hop(0, 10) == pytest.approx(1.0, abs=0.05)
    assert pairs.hop(0, 20) == pytest.approx(0.0, abs=0.05)


def test_without_any_other_end_there_is_no_goal(tmp_path):
    root = demonstrations(tmp_path, one=200)
    own = material_of(UP, **SAME, source=str(root))
    with pytest.raises(EpisodeError, match="no goal picture of the task 'lift-block'") as caught:
        Pairs(Probe(similar(root)), own).hop(0, 10)
    assert caught.value.status == "no_reference"


def test_a_judge_without_a_goal_is_handed_none(rising):
    # brightness rises by 50 of 255, and a hop without a goal is biased
    assert Pairs(Probe(Sees(bias=0.3)), rising).hop(0, 5) == pytest.approx(50 / 255 + 0.3)


def test_a_goal_that_is_asked_for_goes_before_the_judges_own(by_task, rising):
    # the start as the goal: 5 moments away from it are 50 / 255 lost
    assert Pairs(Probe(Sees(goal=by_task)), rising).hop(0, 5, goal=0) == pytest.approx(-50 / 255)
    # its own goal is 200 bright, and moment 5 is 50 nearer
    assert Pairs(Probe(Sees(goal=by_task)), rising).hop(0, 5) == pytest.approx(50 / 255)
