"""Tiny robots of a user's own: the same arm as MJCF and as URDF, without motors or sites."""

from pathlib import Path

MJCF = """<mujoco model="tiny">
  <compiler angle="radian"/>
  <worldbody>
    <body name="foot">
      <geom type="cylinder" size=".05 .06" pos="0 0 .06"/>
      <body name="turret" pos="0 0 .2">
        <joint name="turn" axis="0 0 1" range="-3 3"/>
        <geom type="capsule" fromto="0 0 -.05 0 0 0" size=".04" mass=".5"/>
        <body name="upper" pos="0 0 0">
          <joint name="lean" axis="0 1 0" range="-1.9 1.9"/>
          <geom type="capsule" fromto="0 0 0 0 0 .28" size=".03" mass=".4"/>
          <body name="fore" pos="0 0 .28">
            <joint name="bend" axis="0 1 0" range="-.5 2.8"/>
            <geom type="capsule" fromto="0 0 0 0 0 .26" size=".025" mass=".3"/>
            <body name="wrist" pos="0 0 .26">
              <joint name="roll" axis="0 0 1" range="-3 3"/>
              <geom type="sphere" size=".025" mass=".1"/>
              <body name="palm">
                <joint name="nod" axis="0 1 0" range="-2.2 2.2"/>
                <geom type="box" size=".02 .05 .02" pos="0 0 .04" mass=".1"/>
                <body name="hand" pos="0 0 .05">
                  <joint name="spin" axis="0 0 1" range="-3 3"/>
                  <geom type="box" size=".02 .06 .01" mass=".1"/>
                  <body name="thumb" pos="0 0 .02">
                    <joint name="thumb" type="slide" axis="0 1 0" range="0 .04"/>
                    <geom type="box" size=".01 .006 .03" pos="0 .006 .03" mass=".03"/>
                  </body>
                  <body name="finger" pos="0 0 .02" euler="0 0 3.14159265">
                    <joint name="finger" type="slide" axis="0 1 0" range="0 .04"/>
                    <geom type="box" size=".01 .006 .03" pos="0 .006 .03" mass=".03"/>
                  </body>
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

# name, parent, axis, z of the joint [m], range
_HINGES = (
    ("turn", "foot", "0 0 1", 0.2, 3.0),
    ("lean", "turn-link", "0 1 0", 0.0, 1.9),
    ("bend", "lean-link", "0 1 0", 0.28, 2.8),
    ("roll", "bend-link", "0 0 1", 0.26, 3.0),
    ("nod", "roll-link", "0 1 0", 0.0, 2.2),
    ("spin", "nod-link", "0 0 1", 0.05, 3.0),
)


def _link(name: str, size: str, z: float, y: float = 0.0) -> str:
    body = f'<origin xyz="0 {y} {z}"/><geometry><box size="{size}"/></geometry>'
    inertia = '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>'
    weight = f'<inertial><mass value=".2"/>{inertia}</inertial>'
    return f'<link name="{name}">{weight}<collision>{body}</collision></link>'


def _joint(name: str, kind: str, parent: str, child: str, axis: str, z: float, high: float) -> str:
    low, turn = (-high, 0) if kind == "revolute" else (0, 3.14159265 * (name == "finger"))
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 {z}" rpy="0 0 {turn}"/><axis xyz="{axis}"/>'
        f'<limit lower="{low}" upper="{high}" effort="20" velocity="3"/></joint>'
    )


def urdf() -> str:
    parts = [_link("foot", ".1 .1 .1", 0.05)]
    for name, parent, axis, z, high in _HINGES:
        parts.append(_link(f"{name}-link", ".04 .04 .05", 0.02))
        parts.append(_joint(name, "revolute", parent, f"{name}-link", axis, z, high))
    for name in ("thumb", "finger"):
        parts.append(_link(f"{name}-link", ".02 .012 .06", 0.03, 0.006))
        parts.append(_joint(name, "prismatic", "spin-link", f"{name}-link", "0 1 0", 0.02, 0.04))
    return f'<robot name="tiny">{"".join(parts)}</robot>'


def write(folder: Path, name: str = "tiny.xml", text: str = MJCF) -> Path:
    path = folder / name
    path.write_text(text)
    return path
