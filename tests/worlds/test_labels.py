"""Phase and primitive: each rule by itself, experts' sequences, and every state has a label."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.worlds import labels
from assay.worlds.labels import PHASES, PRIMITIVES, phase, primitive
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.state import GRIPPER, TABLE
from assay.worlds.tasks.base import Aim
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.tasks.open_drawer import OpenDrawer
from assay.worlds.tasks.push_to_zone import PushToZone
from assay.worlds.world import World

MOVABLE = {
    LiftBlock: ("block", "other", "can"),
    PushToZone: ("puck", "other", "block"),
    OpenDrawer: ("block", "can", "red-drawer", "blue-drawer", "red-handle", "blue-handle"),
}
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# --- one rule at a time


@dataclass(frozen=True)
class Moment:
    """A state made up: a block, a handle and a hand; forces are those of the gripper or table."""

    block: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tool: tuple[float, float, float] = (0.0, 0.0, 0.5)
    pressed: tuple[str, ...] = ()
    gripped: tuple[str, ...] = ()
    on_table: bool = True
    opening: float = 0.6
    opening_speed: float = 0.0
    moving: dict[str, tuple[float, ...]] = field(default_factory=dict)
    things: tuple[str, ...] = ("block",)
    owners: tuple[str, ...] = (GRIPPER, TABLE, "block", "handle")

    def position(self, name):
        spots = {"block": self.block, "tool": self.tool, "handle": (9.0, 0.0, 0.0)}
        return np.array(spots[name])

    def extent(self, name):
        return 0.025 if name == "block" else 0.0

    def velocity(self, name):
        return np.array(self.moving.get(name, STILL))

    def force(self, one, other):
        touched = (*self.pressed, *self.gripped)
        if GRIPPER in (one, other):
            return 1.0 if {one, other} & set(touched) else 0.0
        return 1.0 if {one, other} == {"block", TABLE} and self.on_table else 0.0

    def touching(self, one, other):
        return self.force(one, other) > 0.0

    def held(self, name):
        return name in self.gripped


def speed(x=0.0, z=0.0, turn=0.0):
    """Return a velocity: turning about z [rad/s], moving along x and z [m/s]."""
    return (0.0, 0.0, turn, x, 0.0, z)


AT = Moment(tool=(0.0, 0.0, 0.01))
HELD = replace(AT, gripped=("block",))
AIR = replace(HELD, on_table=False)
PUSHED = replace(AT, tool=(-0.04, 0.0, 0.0), pressed=("block",), opening=0.0)
RULES = {
    "far away": (Moment(), "approach", "none"),
    "far away, closing": (Moment(opening_speed=-2.0), "approach", "none"),
    "around it": (AT, "approach", "none"),
    "closing around it": (replace(AT, opening_speed=-2.0), "engage", "grasp"),
    "bounced off it": (replace(HELD, opening_speed=0.3), "engage", "grasp"),
    "held": (HELD, "engage", "grasp"),
    "held in the air": (AIR, "manipulate", "grasp"),
    "going up": (replace(AIR, moving={"block": speed(z=0.1)}), "manipulate", "lift"),
    "going down": (replace(AIR, moving={"block": speed(z=-0.1)}), "manipulate", "align"),
    "carried": (replace(AIR, moving={"block": speed(x=0.1)}), "manipulate", "align"),
    "turned": (replace(AIR, moving={"block": speed(z=0.1, turn=-1.0)}), "manipulate", "twist"),
    "handle held": (Moment(gripped=("handle",)), "engage", "grasp"),
    "handle pulled": (
        Moment(gripped=("handle",), moving={"handle": speed(x=0.1)}),
        "manipulate",
        "pull",
    ),
    "knob turned": (
        Moment(gripped=("handle",), moving={"handle": speed(turn=0.3)}),
        "manipulate",
        "twist",
    ),
    "button pressed": (
        replace(PUSHED, pressed=("handle",), moving={"handle": speed(z=-0.05)}),
        "manipulate",
        "push",
    ),
    "opening": (replace(HELD, opening_speed=2.0), "release", "release"),
    "open, slowing down": (replace(AT, opening_speed=0.2), "release", "release"),
    "leaving": (
        replace(AT, tool=(0.0, 0.0, 0.05), moving={"tool": speed(z=0.2)}),
        "release",
        "none",
    ),
    "left": (
        replace(AT, tool=(0.0, 0.0, 0.09), moving={"tool": speed(z=0.2)}),
        "approach",
        "none",
    ),
    "coming down": (
        replace(AT, tool=(0.0, 0.0, 0.05), moving={"tool": speed(z=-0.2)}),
        "approach",
        "none",
    ),
    "touched": (PUSHED, "engage", "nudge"),
    "pushed": (replace(PUSHED, moving={"block": speed(x=0.1)}), "manipulate", "push"),
    "both tips push, closed": (
        replace(PUSHED, gripped=("block",), moving={"block": speed(x=0.1)}),
        "manipulate",
        "push",
    ),
    "pushed, out of touch for a moment": (
        replace(PUSHED, pressed=(), moving={"block": speed(x=0.1), "tool": speed(x=0.12)}),
        "manipulate",
        "push",
    ),
}


@pytest.mark.parametrize("case", RULES)
def test_each_rule(case):
    moment, expected_phase, expected_primitive = RULES[case]
    assert phase(moment, ("block", "handle")) == expected_phase
    assert primitive(moment, ("block", "handle")) == expected_primitive


def test_where_nothing_can_be_moved_all_is_approach():
    assert phase(HELD, ()) == "approach"
    assert primitive(HELD, ()) == "none"


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_the_limits_are_the_named_ones(factor):
    moment = replace(PUSHED, moving={"block": speed(x=labels.MOVES_M_S * factor)})
    assert primitive(moment, ("block",)) == ("push" if factor > 1 else "nudge")
    moment = replace(AIR, moving={"block": speed(x=0.1, turn=labels.TWIST_RAD_S * factor)})
    assert primitive(moment, ("block",)) == ("twist" if factor > 1 else "align")
    moment = replace(AIR, moving={"block": speed(x=0.1, z=labels.RISES_M_S * factor)})
    assert primitive(moment, ("block",)) == ("lift" if factor > 1 else "align")


# --- whole attempts


@lru_cache
def world_of(kind):
    return World(kind())


@lru_cache
def labelled(kind, seed):
    """Return the phases and the primitives of an expert's attempt, one of each a step."""
    world = world_of(kind)
    world.reset(seed)
    actor = ScriptedActor(world.task, Aim())
    phases, primitives = [], []
    while not actor.finished:
        world.step(actor.act(world.observe())[0])
        phases.append(phase(world.state, MOVABLE[kind]))
        primitives.append(primitive(world.state, MOVABLE[kind]))
    return phases, primitives


