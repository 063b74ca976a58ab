"""A world: one task, one robot, real physics, and truth at every moment."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

import numpy as np

from assay.errors import UsageError
from assay.records import Floats, Image
from assay.worlds.gl import require_mujoco
from assay.worlds.look import COLOURS
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.policies.base import Observation
from assay.worlds.progress import covered, done, held, potential, spans
from assay.worlds.robots._choosing import require_hands, robot_for
from assay.worlds.robots.base import Robot, grippers, width
from assay.worlds.robots.panda import Panda
from assay.worlds.scene import EXTRAS, build, rest_height
from assay.worlds.state import State
from assay.worlds.tasks._checks import check_bodies, check_layout, check_task
from assay.worlds.tasks.base import Layout, Task, Thing

__all__ = ["CONTROL_HZ", "DRESS", "WORLD", "NoImages", "Snapshot", "World"]

_LOG = logging.getLogger("assay")
WORLD: Final = "tabletop"
CONTROL_HZ: Final = 20
SETTLE_S: Final = 0.1
DRESS: Final = (
    "mat_rgba",
    "mat_texid",
    "mat_texrepeat",
    "geom_rgba",
    "tex_data",
    "light_pos",
    "light_dir",
    "light_diffuse",
    "light_ambient",
    "light_specular",
    "cam_pos",
    "cam_quat",
    "cam_fovy",
    "body_pos",
    "body_quat",
)
"""The fields of the model that a scene may change; a reset puts them back first."""


class NoImages(Mapping[str, Image]):
    """The views of a world that has no renderer."""

    def __getitem__(self, name: str) -> Image:
        raise UsageError(
            f"The view {name!r} was asked for, and nothing is drawn here: name some --views."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A moment of a world, enough to go on from bit by bit; can be pickled.

    Attributes:
        task: The task's name.
        seed: What the scene was drawn from.
        perturbations: What was changed in it.
        physics: The simulator's integration state.
    """

    task: str
    seed: int
    perturbations: tuple[Perturbation, ...]
    physics: Floats


