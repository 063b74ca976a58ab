"""The state of a world by name: where things are, what touches what, what is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.records import Floats
from assay.worlds.robots.base import Robot

__all__ = ["GRIPPER", "TABLE", "State"]

GRIPPER = "gripper"
TABLE = "table"


class State:
    """A named view of the simulator; it shows the present moment, whenever it is asked.

    Names are those of the task's things and fixtures, of bodies inside a fixture such as a drawer,
    and "gripper", "tool" and "table". Everything is in the world's frame: metres, z up, the table
    top at z = 0, the robot's base at the origin.

    Args:
        model: mujoco.MjModel.
        data: mujoco.MjData; kept up to date by the world.
        robot: Whose hand it is.
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
        self._model, self._data, self._robot = model, data, robot
        self.things = tuple(things)
        self.others = tuple(others)
        self.owners = (GRIPPER, TABLE, *self.things, *self.others)
        self._number = {name: number for number, name in enumerate(self.owners)}
        self._body = {name: int(model.body(name).id) for name in (*things, *others)}
        self._tool = int(model.site("tool").id)
        self._arm = [int(model.joint(name).qposadr[0]) for name in robot.joints]
        self._arm_speed = [int(model.joint(name).dofadr[0]) for name in robot.joints]
        self._fingers = [int(model.joint(name).qposadr[0]) for name in robot.fingers]
        self._finger_speed = [int(model.joint(name).dofadr[0]) for name in robot.fingers]
        self._pads = [int(model.geom(name).id) for name in robot.pads]
        self._owner_of_geom = self._owners_of_geoms()
        self._forces: Floats | None = None

    def refresh(self) -> None:
        """Forget what was worked out for an earlier moment."""
        self._forces = None

    @property
    def time(self) -> float:
        """Return the time since the start [s]."""
        return float(self._data.time)

    def position(self, name: str) -> Floats:
        """Return where something is, of shape (3,) [m]; "tool" is between the finger tips."""
        where = self._data.site_xpos[self._tool] if name == "tool" else self._body_row("xpos", name)
        return np.array(where)

    def rotation(self, name: str) -> Floats:
        """Return its rotation as a unit quaternion w, x, y, z."""
        import mujoco

        if name != "tool":
            return np.array(self._body_row("xquat", name))
        turned = np.empty(4)
        mujoco.mju_mat2Quat(turned, self._data.site_xmat[self._tool])
        return turned

    def matrix(self, name: str) -> Floats:
        """Return its rotation as a matrix of shape (3, 3)."""
        rows = self._data.site_xmat[self._tool] if name == "tool" else self._body_row("xmat", name)
        return np.array(rows).reshape(3, 3)

    def yaw(self, name: str) -> float:
        """Return how far its x axis is turned about the vertical [rad]."""
        turned = self.matrix(name)
        return float(np.arctan2(turned[1, 0], turned[0, 0]))

    def velocity(self, name: str) -> Floats:
        """Return its velocity, of shape (6,): turning [rad/s], then moving [m/s], world axes."""
        import mujoco

        kind = mujoco.mjtObj.mjOBJ_SITE if name == "tool" else mujoco.mjtObj.mjOBJ_BODY
        number = self._tool if name == "tool" else self._body[name]
        found = np.zeros(6)
        mujoco.mj_objectVelocity(self._model, self._data, int(kind), number, found, 0)
        return found

    def speed(self, name: str) -> float:
        """Return how fast something moves [m/s]."""
        return float(np.linalg.norm(self.velocity(name)[3:]))

    def slide(self, joint: str) -> float:
        """Return how far a joint of a fixture, such as a drawer's, has moved."""
        return float(self._data.joint(joint).qpos[0])

    @property
    def joint_position(self) -> Floats:
        """Return the arm's joint angles [rad]."""
        return np.array(self._data.qpos[self._arm])

    @property
    def joint_velocity(self) -> Floats:
        """Return the arm's joint speeds [rad/s]."""
        return np.array(self._data.qvel[self._arm_speed])

    @property
    def joint_torque(self) -> Floats:
        """Return what the motors of the arm give [N m], gravity compensation apart."""
        return np.array(self._data.qfrc_actuator[self._arm_speed])

    @property
    def opening(self) -> float:
        """Return the gripper's opening, 0 closed .. 1 open."""
        mean = float(np.mean(self._data.qpos[self._fingers]))
        return min(max(mean / self._robot.finger_range, 0.0), 1.0)

    @property
    def opening_speed(self) -> float:
        """Return how fast the gripper opens, in whole openings a second."""
        return float(np.mean(self._data.qvel[self._finger_speed])) / self._robot.finger_range

    def wrench(self) -> tuple[Floats, Floats]:
        """Return force [N] and torque [N m] that the hand feels at the flange, base frame."""
        turned = self._data.site("flange").xmat.reshape(3, 3)
        force, torque = self._data.sensor("force").data, self._data.sensor("torque").data
        return turned @ force, turned @ torque

    def force(self, one: str, other: str) -> float:
        """Return the normal force between two of `owners` [N]."""
        return float(self.forces()[self._number[one], self._number[other]])

    def touching(self, one: str, other: str) -> bool:
        """Tell whether two of `owners` press on each other."""
        return self.force(one, other) > 0.0

    def held(self, name: str) -> bool:
        """Tell whether both finger tips press on it."""
        owner = self._number[name]
        pressed = set()
        for one, other in self._contacts()[0].tolist():
            for pad, thing in ((one, other), (other, one)):
                if pad in self._pads and self._owner_of_geom[thing] == owner:
                    pressed.add(pad)
        return len(pressed) == len(self._pads)

    def forces(self) -> Floats:
        """Return the normal force of every pair of `owners` [N], symmetric, of shape (N, N)."""
        if self._forces is None:
            total = np.zeros((len(self.owners), len(self.owners)))
            pairs, normal = self._contacts()
            owners = self._owner_of_geom[pairs]
            named = (owners >= 0).all(axis=1)
            np.add.at(total, (owners[named, 0], owners[named, 1]), normal[named])
            self._forces = total + total.T
        return self._forces

    def geom_owners(self) -> list[str]:
        """Return what every geom belongs to: a name, "robot", or "room"."""
        found = []
        root = int(self._model.body("base").id)
        for geom, body in enumerate(np.asarray(self._model.geom_bodyid)):
            number = int(self._owner_of_geom[geom])
            if int(self._model.body_rootid[body]) == root:
                found.append("robot")
            else:
                found.append(self.owners[number] if number >= 0 else "room")
        return found

    def _contacts(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return the geoms (N, 2) and the normal force (N,) of every contact that pushes."""
        contact = self._data.contact
        pairs = np.asarray(contact.geom).reshape(-1, 2)
        rows = np.asarray(contact.efc_address)
        active = rows >= 0
        normal = np.asarray(self._data.efc_force)[rows[active]]
        pushes = normal > 0.0
        return pairs[active][pushes].astype(np.int64), normal[pushes]

    def _body_row(self, field: str, name: str) -> Any:  # noqa: ANN401 - a row of an array of MuJoCo
        return getattr(self._data, field)[self._body[name]]

    def _owners_of_geoms(self) -> npt.NDArray[np.int64]:
        """Return the number of every geom's owner: its body or the nearest named one above it."""
        of_body: Mapping[int, str] = {number: name for name, number in self._body.items()}
        parents = np.asarray(self._model.body_parentid)
        owners = np.full(int(self._model.ngeom), -1)
        for geom, start in enumerate(np.asarray(self._model.geom_bodyid)):
            body = int(start)
            while body > 0 and body not in of_body:
                body = int(parents[body])
            if body > 0:
                owners[geom] = self._number[of_body[body]]
        owners[self._pads] = self._number[GRIPPER]
        owners[int(self._model.geom(TABLE).id)] = self._number[TABLE]
        return owners
