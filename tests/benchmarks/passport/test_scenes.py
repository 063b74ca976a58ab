"""Scenes of the worlds: each shows what it is for, and the oracle passes on all of them."""

from __future__ import annotations

import numpy as np
import pytest

from assay.benchmarks.passport.examining import Examiner, lines_of
from assay.benchmarks.passport.lines import WORLDS
from assay.benchmarks.passport.scenes import (
    SEEDS,
    Attempt,
    Goals,
    Hidden,
    Looks,
    make_material,
    scenes,
)
from assay.benchmarks.passport.stage import Stage
from assay.benchmarks.splits import SPLITS
from assay.judges import make_judge

TASK = "place-in-basket"
PLAYED = {
    "expert": Attempt(TASK, "expert", 700),
    "flawed": Attempt(TASK, "wrong-object", 700),
    "looks": Looks(TASK, 700),
    "goals": Goals(TASK, 700),
    "hidden": Hidden(700),
}


@pytest.fixture(scope="module")
def stage():
    return Stage()


@pytest.fixture(scope="module")
def played(stage):
    return {name: make_material(scene, stage) for name, scene in PLAYED.items()}


def last(episode, view="front"):
    return next(iter(episode.views[view].frames.at(episode.views[view].frames.clock()[-1:])))


def test_no_seed_is_one_that_a_choice_was_made_on():
    others = [split for name, split in SPLITS.items() if name != "passport"]
    taken = {seed for split in others for seed in split}
    assert not taken & set(SEEDS)


def test_every_task_has_good_and_flawed_attempts():
    made = scenes(("lift-block", TASK), 2)
    attempts = [scene for scene in made if isinstance(scene, Attempt)]
    assert len(set(made)) == len(made)
    assert sum(scene.policy == "expert" for scene in attempts) == 4
    assert len(attempts) == 8
    assert sum(isinstance(scene, Hidden) for scene in made) == 6


def test_a_task_without_a_wrong_object_has_its_own_mistake():
    made = [scene for scene in scenes(("lift-tray",), 4) if isinstance(scene, Attempt)]
    flawed = {scene.policy for scene in made} - {"expert"}
    assert flawed == {"ignored-constraint", "backtracker", "near-miss", "dropper"}


def test_scenes_without_a_basket_hide_nothing():
    assert not any(isinstance(scene, Hidden) for scene in scenes(("lift-block",), 2))


def test_the_expert_succeeds_and_the_wrong_object_does_not(played):
    assert played["expert"].episode.outcome is True
    assert played["flawed"].episode.outcome is False
    assert played["expert"].truth[-1] == 1.0


def test_other_looks_change_pixels_and_not_the_truth(played):
    material = played["looks"]
    plain = last(material.episode).astype(int)
    assert sorted(material.others) == ["another background", "other cameras", "other light"]
    for other in material.others.values():
        assert np.mean(np.abs(last(other).astype(int) - plain)) > 2
        assert other.signals is material.episode.signals


def test_other_ends_differ_only_at_the_end_and_are_successes(played):
    material = played["goals"]
    assert len(material.others) == 3
    for other in material.others.values():
        shown = [episode.views["front"].frames for episode in (material.episode, other)]
        before, after = (list(frames.at(material.times)) for frames in shown)
        same = [np.array_equal(a, b) for a, b in zip(before, after, strict=True)]
        assert same == [True] * (len(same) - 1) + [False]


def test_high_walls_hide_the_block_and_are_put_down_again(played, stage):
    material = played["hidden"]
    seen, hidden = last(material.episode).astype(int), last(material.others["hidden"]).astype(int)

    def green(image):
        return int(np.sum((image[..., 1] > 1.5 * image[..., 0]) & (image[..., 1] > 50)))

    assert green(seen) > 20
    assert green(hidden) < 0.1 * green(seen)
    again = make_material(PLAYED["hidden"], stage)
    assert np.array_equal(last(again.episode), last(material.episode))


def verdicts(name, played):
    judge = make_judge(name)
    results = [Examiner(judge).examine(material) for material in played.values()]
    return {line["title"]: line["verdict"] for line in lines_of(judge, results, WORLDS)}


def test_the_oracle_passes_every_check_in_worlds(played):
    found = verdicts("oracle", played)
    unasked = {"macro residual", "order swap", "goal = start"}  # it scores states, without a goal
    assert {title for title, verdict in found.items() if verdict == "not run"} == unasked
    assert not {"fail", "not measured"} & set(found.values())


def test_nulls_fail_in_their_own_ways(played):
    ramp, constant = verdicts("ramp", played), verdicts("constant", played)
    assert {ramp["static video"], ramp["time reversal"], ramp["loop motion"]} == {"fail"}
    assert constant["static video"] == "pass"
    assert {constant["nearby pairs told apart"], constant["calibration"]} == {"fail"}
    assert constant["pulse, all pairs"] == "fail"


def test_pixel_change_takes_the_way_back_for_progress(played):
    # it has eyes, so what stands still stays; but the start is far from where a reversal begins
    found = verdicts("pixel-change", {name: played[name] for name in ("expert", "flawed")})
    assert (found["static video"], found["loop motion"]) == ("pass", "pass")
    assert found["time reversal"] == "fail"
    assert found["macro residual"] == "pass"
