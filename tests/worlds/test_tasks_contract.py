"""Every task in the folder keeps the contract; the scripts do, or miss, what they say."""

from functools import lru_cache

import numpy as np
import pytest

from assay import plugins
from assay.metrics.opd import opd
from assay.worlds.look import COLOURS
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks.base import Aim
from assay.worlds.world import CONTROL_HZ, World

FOLDER = "assay.worlds.tasks"
TASKS = plugins.names(FOLDER)
SEEDS = range(200)
TRIED = (0, 1)
AFTER = CONTROL_HZ  # steps that are watched once a script is over


def task(name):
    return plugins.find(FOLDER, name)()


@lru_cache
def world(name):
    return World(task(name))


def roll(name, seed, aim):
    """Follow the script; return Phi* of shape (T,), whether each step succeeded, and the end."""
    here = world(name)
    here.reset(seed)
    actor = ScriptedActor(here.task, aim)
    progress, success, late = [here.progress()], [here.success()], 0
    while here.state.time < here.task.limit_s and late < AFTER:
        here.step(actor.act(here.observe())[0])
        progress.append(here.progress())
        success.append(here.success())
        late += actor.finished
    return np.array(progress), np.array(success), here.state.time


def layouts(name):
    return [task(name).arrange(np.random.default_rng(seed)) for seed in SEEDS]


def radius(thing):
    """Return how far a thing's outline gets from its centre, seen from above [m]."""
    return thing.size[1] * (np.sqrt(2) if thing.shape == "block" else 1.0)


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_named_after_its_file(name):
    assert task(name).name == name


@pytest.mark.parametrize("name", TASKS)
def test_every_way_to_say_it_names_the_object(name):
    said = (task(name).instruction, *task(name).paraphrases)
    assert len(set(said)) == 4
    parts = [thing.name for thing in task(name).things] + [*task(name).fixtures]
    nouns = {word for part in parts for word in part.split("-")} - COLOURS.keys()
    nouns |= {thing.shape for thing in task(name).things} | {"blocks"}
    for sentence in said:
        words = set(sentence.lower().strip(".").replace(",", "").replace(":", "").split())
        assert words & nouns, sentence
        assert sentence[0].isupper()
        assert sentence.endswith(".")


@pytest.mark.parametrize("name", TASKS)
def test_distractors_differ_from_what_the_task_is_about(name):
    things = task(name).things
    assert len({thing.name for thing in things}) == len(things)
    away = [thing for thing in things if thing.distractor]
    wanted = {(thing.shape, thing.colour) for thing in things if not thing.distractor}
    assert 1 <= len(away) <= 3
    # A distractor without a colour gets one that no other thing has.
    assert not {(thing.shape, thing.colour) for thing in away} & wanted


@pytest.mark.parametrize("name", TASKS)
def test_names_of_subgoals_are_unique_and_until_points_forward(name):
    names = [subgoal.name for subgoal in task(name).subgoals]
    assert len(set(names)) == len(names) >= 3
    for number, subgoal in enumerate(task(name).subgoals):
        assert subgoal.until in {"", *names[number + 1 :]}


@pytest.mark.parametrize("name", TASKS)
def test_things_never_overlap_and_lie_in_reach(name):
    things = task(name).things
    for layout in layouts(name):
        for number, thing in enumerate(things):
            place = layout.places[thing.name]
            assert 0.33 <= place.x <= 0.66
            assert abs(place.y) <= 0.28
            for other in things[number + 1 :]:
                there = layout.places[other.name]
                apart = np.hypot(place.x - there.x, place.y - there.y)
                assert apart > radius(thing) + radius(other)


@pytest.mark.parametrize("name", TASKS)
def test_a_layout_depends_on_nothing_but_chance(name):
    drawn = layouts(name)
    assert drawn == layouts(name)
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("name", TASKS)
def test_nothing_is_done_at_the_start_and_there_is_a_way_to_go(name):
    here = world(name)
    for seed in range(20):
        here.reset(seed)
        assert 0.0 <= here.progress() < 0.05
        assert not here.success()
        for subgoal in here.task.subgoals:
            assert subgoal.holds(here.state) or subgoal.distance(here.state) > 0.0, subgoal.name


@pytest.mark.parametrize("seed", TRIED)
@pytest.mark.parametrize("name", TASKS)
def test_the_expert_succeeds_and_its_progress_hardly_ever_falls(name, seed):
    progress, success, end = roll(name, seed, Aim())
    assert success[-1]
    assert progress[-1] == 1.0
    # It stays done: an episode ends when success has held for half a second.
    first = int(np.argmax(success))
    assert success[first:].all()
    assert end < task(name).limit_s
    steps = progress[: first + CONTROL_HZ // 2]
    assert np.all((steps >= 0.0) & (steps <= 1.0))
    assert opd(steps, np.array([0, len(steps)]), epsilon=0.0).cra[0] < 0.02


@pytest.mark.parametrize("seed", TRIED)
@pytest.mark.parametrize("name", TASKS)
def test_the_wrong_thing_is_never_a_success_nor_near_one(name, seed):
    progress, success, _end = roll(name, seed, Aim(wrong="object"))
    assert not success.any()
    assert progress.max() < 0.5


@pytest.mark.parametrize("seed", TRIED)
@pytest.mark.parametrize("name", TASKS)
def test_a_near_miss_comes_close_and_is_never_a_success(name, seed):
    progress, success, _end = roll(name, seed, Aim(miss=1.0))
    assert not success.any()
    assert 0.75 <= progress.max() < 0.99
