"""Add to a user's model what every robot has: tool, servos, sensors, a wrist camera."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.records import Floats

if TYPE_CHECKING:
    from assay.worlds.robots._from_file import FileArm

__all__ = ["complete"]

_BACK, _ASIDE = 0.10, 0.075  # from the tool to the wrist camera, along the hand and across [m]
_TILT = (0.955, 0.297)  # it looks down along the fingers, turned by 17 degrees
_SHORT = 0.01  # from the tool to the tips of the pads [m]
_STIFF, _GRIP = 400.0, 700.0  # N m / rad and N / m


def complete(spec: Any, arm: FileArm) -> None:  # noqa: ANN401 - mujoco.MjSpec
    """Make a user's model one that keeps the contract of `Arm`.

    Its own motors, sensors and keyframes go: position servos take their place. Gravity is
    compensated, and only the pads collide.
    """
    import mujoco

    spec.option.timestep = 0.002
    spec.option.integrator = int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    spec.option.cone = int(mujoco.mjtCone.mjCONE_ELLIPTIC)
    spec.option.impratio = 10
    for part in (*spec.actuators, *spec.sensors, *spec.keys):
        spec.delete(part)
    _name_pads(spec, arm)
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = int(geom.name in arm.pads)
        if geom.name in arm.pads:
            geom.friction, geom.condim, geom.priority = [1.6, 0.02, 0.002], 4, 1
            geom.solref, geom.solimp = [0.004, 1], [0.95, 0.99, 0.001, 0.5, 2]
    for body in spec.bodies[1:]:
        body.gravcomp = 1.0
    _add_hand(spec, arm)
    _add_servos(spec, arm)


def _name_pads(spec: Any, arm: FileArm) -> None:  # noqa: ANN401 - mujoco.MjSpec
    """Give the pads that have no name the one they are known by."""
    import mujoco

    known = {geom.name for geom in spec.geoms}
    for finger, pad in zip(arm.fingers, arm.pads, strict=True):
        if pad not in known:
            spec.joint(finger).parent.find_all(mujoco.mjtObj.mjOBJ_GEOM)[-1].name = pad


def _add_hand(spec: Any, arm: FileArm) -> None:  # noqa: ANN401 - mujoco.MjSpec
    """Add tool, flange, sensors and camera to the body that carries the fingers."""
    import mujoco

    hand = spec.joint(arm.fingers[0]).parent.parent
    spot, turned = _between_pads(spec, arm)
    if not arm.tool:
        hand.add_site(name="tool", pos=spot, quat=_quaternion(turned), group=5)
    elif arm.tool != "tool":
        spec.site(arm.tool).name = "tool"
    if spec.site("flange") is None:
        hand.add_site(name="flange", quat=_quaternion(turned), group=5)
    for name in ("force", "torque"):
        kind = getattr(mujoco.mjtSensor, f"mjSENS_{name.upper()}")
        site = int(mujoco.mjtObj.mjOBJ_SITE)
        spec.add_sensor(name=name, type=int(kind), objtype=site, objname="flange")
    if spec.camera("wrist") is None:
        x, y, z = turned.T
        axes = [*y, *(_TILT[0] * x + _TILT[1] * z)]
        hand.add_camera(name="wrist", pos=spot - _BACK * z + _ASIDE * x, xyaxes=axes, fovy=70.0)


def _between_pads(spec: Any, arm: FileArm) -> tuple[Floats, Floats]:  # noqa: ANN401 - mujoco.MjSpec
    """Return the point between the pads' tips and the tool's axes there, in the hand's frame.

    The hand is closed and all joints are at 0. z leads from the hand's origin to the pads, y lies
    along the way of the first finger. The tool is 1 cm short of the tips, so that these don't rub
    on the table when it is at the middle of something low.
    """
    import mujoco

    model = spec.copy().compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hand = int(model.body_parentid[int(model.joint(arm.fingers[0]).bodyid[0])])
    turned = np.array(data.xmat[hand]).reshape(3, 3)
    pads = np.mean([data.geom(pad).xpos for pad in arm.pads], axis=0)
    spot: Floats = turned.T @ (pads - data.xpos[hand])
    across = turned.T @ np.array(data.xaxis[int(model.joint(arm.fingers[0]).id)])
    out = spot - across * (spot @ across)
    out = out / np.linalg.norm(out)
    across = -across if arm.flipped else across
    pad = data.geom(arm.pads[0])
    shape = np.array(model.geom_aabb[pad.id][3:])  # half its edges
    reach = float(np.abs(pad.xmat.reshape(3, 3).T @ turned @ out) @ shape)
    spot = spot + out * max(reach - _SHORT, 0.0)
    return spot, np.column_stack([np.cross(across, out), across, out])


def _add_servos(spec: Any, arm: FileArm) -> None:  # noqa: ANN401 - mujoco.MjSpec
    """Add a position servo for every joint, and one for both fingers together."""
    import mujoco

    joint_kind = int(mujoco.mjtTrn.mjTRN_JOINT)
    for name in arm.joints:
        joint = spec.joint(name)
        joint.armature = max(float(joint.armature), 0.1)
        low, high = (float(end) for end in joint.range)
        if low >= high:
            joint.range, low, high = [-np.pi, np.pi], -np.pi, np.pi
        joint.limited = 1
        servo = spec.add_actuator(
            name=name, target=name, trntype=joint_kind, ctrlrange=[low, high], ctrllimited=1
        )
        servo.set_to_position(kp=_STIFF, kv=_STIFF / 12)
    left, right = arm.fingers
    for name in arm.fingers:
        finger = spec.joint(name)
        finger.armature = max(float(finger.armature), 0.1)
        finger.damping = [8.0, 0.0, 0.0]
        finger.limited = 1
    tendon = spec.add_tendon(name="gripper")
    for name in arm.fingers:
        tendon.wrap_joint(name, 0.5)
    if not any({e.name1, e.name2} == {left, right} for e in spec.equalities):
        spec.add_equality(
            name="fingers",
            type=int(mujoco.mjtEq.mjEQ_JOINT),
            objtype=int(mujoco.mjtObj.mjOBJ_JOINT),
            name1=left,
            name2=right,
            data=[0, 1, *[0] * 10],
            solref=[0.004, 1],
            solimp=[0.95, 0.99, 0.001, 0.5, 2],
        )
    grip = spec.add_actuator(
        name="gripper",
        target="gripper",
        trntype=int(mujoco.mjtTrn.mjTRN_TENDON),
        ctrlrange=[0.0, arm.finger_range],
        ctrllimited=1,
        forcerange=[-40, 40],
        forcelimited=1,
    )
    grip.set_to_position(kp=_GRIP, kv=120.0)


def _quaternion(turned: Floats) -> Floats:
    import mujoco

    found = np.empty(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(turned).reshape(9))
    return found
