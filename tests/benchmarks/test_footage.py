"""Footage to learn from: what is drawn, which moments are looked at, and what is kept."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay import plugins
from assay.benchmarks.footage.draws import (
    FINER,
    FIXED_VIEWS,
    HARD,
    MISTAKES,
    POLICIES,
    QUALITIES,
    SECOND,
    SECOND_TASKS,
    TASKS,
    draw,
    recoloured,
)
from assay.benchmarks.footage.filming import MOMENTS, Film, _named, telling_moments
from assay.benchmarks.footage.reading import clips
from assay.benchmarks.footage.shooting import shoot
from assay.benchmarks.splits import SPLITS
from assay.errors import AssayError, RunError
from assay.judges.prm_mini._clips import FACTS, PLACES, POINTS, STEPS
from assay.worlds.look import COLOURS, moves
from assay.worlds.policies._mistaken import suits

QUICK = ("lift-block", "open-drawer")  # what is filmed here


def test_a_seed_draws_the_same_attempt_every_time():
    assert draw(7) == draw(7)
    again = draw(7 + len(TASKS) + len(HARD))
    assert again.task == draw(7).task
    assert again != draw(7)  # another mixture


def test_all_tasks_and_policies_are_drawn():
    # 780 are 30 rounds of 18 tasks and once more the eight hard ones
    drawn = [draw(seed) for seed in range(780)]
    rounds = Counter(d.task.name for d in drawn)
    assert rounds == {name: 60 if name in HARD else 30 for name in TASKS}
    assert {d.policy for d in drawn} == {*POLICIES, *MISTAKES.values()}
    assert all(suits(d.actor, d.task) for d in drawn)
    # 40 % of 780 are plain; three standard deviations are 41
    assert abs(sum(not d.perturbations for d in drawn) - 312) <= 41
    # as many are drawn a third larger as twice as large; three standard deviations are 42
    sizes = Counter(d.finer for d in drawn)
    assert set(sizes) == set(FINER)
    assert abs(sizes[2.0] - 390) <= 42
    # a fifth of the 780 did not come out of a video; three standard deviations are 34
    coarse = Counter(d.crf for d in drawn)
    assert set(coarse) == set(QUALITIES)
    assert abs(coarse[None] - 156) <= 34


def test_what_the_footage_knows_are_tasks_of_the_worlds():
    # not all of them: a task that is added is learned once somebody names it in TASKS
    assert set(TASKS) <= set(plugins.names("assay.worlds.tasks"))
    assert set(SECOND_TASKS) < set(TASKS)


def test_two_arms_bring_two_wrists_and_the_second_robot_does_what_it_reaches():
    drawn = [draw(seed) for seed in range(780)]
    seconds = [d for d in drawn if d.robot.name == SECOND]
    assert {d.task.name for d in seconds} == set(SECOND_TASKS)
    # a fifth of the 780 * 21 / 26 = 630 attempts with one arm; three standard deviations are 30
    assert abs(len(seconds) - 126) <= 30
    two = [d for d in drawn if len(d.robot.arms) == 2]
    wrists = {tuple(view for view in d.views if moves(view)) for d in two}
    assert wrists == {(), ("wrist.left", "wrist.right")}
    assert {d.robot.name for d in (draw(3, robot="desk-arm"),)} == {"desk-arm"}


def test_the_shares_of_the_policies_add_up_to_one():
    assert sum(POLICIES.values()) == pytest.approx(1.0)
    assert set(POLICIES) <= set(plugins.names("assay.worlds.policies"))


@pytest.mark.parametrize("name", TASKS)
def test_new_colours_are_in_the_words_and_on_the_things(name):
    task = plugins.find("assay.worlds.tasks", name)()
    new = recoloured(task, np.random.default_rng(4))
    colours = [thing.colour for thing in new.things if thing.colour]
    assert len(set(colours)) == len(colours)
    assert any(colour in new.instruction for colour in colours) or not colours
    before = (task.instruction, *task.paraphrases)
    for old, text in zip(before, (new.instruction, *new.paraphrases), strict=True):
        # as many colours are named as before: none of them stands for two things
        told, meant = ([c for c in COLOURS if c in words] for words in (text, old))
        assert len(told) == len(meant)
        # what the old words call by its colour, the new ones call by its new one
        for thing, other in zip(task.things, new.things, strict=True):
            assert not thing.colour or (thing.colour in old) == (other.colour in text)


@given(
    arrays(np.float64, st.integers(2, 300), elements=st.floats(0, 1)),
    st.integers(0, 2**32 - 1),
)
def test_telling_moments_are_in_order_from_the_first_to_the_last(progress, seed):
    found = telling_moments(progress, np.random.default_rng(seed))
    assert len(found) == MOMENTS
    assert (found[0], found[-1]) == (0, len(progress) - 1)
    assert (np.diff(found) >= 0).all()


def test_a_sudden_drop_has_moments_before_and_after_it():
    # 0.8 for 100 steps, then 0.2 for 100: the fall of 0.6 counts 3.6 episode lengths, so about
    # 14 of the 18 inner moments lie at it, step 100
    progress = np.repeat([0.8, 0.2], 100)
    found = telling_moments(progress, np.random.default_rng(0))
    assert 12 <= (found == 100).sum() <= 16


def test_footage_is_shot_once_and_read_as_clips(tmp_path):
    film = Film(tmp_path, size=48, tasks=QUICK)
    known = shoot(film, [12, 17], jobs=1)
    written = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.npy")}
    again = shoot(film, [12, 17], jobs=1)
    assert json.dumps(known) == json.dumps(again)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.npy")} == written
    found = clips(tmp_path, known)
    assert {clip.episode for clip in found} == {"12", "17"}
    for clip in found:
        assert clip.frames.shape == (MOMENTS, 48, 48, 3)
        assert clip.points is not None
        assert clip.points.shape == (MOMENTS, POINTS, 2)
        assert clip.values[0] == pytest.approx(0.0, abs=0.05)
        assert clip.moves == (clip.view == "wrist")


def test_footage_without_gaps_looks_as_rollouts_do(tmp_path):
    # seed 12 is recoloured in the other footage; it takes 3.2 s: 17 pictures, one every 0.2 s
    film = Film(tmp_path, size=48, tasks=QUICK, every_s=0.2)
    known = shoot(film, [12], jobs=1)
    found = clips(tmp_path, known)
    assert [clip.view for clip in found] == list(FIXED_VIEWS)
    np.testing.assert_allclose(np.diff(found[0].times), 0.2)
    assert len(found[0].frames) == len(found[0].times) == len(found[0].values) == 17
    task = plugins.find("assay.worlds.tasks", found[0].task)()
    assert found[0].instructions[0] == task.instruction


def test_kinds_of_footage_don_t_mix(tmp_path):
    shoot(Film(tmp_path, size=48, tasks=QUICK), [12], jobs=1)
    with pytest.raises(AssayError, match="journal"):
        shoot(Film(tmp_path, size=48, tasks=QUICK, every_s=0.2), [12], jobs=1)


def test_pictures_that_are_gone_are_named(tmp_path):
    shoot(Film(tmp_path, size=48, tasks=QUICK), [12], jobs=1)
    (tmp_path / "12.npy").unlink()
    with pytest.raises(RunError, match=r"12\.npy is gone: delete the folder"):
        shoot(Film(tmp_path, size=48, tasks=QUICK), [12], jobs=1)


def test_the_tool_is_where_its_point_says(tmp_path):
    """At the start the gripper hangs over the table: mid-picture in front, in the upper half."""
    known = shoot(Film(tmp_path, size=48, tasks=QUICK), [12], jobs=1)
    front = next(clip for clip in clips(tmp_path, known) if clip.view == "front")
    x, y = front.points[0, 0]
    assert abs(x) < 0.25
    assert -1.0 < y < 0.2


def test_facts_say_where_things_are_and_which_steps_are_done(tmp_path):
    known = shoot(Film(tmp_path, size=48, tasks=QUICK), [12], jobs=1)
    clip = clips(tmp_path, known)[0]
    steps = len(plugins.find("assay.worlds.tasks", clip.task)().subgoals)
    assert clip.facts.shape == (MOMENTS, FACTS)
    # the hand hangs over the table at the start, within a metre of the base; one hand, wide open
    assert 0.0 < clip.facts[0, 2] < 10.0
    assert clip.facts[0, PLACES] == pytest.approx(1.0, abs=0.05)
    assert np.isnan(clip.facts[:, PLACES + 1]).all()
    done, covered = np.split(clip.facts[:, PLACES + 2 :], 2, axis=1)
    assert np.isnan(done[:, steps:]).all()
    assert np.isnan(covered[:, steps:]).all()
    # progress is what they make of it: k steps done from the first on, and the next one's share
    k = np.argmin(np.column_stack([done[:, :steps], np.zeros(MOMENTS)]), axis=1)
    share = np.where(k < steps, covered[np.arange(MOMENTS), np.minimum(k, steps - 1)], 0.0)
    np.testing.assert_allclose((k + share) / steps, clip.values, atol=1e-3)


def test_no_task_has_more_steps_or_places_than_can_be_told():
    for name in TASKS:
        task = plugins.find("assay.worlds.tasks", name)()
        assert len(task.subgoals) <= STEPS
        hands = 2 if getattr(task, "hands", 1) == 2 else 1
        assert hands + len(_named(task)) <= POINTS


def test_splits_do_not_overlap():
    seeds = [seed for split in SPLITS.values() for seed in split]
    assert len(set(seeds)) == len(seeds)
    assert not set(seeds) & set(range(500))
    assert not set(seeds) & set(range(1000, 1200))
