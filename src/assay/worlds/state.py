"""The state of a world by name: where things are, what touches what, what is held."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.records import Floats
from assay.worlds._contacts import Contacts, Named
from assay.worlds.robots.base import Arm, Robot, Side

__all__ = ["GRIPPER", "TABLE", "State", "gripper_of"]

GRIPPER = "gripper"
TABLE = "table"
_TOOL = "tool"
_ALL_BUT = 1e-3  # so near to a thing a finger tip all but presses on it [m]


def gripper_of(arm: Arm) -> str:
    """Return what contacts call an arm's finger tips: "gripper", or "gripper-left" of two."""
    return f"{GRIPPER}-{arm.side}" if arm.side else GRIPPER


@dataclass(frozen=True, slots=True)
class _Hand:
    """Where the simulator keeps the parts of one arm."""

    arm: Arm
    tool: int
    angles: list[int]
    speeds: list[int]
    fingers: list[int]
    finger_speeds: list[int]
    pads: list[int]


class State:
    """A named view of the simulator; it shows the present moment, whenever it is asked.

    Names are those of the task's things and fixtures, of bodies inside a fixture such as a drawer,
    and "gripper", "tool" and "table". Everything is in the world's frame: metres, z up, the table
    top at z = 0.

    With two arms, `hand("left")` is the same moment as the left hand sees it: there "gripper",
    "tool", `opening` and `held` are its own, so that whatever is written for one arm can be asked
    of each. In the state of both, joints are those of the left arm, then of the right; something is
    held when either hand holds it, and "gripper" is either; there is no one tool or opening.

    Args:
        model: mujoco.MjModel.
        data: mujoco.MjData; kept up to date by the world.
        robot: Whose hands they are.
        things: Names of what can be moved.
        others: Names of further bodies that contacts are told of.
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401 - MuJoCo is imported late
        data: Any,  # noqa: ANN401 - MuJoCo is imported late
        robot: Robot,
        things: Sequence[str],
        others: Sequence[str],
    ) -> None:
        self._model, self._data, self.robot = model, data, robot
        self.things = tuple(things)
        self.others = tuple(others)
        self._body = Named({name: int(model.body(name).id) for name in (*things, *others)})
        self._extents = {name: _extent(model, self._body[name]) for name in things}
        self._hands = tuple(_hand(model, arm) for arm in robot.arms)
        tips = {gripper_of(hand.arm): hand.pads for hand in self._hands}
        table = {TABLE: [int(model.geom(TABLE).id)]}
        self._contacts = Contacts(model, data, tips | table, self._body)
        self.owners = self._contacts.owners
        self._views: dict[Side, State] = {"": self}
        if len(self._hands) > 1:
            self._views.clear()
            self._views.update({hand.arm.side: self._seen_by(hand) for hand in self._hands})

    def hand(self, side: Side) -> State:
        """Return the present moment as one hand sees it; of one arm: this state."""
        if side not in self._views:
            raise UsageError(
                f"{self.robot.name} has no {side or 'single'} hand, but: "
                f"{', '.join(filter(None, self._views)) or 'one that is neither left nor right'}."
            )
        return self._views[side]

    @property
    def arm(self) -> Arm:
        """Return the arm that this state is seen by."""
        return self._hand.arm

    def refresh(self) -> None:
        """Forget what was worked out for an earlier moment."""
        self._contacts.refresh()

    @property
    def time(self) -> float:
        """Return the time since the start [s]."""
        return float(self._data.time)

    def position(self, name: str) -> Floats:
        """Return where something is, of shape (3,) [m]; "tool" is between the finger tips."""
        return np.array(
            self._data.site_xpos[self._hand.tool] if name == _TOOL else self._body_row("xpos", name)
        )

    def rotation(self, name: str) -> Floats:
        """Return its rotation as a unit quaternion w, x, y, z."""
        import mujoco

        if name != _TOOL:
            return np.array(self._body_row("xquat", name))
        turned = np.empty(4)
        mujoco.mju_mat2Quat(turned, self._data.site_xmat[self._hand.tool])
        return turned

    def matrix(self, name: str) -> Floats:
        """Return its rotation as a matrix of shape (3, 3)."""
        at_tool = name == _TOOL
        rows = self._data.site_xmat[self._hand.tool] if at_tool else self._body_row("xmat", name)
        return np.array(rows).reshape(3, 3)

    def yaw(self, name: str) -> float:
        """Return how far its x axis is turned about the vertical [rad]."""
        turned = self.matrix(name)
        return float(np.arctan2(turned[1, 0], turned[0, 0]))

    def velocity(self, name: str) -> Floats:
        """Return its velocity, of shape (6,): turning [rad/s], then moving [m/s], world axes."""
        import mujoco

        kind = mujoco.mjtObj.mjOBJ_SITE if name == _TOOL else mujoco.mjtObj.mjOBJ_BODY
        number = self._hand.tool if name == _TOOL else self._body[name]
        found = np.zeros(6)
        mujoco.mj_objectVelocity(self._model, self._data, int(kind), number, found, 0)
        return found

    def speed(self, name: str) -> float:
        """Return how fast something moves [m/s]."""
        return float(np.linalg.norm(self.velocity(name)[3:]))

    def extent(self, name: str) -> float:
        """Return how far a thing reaches from its middle along its longest axis [m]; else 0."""
        return self._extents.get(name, 0.0)

    def slide(self, joint: str) -> float:
        """Return how far a joint of a fixture, such as a drawer's, has moved."""
        return float(self._data.joint(joint).qpos[0])

    @property
    def joint_position(self) -> Floats:
        """Return the joint angles [rad]."""
        return np.array(self._data.qpos[[n for hand in self._hands for n in hand.angles]])

    @property
    def joint_velocity(self) -> Floats:
        """Return the joint speeds [rad/s]."""
        return np.array(self._data.qvel[[n for hand in self._hands for n in hand.speeds]])

    @property
    def joint_torque(self) -> Floats:
        """Return what the motors of the joints give [N m], gravity compensation apart."""
        return np.array(self._data.qfrc_actuator[[n for hand in self._hands for n in hand.speeds]])

    @property
    def opening(self) -> float:
        """Return the gripper's opening, 0 closed .. 1 open."""
        mean = float(np.mean(self._data.qpos[self._hand.fingers]))
        return min(max(mean / self._hand.arm.finger_range, 0.0), 1.0)

    @property
    def opening_speed(self) -> float:
        """Return how fast the gripper opens, in whole openings a second."""
        mean = float(np.mean(self._data.qvel[self._hand.finger_speeds]))
        return mean / self._hand.arm.finger_range

    def tool_in_base(self) -> tuple[Floats, Floats]:
        """Return position (3,) [m] and rotation (4,) of the tool in the frame of its arm's base."""
        import mujoco

        stand = self.arm.stand
        position = self.position(_TOOL) - (stand.x, stand.y, stand.z)
        rotation = self.rotation(_TOOL)
        if stand.yaw:
            back = np.array([np.cos(stand.yaw / 2), 0.0, 0.0, -np.sin(stand.yaw / 2)])
            turned, moved = np.empty(4), np.empty(3)
            mujoco.mju_mulQuat(turned, back, rotation)
            mujoco.mju_rotVecQuat(moved, position, back)
            return moved, turned
        return position, rotation

    def wrench(self) -> tuple[Floats, Floats]:
        """Return force [N] and torque [N m] that the hand feels at the flange, base frame."""
        part, yaw = self.arm.part, self.arm.stand.yaw
        turned = self._data.site(part("flange")).xmat.reshape(3, 3)
        if yaw:
            cos, sin = np.cos(yaw), np.sin(yaw)
            turned = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]) @ turned
        force = self._data.sensor(part("force")).data
        return turned @ force, turned @ self._data.sensor(part("torque")).data

    def force(self, one: str, other: str) -> float:
        """Return the normal force between two of `owners` [N]."""
        pairs = self._contacts.forces()[np.ix_(self._numbers(one), self._numbers(other))]
        return float(pairs.sum())

    def touching(self, one: str, other: str) -> bool:
        """Tell whether two of `owners` press on each other."""
        return self.force(one, other) > 0.0

    def held(self, name: str) -> bool:
        """Tell whether both finger tips of a hand press on it."""
        pressed = [len(self._contacts.pressed(name, hand.pads)) for hand in self._hands]
        return any(count == len(self._hands[0].pads) for count in pressed)

    def in_hand(self, name: str) -> bool:
        """Tell whether a hand has it: each finger tip presses on it, or all but does.

        That is wider than `held`: when a hand trembles, one tip or the other loses touch for a
        moment, by a tenth of a millimetre, and the thing stays where it is.
        """
        return any(
            all(self._contacts.near(name, pad, _ALL_BUT) for pad in hand.pads)
            for hand in self._hands
        )

    def forces(self) -> Floats:
        """Return the normal force of every pair of `owners` [N], symmetric, of shape (N, N)."""
        return self._contacts.forces()

    def geom_owners(self) -> list[str]:
        """Return what every geom belongs to: a name, "robot", or "room"."""
        found = []
        joints = [int(self._model.joint(arm.part(arm.joints[0])).id) for arm in self.robot.arms]
        bodies = [int(self._model.jnt_bodyid[joint]) for joint in joints]
        roots = {int(self._model.body_rootid[body]) for body in bodies}
        for geom, body in enumerate(np.asarray(self._model.geom_bodyid)):
            number = int(self._contacts.owner_of_geom[geom])
            if int(self._model.body_rootid[body]) in roots:
                found.append("robot")
            else:
                found.append(self.owners[number] if number >= 0 else "room")
        return found

    @property
    def _hand(self) -> _Hand:
        """Return the one hand that this state is seen by."""
        if len(self._hands) > 1:
            raise UsageError(
                f"{self.robot.name} has two hands: ask state.hand('left') or state.hand('right')."
            )
        return self._hands[0]

    def _seen_by(self, hand: _Hand) -> State:
        seen = copy.copy(self)
        seen._hands = (hand,)  # noqa: SLF001 - it is another of this class
        return seen

    def _numbers(self, name: str) -> list[int]:
        """Return the numbers of one of `owners`; "gripper" is every hand that sees this state."""
        names = [gripper_of(hand.arm) for hand in self._hands] if name == GRIPPER else [name]
        return [self._contacts.number[name] for name in names]

    def _body_row(self, field: str, name: str) -> Any:  # noqa: ANN401 - a row of an array of MuJoCo
        return getattr(self._data, field)[self._body[name]]


def _hand(model: Any, arm: Arm) -> _Hand:  # noqa: ANN401 - mujoco.MjModel
    """Find the parts of one arm in the model."""
    joints = [model.joint(arm.part(name)) for name in arm.joints]
    fingers = [model.joint(arm.part(name)) for name in arm.fingers]
    return _Hand(
        arm=arm,
        tool=int(model.site(arm.part(_TOOL)).id),
        angles=[int(joint.qposadr[0]) for joint in joints],
        speeds=[int(joint.dofadr[0]) for joint in joints],
        fingers=[int(joint.qposadr[0]) for joint in fingers],
        finger_speeds=[int(joint.dofadr[0]) for joint in fingers],
        pads=[int(model.geom(arm.part(name)).id) for name in arm.pads],
    )


def _extent(model: Any, body: int) -> float:  # noqa: ANN401 - mujoco.MjModel
    """Return how far the geoms of a body, none turned in it, reach along its longest axis [m]."""
    own = np.asarray(model.geom_bodyid) == body
    reach = np.abs(model.geom_pos[own]) + model.geom_aabb[own, 3:]
    return float(reach.max())