def runs(sequence, least=3):
    """Return a sequence without repetition and without runs of less than `least` steps."""
    long = [word for word, run in groupby(sequence) if len(list(run)) >= least]
    return [word for word, _ in groupby(long)]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_lift_is_grasp_then_lift(seed):
    phases, primitives = labelled(LiftBlock, seed)
    assert runs(phases) == ["approach", "engage", "manipulate"]
    assert runs(primitives)[:3] == ["none", "grasp", "lift"]
    assert set(primitives) <= {"none", "grasp", "nudge", "lift"}


@pytest.mark.parametrize("seed", [0, 1])
def test_a_push_is_push_and_never_lift(seed):
    phases, primitives = labelled(PushToZone, seed)
    assert runs(primitives) == ["none", "push", "none"]
    assert set(primitives) <= {"none", "push", "nudge"}
    assert runs(phases)[:3] == ["approach", "manipulate", "release"]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_drawer_is_grasp_pull_release(seed):
    phases, primitives = labelled(OpenDrawer, seed)
    assert runs(primitives)[:4] == ["none", "grasp", "pull", "release"]
    assert set(primitives) == {"none", "grasp", "pull", "release"}
    assert runs(phases)[:4] == ["approach", "engage", "manipulate", "release"]


# --- every state

PRIMITIVES_OF = {
    "approach": {"none"},
    "engage": {"grasp", "nudge"},
    "manipulate": {"push", "pull", "lift", "twist", "align", "grasp"},
    "release": {"release", "none"},
}


@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(list(MOVABLE)), seed=st.integers(0, 2**32 - 1))
def test_every_state_has_labels_that_agree(kind, seed):
    world, rng = world_of(kind), np.random.default_rng(seed)
    world.reset(seed % 500)
    for finger in world.robot.fingers:
        world.data.joint(finger).qpos[0] = rng.uniform(0.0, world.robot.finger_range)
    tool = world.state.position("tool")
    for thing in world.task.things:
        world.data.joint(thing.name).qpos[:3] = tool + rng.normal(0.0, 0.04, 3)
    world.data.qvel[:] = rng.normal(0.0, rng.choice([0.0, 0.05, 1.0]), world.model.nv)
    mujoco.mj_forward(world.model, world.data)
    world.state.refresh()
    found = phase(world.state, MOVABLE[kind]), primitive(world.state, MOVABLE[kind])
    assert found[0] in PHASES
    assert found[1] in PRIMITIVES
    assert found[1] in PRIMITIVES_OF[found[0]]


def test_a_restored_moment_has_its_labels():
    world = world_of(LiftBlock)
    world.reset(2)
    actor = ScriptedActor(world.task, Aim())
    while world.state.time < 2.4:
        world.step(actor.act(world.observe())[0])
    here, saved = primitive(world.state, MOVABLE[LiftBlock]), world.save()
    assert here == "lift"
    world.reset(3)
    assert primitive(world.state, MOVABLE[LiftBlock]) == "none"
    world.restore(saved)
    assert primitive(world.state, MOVABLE[LiftBlock]) == here
