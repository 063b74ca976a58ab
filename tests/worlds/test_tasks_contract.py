"""Every task in the folder keeps the contract; the scripts do, or miss, what they say."""

import inspect
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from assay import plugins
from assay.metrics.opd import opd
from assay.worlds.labels import PRIMITIVES, primitive
from assay.worlds.look import COLOURS
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.recording import movable
from assay.worlds.tasks.base import LONG, Aim
from assay.worlds.world import CONTROL_HZ, World

FOLDER = "assay.worlds.tasks"
TASKS = plugins.names(FOLDER)
SEEDS = range(200)
SEED = 1  # tests/proof/experts.py and tests/proof/flaws.py try many
AFTER = CONTROL_HZ  # steps that are watched once a script is over


def task(name):
    return plugins.find(FOLDER, name)()


@lru_cache
def world(name):
    return World(task(name))


@lru_cache
def roll(name, aim):
    """Follow the script; return Phi* and success, each of shape (T,), the primitives, the end."""
    here = world(name)
    here.reset(SEED)
    actor, parts = ScriptedActor(here.task, aim), movable(here)
    progress, success, primitives, late = [here.progress()], [here.success()], set(), 0
    while here.state.time < here.task.limit_s and late < AFTER:
        here.step(actor.act(here.observe())[0])
        progress.append(here.progress())
        success.append(here.success())
        primitives |= {primitive(here.state.hand(arm.side), parts) for arm in here.robot.arms}
        late += actor.finished
    return np.array(progress), np.array(success), primitives, here.state.time


def layouts(name):
    return [task(name).arrange(np.random.default_rng(seed)) for seed in SEEDS]


def radius(thing):
    """Return how far a thing's outline gets from its centre, seen from above [m]."""
    return thing.size[1] * (np.sqrt(2) if thing.shape in ("block", "lid") else 1.0)


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_named_after_its_file(name):
    assert task(name).name == name


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_one_file_of_less_than_120_lines(name):
    # What does not fit is a skill, a condition or a part that other tasks could use as well.
    own = Path(inspect.getfile(type(task(name))))
    assert own.stem == name.replace("-", "_")
    assert len(own.read_text().splitlines()) < 120


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
                if place.z != there.z:  # one stands on the other
                    continue
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


@pytest.mark.parametrize("name", TASKS)
def test_the_expert_succeeds_and_its_progress_hardly_ever_falls(name):
    progress, success, _primitives, end = roll(name, Aim())
    assert success[-1]
    assert progress[-1] == 1.0
    # It stays done: an episode ends when success has held for half a second.
    first = int(np.argmax(success))
    assert success[first:].all()
    assert end < task(name).limit_s
    steps = progress[: first + CONTROL_HZ // 2]
    assert np.all((steps >= 0.0) & (steps <= 1.0))
    assert opd(steps, np.array([0, len(steps)]), epsilon=0.0).cra[0] < 0.02


@pytest.mark.parametrize("name", [name for name in TASKS if "object" in task(name).wrongs])
def test_the_wrong_thing_is_never_a_success_nor_near_one(name):
    progress, success, _primitives, _end = roll(name, Aim(wrong="object"))
    assert not success.any()
    assert progress.max() < 0.5


@pytest.mark.parametrize(
    ("name", "wrong"),
    [(name, wrong) for name in TASKS for wrong in task(name).wrongs if wrong != "object"],
)
def test_no_other_mistake_is_a_success(name, wrong):
    progress, success, _primitives, _end = roll(name, Aim(wrong=wrong))
    assert not success.any()
    assert progress.max() < 0.95


@pytest.mark.parametrize("name", TASKS)
def test_what_can_go_wrong_begins_with_the_object_and_is_named_once(name):
    wrongs = task(name).wrongs
    assert "object" not in wrongs[1:]
    assert len(set(wrongs)) == len(wrongs) >= 1
    assert "" not in wrongs


@pytest.mark.parametrize("name", TASKS)
def test_a_near_miss_comes_close_and_is_never_a_success(name):
    progress, success, _primitives, _end = roll(name, Aim(miss=1.0))
    assert not success.any()
    assert 0.75 <= progress.max() < 0.99


def test_the_tasks_are_many_and_some_are_long():
    assert len(TASKS) >= 15
    long = {name for name in TASKS if len(task(name).subgoals) >= LONG}
    assert long >= {"clear-table", "cover-box", "put-in-drawer", "rank-blocks", "stack-three"}


def test_every_mistake_can_be_made_somewhere():
    counts = Counter(wrong for name in TASKS for wrong in task(name).wrongs)
    assert counts["object"] >= len(TASKS) - 1  # of a tray alone on the table there is no other
    assert all(counts[wrong] >= 2 for wrong in ("target", "order", "effector", "constraint"))


def test_the_experts_show_all_primitives():
    shown = set().union(*(roll(name, Aim())[2] for name in TASKS))
    assert shown == set(PRIMITIVES)