class World:
    """One task that can be reset, acted in, looked at, saved and restored.

    Attributes:
        task: What is to be done.
        robot: Who does it.
        model: mujoco.MjModel, made once; a reset only writes into it.
        data: mujoco.MjData.
        state: The present moment by name.
        seed: What the present scene was drawn from.
        perturbations: What was changed in it.
        layout: Where everything stood at the start.
        dressed: Counts the times that the look was changed, so that renderers follow.
    """

    def __init__(self, task: Task, robot: Robot | None = None) -> None:
        require_mujoco()
        import mujoco

        # Else MuJoCo writes its warnings into a file in the user's folder, and on the terminal.
        mujoco.set_mju_user_warning(_LOG.info)
        check_task(task)
        self.task, self.robot = task, robot or robot_for(task)
        require_hands(task, self.robot)
        self.model = build(task, self.robot)
        check_bodies(task, self.model)
        self.data = mujoco.MjData(self.model)
        self._controls = [
            int(self.model.actuator(arm.part(name)).id)
            for arm in self.robot.arms
            for name in (*arm.joints, "gripper")
        ]
        self._scale = np.ones(width(self.robot))
        self._scale[grippers(self.robot)] = [arm.finger_range for arm in self.robot.arms]
        self._plain = {name: np.array(getattr(self.model, name)) for name in DRESS}
        names = [thing.name for thing in (*task.things, *EXTRAS)]
        self.state = State(self.model, self.data, self.robot, names, task.fixtures)
        self._substeps = round(1.0 / CONTROL_HZ / self.model.opt.timestep)
        self._kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
        self._size = mujoco.mj_stateSize(self.model, self._kind)
        self.images: Mapping[str, Image] = NoImages()
        self.dressed = 0
        self.reset(0)

    @property
    def scene(self) -> str:
        """Return what two policies share when they are compared pair by pair."""
        return f"{self.name}/{self.task.name}/{self.seed}/{self.perturbation or 'plain'}"

    @property
    def name(self) -> str:
        """Return what episodes call this world: "tabletop", with the robot unless it is Panda."""
        own = self.robot.name
        return WORLD if own == Panda.name else f"{WORLD}-{own}"

    @property
    def perturbation(self) -> str:
        """Return the labels of all perturbations, joined by "+"; empty without any."""
        return "+".join(p.label for p in self.perturbations)

    def reset(self, seed: int, perturbations: Sequence[Perturbation] = ()) -> None:
        """Draw the scene of `seed`, changed by `perturbations`, and start the clock."""
        import mujoco

        if seed < 0:
            raise UsageError(f"A seed is 0 or more, not {seed}.")
        self.seed, self.perturbations = seed, tuple(perturbations)
        self._undress()
        layout = self.task.arrange(self._rng("layout"))
        check_layout(self.task, layout, self.model)
        for number, perturbation in enumerate(self.perturbations):
            layout = perturbation.arrange(self.task, layout, self._rng("arrange", number))
        mujoco.mj_resetData(self.model, self.data)
        self.layout = layout
        self._lay_out(layout)
        for number, perturbation in enumerate(self.perturbations):
            perturbation.dress(self.model, self._rng("dress", number))
        self.dressed += 1
        mujoco.mj_step(self.model, self.data, round(SETTLE_S / self.model.opt.timestep))
        self.data.time = 0.0
        self._refresh()
        self._spans = spans(self.task.subgoals, self.state)

    def step(self, action: Floats) -> None:
        """Hold one action, of shape (A,), for one control step."""
        import mujoco

        self.data.ctrl[self._controls] = action * self._scale
        mujoco.mj_step(self.model, self.data, self._substeps)
        self._refresh()

    def observe(self) -> Observation:
        """Return what an actor sees now."""
        state = self.state
        hands = [state.hand(arm.side) for arm in self.robot.arms]
        openings = [hand.opening for hand in hands]
        tools = [hand.tool_in_base() for hand in hands]
        return Observation(
            time=state.time,
            joint_position=state.joint_position,
            joint_velocity=state.joint_velocity,
            gripper_opening=openings[0] if len(hands) == 1 else np.array(openings),
            ee_position=np.concatenate([position for position, _ in tools]),
            ee_rotation=np.concatenate([rotation for _, rotation in tools]),
            images=self.images,
            truth=state,
        )

    def progress(self, done: int | None = None) -> float:
        """Return Phi* of the present state; `done` subgoals hold, if that is known already."""
        return potential(self.task.subgoals, self._spans, self.state, done)

    def subgoals(self) -> tuple[tuple[bool, ...], tuple[float, ...]]:
        """Return which subgoals hold, and the covered fraction of the way to each."""
        steps = self.task.subgoals
        ways = zip(steps, self._spans, strict=True)
        return held(steps, self.state), tuple(covered(*way, self.state) for way in ways)

    def subgoals_done(self) -> int:
        """Return how many subgoals hold, from the first on."""
        return done(self.task.subgoals, self.state)

    def success(self) -> bool:
        """Tell whether the task is done in the present state."""
        return self.subgoals_done() == len(self.task.subgoals)

    def diverged(self) -> bool:
        """Tell whether the simulator has lost the thread: the episode is then worth nothing."""
        import mujoco

        warnings = mujoco.mjtWarning
        bad = (warnings.mjWARN_BADQPOS, warnings.mjWARN_BADQVEL, warnings.mjWARN_BADQACC)
        return any(int(self.data.warning[int(kind)].number) for kind in bad)

    def save(self) -> Snapshot:
        """Return the present moment."""
        import mujoco

        physics = np.empty(self._size)
        mujoco.mj_getState(self.model, self.data, physics, self._kind)
        return Snapshot(self.task.name, self.seed, self.perturbations, physics)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a moment that this world, or another of the same task, has saved."""
        import mujoco

        if snapshot.task != self.task.name:
            raise UsageError(
                f"This world does {self.task.name!r} and can't restore a moment of "
                f"{snapshot.task!r}."
            )
        if snapshot.physics.shape != (self._size,):
            raise UsageError(
                f"The moment of {snapshot.task!r} has {snapshot.physics.size} numbers, and this "
                f"world's have {self._size}: its things or fixtures are others."
            )
        if (snapshot.seed, snapshot.perturbations) != (self.seed, self.perturbations):
            self.reset(snapshot.seed, snapshot.perturbations)
        for warning in self.data.warning:  # of what came after that moment
            warning.number = 0
        mujoco.mj_setState(self.model, self.data, snapshot.physics, self._kind)
        self._refresh()
        # Working out forces overwrites the solver's warm start, which is part of the state.
        mujoco.mj_setState(self.model, self.data, snapshot.physics, self._kind)

    def _refresh(self) -> None:
        """Bring everything derived from the state, such as contacts, up to date."""
        import mujoco

        mujoco.mj_forward(self.model, self.data)
        self.state.refresh()

    def _undress(self) -> None:
        for name, values in self._plain.items():
            getattr(self.model, name)[:] = values

    def _rng(self, purpose: str, number: int = 0) -> np.random.Generator:
        """Return the generator for one purpose; a perturbation's own depends on its class."""
        words = [self.task.name, purpose]
        if purpose in ("arrange", "dress"):
            words.append(type(self.perturbations[number]).__name__)
        return np.random.default_rng([self.seed, *(zlib.crc32(w.encode()) for w in words)])

    def _lay_out(self, layout: Layout) -> None:
        """Put the robot at home and everything else where the layout says."""
        for arm in self.robot.arms:
            for joint, angle in zip(arm.joints, arm.home, strict=True):
                self.data.joint(arm.part(joint)).qpos[0] = angle
            for finger in arm.fingers:
                self.data.joint(arm.part(finger)).qpos[0] = arm.finger_range
        start = [number for arm in self.robot.arms for number in (*arm.home, arm.finger_range)]
        self.data.ctrl[self._controls] = start
        for number, thing in enumerate((*self.task.things, *EXTRAS)):
            self._place(thing, layout, number)
        fixed = {**layout.places, **layout.parts}
        for name in self.task.fixtures:
            if name in fixed:
                place = fixed[name]
                self.model.body(name).pos[:] = (place.x, place.y, place.z)
                self.model.body(name).quat[:] = _quaternion(place.yaw)
        for joint, moved in layout.slides.items():
            self.data.joint(joint).qpos[0] = moved
        self._paint()

    def _place(self, thing: Thing, layout: Layout, number: int) -> None:
        """Put a thing in its place; one that has none waits under the floor, at rest."""
        joint = self.data.joint(thing.name)
        body = int(self.model.body(thing.name).id)
        if thing.name in layout.places:
            place = layout.places[thing.name]
            joint.qpos[:3] = (place.x, place.y, place.z + rest_height(thing))
            joint.qpos[3:] = _quaternion(place.yaw)
            self.model.body_gravcomp[body] = 0.0
        else:
            joint.qpos[:3] = (-1.0, 0.3 * number - 1.0, -2.0)
            self.model.body_gravcomp[body] = 1.0

    def _paint(self) -> None:
        """Give every thing its colour; those that have none draw one that nobody speaks of."""
        things = (*self.task.things, *EXTRAS)
        named = {thing.colour for thing in things}
        spare = [c for c in COLOURS if c not in named and c not in self.task.instruction]
        drawn = cycle(self._rng("colours").permutation(spare))
        for thing in things:
            rgb = COLOURS[thing.colour or next(drawn)]
            own = self.model.geom_bodyid == int(self.model.body(thing.name).id)
            self.model.geom_rgba[own] = (*rgb, 1.0)


def _quaternion(yaw: float) -> tuple[float, float, float, float]:
    return (float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2)))
