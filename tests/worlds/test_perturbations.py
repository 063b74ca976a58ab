"""Perturbations: the contract over every one found, then what each of them does."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import plugins
from assay.errors import UsageError
from assay.worlds.look import VIEWS
from assay.worlds.perturbations.background import Background
from assay.worlds.perturbations.camera import CameraJitter
from assay.worlds.perturbations.colour import Colour, _mixed
from assay.worlds.perturbations.distractors import Distractors
from assay.worlds.perturbations.lighting import Lighting
from assay.worlds.perturbations.objects import Objects, _permutation
from assay.worlds.rendering import Renderer
from assay.worlds.scene import EXTRAS
from assay.worlds.tasks.base import Layout, Place
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import DRESS, World

PACKAGE = "assay.worlds.perturbations"
NAMES = plugins.names(PACKAGE)
TASKS = plugins.names("assay.worlds.tasks")
SEED = 7
# As `--perturb` has them: text. The first of each is the control.
LEVELS = {
    "background": ("0", "1", "2", "3", "4", "5"),
    "camera": ("0", "1", "2.5", "5"),
    "colour": ("0", "0.33", "0.66", "1"),
    "distractors": ("0", "1", "2", "3"),
    "lighting": ("0", "1", "2", "3"),
    "objects": ("0", "1", "2", "5"),
}
REFUSED = {
    "background": ("-1", "6"),
    "camera": ("-0.1", "5.1", "nan"),
    "colour": ("0.5", "-1", "nan"),
    "distractors": ("-1", "4"),
    "lighting": ("-1", "4"),
    "objects": ("-1",),
}
LOOKS_ONLY = ("background", "camera", "colour", "lighting")
ALL_LEVELS = [(name, level) for name in LEVELS for level in LEVELS[name]]


def make(name, level):
    """Return a perturbation as `--perturb name=level` makes it."""
    plugin = plugins.find(PACKAGE, name)
    return plugins.configure(plugin, {dataclasses.fields(plugin)[0].name: level})


@pytest.fixture(scope="module")
def world():
    return World(LiftBlock())


@pytest.fixture(scope="module")
def renderer(world):
    with Renderer(world, 96, "fast") as renderer:
        yield renderer


def frames(world, renderer):
    """Return all views of the present moment, of shape (4, H, W, 3)."""
    renderer.follow(world.data.qpos)
    return np.array([renderer.rgb(view) for view in VIEWS])


def things(world):
    """Return where every thing of the task is."""
    return np.array([world.state.position(thing.name) for thing in world.task.things])


def roll(world, steps=15):
    """Return every joint position on the way of a fixed motion."""
    home, seen = np.array([*world.robot.home, 1.0]), []
    for step in range(steps):
        world.step(home + 0.02 * step)
        seen.append(np.array(world.data.qpos))
    return np.array(seen)


def test_every_perturbation_is_in_the_tables_of_this_file():
    assert sorted(LEVELS) == sorted(REFUSED) == NAMES


@pytest.mark.parametrize(("name", "level"), ALL_LEVELS)
def test_labels_are_the_name_and_the_level(name, level):
    perturbation = make(name, level)
    assert perturbation.label == f"{name}-{level}"
    assert re.fullmatch(r"[a-z0-9.-]+", perturbation.label)
    assert perturbation == make(name, level)
    assert hash(perturbation) == hash(make(name, level))


@pytest.mark.parametrize("name", LEVELS)
def test_a_level_that_is_not_allowed_is_refused_in_a_sentence(name):
    for level in REFUSED[name]:
        with pytest.raises(UsageError, match=rf"{name} can be 0.*, not {level}"):
            make(name, level)
    with pytest.raises(UsageError, match="can't be 'much'"):
        make(name, "much")


@pytest.mark.parametrize(("name", "level"), ALL_LEVELS)
def test_only_level_zero_shows_the_control_and_a_reset_restores_it(world, renderer, name, level):
    world.reset(SEED)
    control, layout = frames(world, renderer), things(world)
    world.reset(SEED, [make(name, level)])
    changed = frames(world, renderer)
    assert np.array_equal(changed, control) == (float(level) == 0)
    if name != "objects":
        # Distractors touch nothing, but the solver treats all contacts in one go, to a tolerance.
        slack = 1e-5 if name == "distractors" else 0.0
        np.testing.assert_allclose(things(world), layout, rtol=0, atol=slack)
    world.reset(SEED)
    np.testing.assert_array_equal(frames(world, renderer), control)
    np.testing.assert_array_equal(things(world), layout)


@pytest.mark.parametrize("name", LOOKS_ONLY)
def test_a_change_of_looks_leaves_the_physics_alone_bit_by_bit(world, name):
    world.reset(SEED)
    control = roll(world)
    world.reset(SEED, [make(name, LEVELS[name][-1])])
    np.testing.assert_array_equal(roll(world), control)


@pytest.mark.parametrize("name", LEVELS)
def test_the_task_stays_the_same(world, name):
    """Every array of the model that a scene may not change keeps every number."""
    writable = {*DRESS, "body_gravcomp"}  # an extra that comes up from below has weight again

    def fixed():
        arrays = {
            field: np.array(getattr(world.model, field))
            for field in dir(world.model)
            if not field.startswith("_") and field not in writable
        }
        return {k: v for k, v in arrays.items() if v.dtype.kind in "biuf"}

    world.reset(SEED)
    before = fixed()
    assert {"geom_size", "body_mass", "geom_friction", "jnt_range"} <= set(before)
    world.reset(SEED, [make(name, LEVELS[name][-1])])
    for field, values in fixed().items():
        np.testing.assert_array_equal(values, before[field], err_msg=field)


@pytest.mark.parametrize("name", LEVELS)
def test_a_snapshot_carries_it_into_another_world(world, renderer, name):
    world.reset(SEED, [make(name, LEVELS[name][-1])])
    roll(world, 5)
    snapshot, shown = world.save(), frames(world, renderer)
    rest = roll(world, 5)
    world.reset(0)
    world.restore(snapshot)
    np.testing.assert_array_equal(frames(world, renderer), shown)
    other = World(LiftBlock())
    other.restore(snapshot)
    assert other.scene == f"tabletop/lift-block/{SEED}/{name}-{LEVELS[name][-1]}"
    np.testing.assert_array_equal(roll(other, 5), rest)
    for field in DRESS:
        np.testing.assert_array_equal(
            getattr(other.model, field), getattr(world.model, field), err_msg=field
        )


@pytest.mark.parametrize("pair", list(itertools.combinations(LEVELS, 2)))
def test_two_compose_in_either_order(world, pair):
    """Both changes are there, and the order they are named in changes nothing."""
    first, second = (make(name, LEVELS[name][2]) for name in pair)
    models = []
    for chosen in ((first, second), (second, first), (first,), (second,)):
        world.reset(SEED, chosen)
        dress = [np.array(getattr(world.model, field)).ravel() for field in DRESS]
        models.append(np.concatenate([*dress, world.data.qpos]))
    both, turned, one, two = models
    np.testing.assert_allclose(both, turned, atol=1e-6)
    assert not np.array_equal(both, one)
    assert not np.array_equal(both, two)


def test_the_label_of_two_names_both(world):
    world.reset(SEED, [Background(3), Colour(0.33)])
    assert world.perturbation == "background-3+colour-0.33"


# ---------------------------------------------------------------- colour


def test_colour_follows_the_worked_example():
    # a = 0.33: R' = 0.67 * 200 + 0.33 * 0 = 134, B' = 0.67 * 0 + 0.33 * 200 = 66.
    orange = np.array([200, 100, 0], dtype=np.uint8)
    assert _mixed(orange, 0.33).tolist() == [134, 100, 66]
    assert _mixed(orange, 1.0).tolist() == [0, 100, 200]
    assert _mixed(orange, 0.0).tolist() == [200, 100, 0]


@pytest.mark.parametrize("amount", [0.33, 0.66, 1.0])
@pytest.mark.parametrize("background", [0, 3])
def test_colour_mixes_the_background_of_the_picture_and_nothing_else(
    world, renderer, amount, background
):
    world.reset(SEED, [Background(background)])
    control = frames(world, renderer).astype(float)
    owners = np.array([renderer.segmentation(view) for view in VIEWS])
    world.reset(SEED, [Background(background), Colour(amount)])
    changed = frames(world, renderer).astype(float)
    expected = (1 - amount) * control + amount * control[..., ::-1]
    room = owners == -1
    # Rounding: half a level in the texture, half in each of the two pictures.
    assert np.abs(changed - expected)[room].max() <= 2
    np.testing.assert_array_equal(changed[~room], control[~room])
    assert np.abs(changed - control)[room].mean() > 5


# ---------------------------------------------------------------- background


def test_backgrounds_differ_from_each_other_and_keep_the_foreground(world, renderer):
    shown = []
    for variant in range(6):
        world.reset(SEED, [Background(variant)])
        shown.append(frames(world, renderer))
    front = np.array([renderer.segmentation(view) for view in VIEWS]) >= 0
    for one, other in itertools.combinations(shown, 2):
        np.testing.assert_array_equal(one[front], other[front])
        assert np.abs(one[~front].astype(float) - other[~front]).mean() > 8


# ---------------------------------------------------------------- objects


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_permutations_come_in_the_order_of_a_dictionary(count):
    # itertools lists them so, the identity first.
    expected = [list(order) for order in itertools.permutations(range(count))]
    assert [_permutation(number, count) for number in range(len(expected))] == expected


def test_a_thing_comes_to_where_the_one_that_the_permutation_names_was(world):
    # Number 3 of three things is (1, 2, 0): each comes to where the next one was. Heights follow
    # the thing: the block's centre stays 0.025 m up, the can's 0.030 m.
    world.reset(SEED)
    before = things(world)
    world.reset(SEED, [Objects(3)])
    after = things(world)
    np.testing.assert_allclose(after[:, :2], before[[1, 2, 0], :2], atol=1e-4)
    np.testing.assert_allclose(after[:, 2], [0.025, 0.025, 0.030], atol=1e-3)


@given(
    spots=st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1)), min_size=3, max_size=3),
    number=st.integers(0, 5),
)
def test_every_permutation_uses_every_place_once(spots, number):
    task = LiftBlock()
    names = [thing.name for thing in task.things]
    places = {name: Place(*spot) for name, spot in zip(names, spots, strict=True)}
    moved = Objects(number).arrange(task, Layout(places), np.random.default_rng(0)).places
    assert sorted((p.x, p.y) for p in moved.values()) == sorted(spots)


def test_a_permutation_that_does_not_exist_is_refused(world):
    # Three things have 3! = 6 permutations.
    with pytest.raises(UsageError, match=r"objects can be 0 to 5 for lift-block.*, not 6"):
        world.reset(SEED, [Objects(6)])


# ---------------------------------------------------------------- lighting and camera


def test_lighting_grows_with_its_level_and_never_overexposes(world, renderer):
    world.reset(SEED)
    control = frames(world, renderer).astype(float)
    means = []
    for level in (1, 2, 3):
        world.reset(SEED, [Lighting(level)])
        shown = frames(world, renderer)
        assert (shown == 255).mean() < 0.01
        means.append(np.abs(shown - control).mean())
    assert means == sorted(means)
    assert means[0] > 1


@pytest.mark.parametrize("strength", [1.0, 5.0])
def test_cameras_move_and_turn_by_no_more_than_the_strength(world, strength):
    for seed, view in itertools.product(range(10), VIEWS):
        world.reset(seed)
        camera = world.model.camera(view)
        position, quaternion = np.array(camera.pos), np.array(camera.quat)
        world.reset(seed, [CameraJitter(strength)])
        if view == "wrist":
            assert (*camera.pos, *camera.quat) == (*position, *quaternion)
            continue
        assert 0 < np.linalg.norm(camera.pos - position) <= 0.01 * strength
        # The angle between two rotations is 2 acos |q . q'|.
        cosine = abs(float(camera.quat @ quaternion))
        assert 0 < np.rad2deg(2 * np.arccos(min(cosine, 1.0))) <= strength + 1e-6


# ---------------------------------------------------------------- every task


@pytest.mark.parametrize("task", TASKS)
def test_distractors_lie_free_and_in_colours_of_their_own(task):
    world = World(plugins.find("assay.worlds.tasks", task)())
    extras = [extra.name for extra in EXTRAS]
    others = [owner for owner in world.state.owners if owner not in ("table", *extras)]
    for seed in range(10):
        world.reset(seed, [Distractors(3)])
        for extra in extras:
            assert world.state.touching(extra, "table")
            assert not any(world.state.touching(extra, other) for other in others)
            assert world.state.speed(extra) < 0.01
        loose = [thing.name for thing in world.task.things] + extras
        painted = [tuple(world.model.geom(name).rgba) for name in loose]
        assert len(set(painted)) == len(painted)


@pytest.mark.parametrize("task", TASKS)
def test_no_order_of_the_things_starts_with_the_task_done(task):
    world = World(plugins.find("assay.worlds.tasks", task)())
    # What stands on another thing, or under one, trades with none.
    above = any(place.z > 0 for place in world.layout.places.values())
    orders = 1 if above else math.factorial(len(world.task.things))
    for seed, number in itertools.product(range(5), range(min(orders, 6))):
        world.reset(seed, [Objects(number)])
        assert not world.success()
