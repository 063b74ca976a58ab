"""A robot of the user's own: an MJCF or URDF file, with a small file of names beside it."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from pydantic import BaseModel, ConfigDict, ValidationError

from assay.errors import InputError, UnknownNameError, UnsafePathError
from assay.worlds.robots.base import Arm, Stand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.records import Floats

__all__ = ["ENDINGS", "FileArm", "robot_from_file"]

ENDINGS: Final = (".xml", ".mjcf", ".urdf")
_MESHES: Final = (".stl", ".obj", ".msh")
_PICTURES: Final = (".png",)
_START: Final = ((0.45, 0.0, 0.30), (0.40, 0.0, 0.25), (0.35, 0.0, 0.35), (0.50, 0.0, 0.20))
_NEAR: Final = 0.02  # so near to one of them a pose to start from is found [m and rad]
_STEPS: Final = 120
_FAR: Final = (0.0, 0.2, 0.4, 0.6)  # of the joints' ranges


@dataclass(frozen=True)
class FileArm(Arm):
    """An arm from a user's file; what the file lacks is added (`robots/_completing.py`).

    Attributes:
        tool: The name of its tool site in the file; empty: one is added.
        flipped: Whether the one that is added is turned by half a turn: the same grip.
    """

    tool: str = ""
    flipped: bool = False


class _Said(BaseModel):
    """What the file of names may say; the fields are those of `Arm`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = ""
    joints: tuple[str, ...] = ()
    fingers: tuple[str, str] | None = None
    pads: tuple[str, str] | None = None
    tool: str = ""
    home: tuple[float, ...] = ()
    speed_limits: tuple[float, ...] = ()
    stand: Stand = Stand()


def robot_from_file(path: Path) -> FileArm:
    """Return the robot in a model file.

    Beside `arm.xml` there may be `arm.toml` or `arm.json` with the names of its parts: `joints`,
    `fingers`, `pads`, `tool`, and `home`, `speed_limits`, `stand`, `name`. Without: the hinge
    joints in order (those with a motor, if any has one), the last two slides as fingers, the last
    geom of each finger as its pad, a site `tool`, and a pose to start from that points down.

    Raises:
        InputError: It can't be used, and why.
    """
    if not path.is_file():
        raise InputError("there is no such robot model.", path)
    _check_files(path)
    said = _said(path)
    spec = _read(path)
    names = [joint.name for joint in spec.joints]
    fingers = said.fingers or _fingers(spec, path)
    joints = said.joints or _joints(spec, fingers)
    for name in (*joints, *fingers):
        if name not in names:
            raise UnknownNameError(f"joint in {path.name}", name, names)
    if not joints:
        raise InputError("it has no hinge joint.", path)
    arm = FileArm(
        name=said.name or path.stem,
        path=path.absolute(),
        joints=joints,
        fingers=fingers,
        pads=said.pads or _pads(spec, fingers, path),
        home=said.home,
        finger_range=_finger_range(spec, fingers, path),
        speed_limits=said.speed_limits or (math.pi,) * len(joints),
        stand=said.stand,
        tool=_tool(spec, said.tool, path),
    )
    for field in ("home", "speed_limits"):
        if (given := getattr(arm, field)) and len(given) != len(joints):
            raise InputError(f"`{field}` has {len(given)} numbers for {len(joints)} joints.", path)
    return arm if arm.home else _at_home(arm, path)


def _check_files(path: Path) -> None:
    """Refuse a model that reads files outside of its own folder, or meshes that can't be read."""
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - expat loads nothing from outside
    except (ET.ParseError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"it is no XML that can be read ({error}).", path) from error
    folder = path.absolute().parent
    for element in root.iter():
        for key in ("file", "filename", "meshdir", "texturedir", "assetdir"):
            if not (named := element.get(key)):
                continue
            if "://" in named or not (folder / named).resolve().is_relative_to(folder.resolve()):
                raise UnsafePathError(f"{named!r} is not in the model's own folder.", path)
            allowed = {"mesh": _MESHES, "texture": _PICTURES, "include": ENDINGS}.get(element.tag)
            if allowed and Path(named).suffix.lower() not in allowed:
                known = ", ".join(allowed)
                raise InputError(f"the {element.tag} {named!r} can't be read: {known} can.", path)


def _said(path: Path) -> _Said:
    """Return what stands in the file of names, if there is one."""
    for beside, load in ((".toml", tomllib.loads), (".json", json.loads)):
        names = path.with_suffix(beside)
        if names.is_file():
            try:
                return _Said.model_validate(load(names.read_text(encoding="utf-8")))
            except ValidationError as error:
                first = error.errors()[0]
                field = ".".join(str(part) for part in first["loc"])
                raise InputError(f"`{field}`: {first['msg']}.", names) from None
            except ValueError as error:
                raise InputError(f"it can't be read ({error}).", names) from None
    return _Said()


def _read(path: Path) -> Any:  # noqa: ANN401 - mujoco.MjSpec
    import mujoco

    try:
        return mujoco.MjSpec.from_file(str(path))
    except (ValueError, OSError) as error:
        raise InputError(f"MuJoCo can't read it: {_first_line(error)}.", path) from None


def _fingers(spec: Any, path: Path) -> tuple[str, str]:  # noqa: ANN401 - mujoco.MjSpec
    slides = [joint.name for joint in spec.joints if _is(joint, "SLIDE")]
    if len(slides) < 2:
        raise InputError(
            "it has no gripper: two sliding joints are needed as fingers, and it has "
            f"{len(slides)}; name others as `fingers`.",
            path,
        )
    return slides[-2], slides[-1]


def _joints(spec: Any, fingers: Sequence[str]) -> tuple[str, ...]:  # noqa: ANN401 - mujoco.MjSpec
    hinges = [j.name for j in spec.joints if _is(j, "HINGE") and j.name not in fingers]
    moved = {actuator.target for actuator in spec.actuators}
    return tuple(name for name in hinges if name in moved) or tuple(hinges)


def _pads(spec: Any, fingers: Sequence[str], path: Path) -> tuple[str, str]:  # noqa: ANN401 - mujoco.MjSpec
    """Return the last geom of each finger; one without a name is called after its finger."""
    found = []
    for finger in fingers:
        geoms = _finger_geoms(spec, finger)
        if not geoms:
            raise InputError(f"the finger {finger!r} has no geom to touch with.", path)
        found.append(geoms[-1].name or f"{finger}-pad")
    return found[0], found[1]


def _finger_geoms(spec: Any, finger: str) -> list[Any]:  # noqa: ANN401 - mujoco.MjSpec
    import mujoco

    return list(spec.joint(finger).parent.find_all(mujoco.mjtObj.mjOBJ_GEOM))


def _finger_range(spec: Any, fingers: Sequence[str], path: Path) -> float:  # noqa: ANN401 - mujoco.MjSpec
    low, high = (float(end) for end in spec.joint(fingers[0]).range)
    if abs(low) > 1e-6 or high <= 0.0:
        raise InputError(
            f"the finger {fingers[0]!r} must be closed at 0 and open above, and its range is "
            f"{low:g} to {high:g}.",
            path,
        )
    return high


def _tool(spec: Any, said: str, path: Path) -> str:  # noqa: ANN401 - mujoco.MjSpec
    sites = [site.name for site in spec.sites]
    if said and said not in sites:
        raise UnknownNameError(f"site in {path.name}", said, sites)
    return said or ("tool" if "tool" in sites else "")


def _at_home(arm: FileArm, path: Path) -> FileArm:
    """Return the arm with angles at which the hand points down in front of it, found by reaching.

    Half a turn is the same grip: the hand's x axis is turned to where the wrist is less twisted.
    """
    import numpy as np

    from assay.worlds.policies._reaching import joint_ranges

    try:
        lowest, highest = joint_ranges(replace(arm, home=(0.0,) * len(arm.joints))).T
    except ValueError as error:
        raise InputError(f"MuJoCo can't build it: {_first_line(error)}.", path) from None
    rng = np.random.default_rng(0)
    middle, half = (lowest + highest) / 2, (highest - lowest) / 2
    turns = (False,) if arm.tool else (False, True)
    for far, spot in product(_FAR, _START):
        # A straight arm can't tell where to bend: later starts are off the middle by chance.
        start = middle + far * half * rng.uniform(-1.0, 1.0, len(half))
        tried = [_reached(replace(arm, flipped=turn), start, spot) for turn in turns]
        found = [one for one in tried if one is not None]
        if found:
            return min(found, key=lambda one: np.abs((np.array(one.home) - middle) / half).max())
    raise InputError("no pose to start from was found that points down: give `home`.", path)


def _reached(arm: FileArm, start: Floats, spot: tuple[float, float, float]) -> FileArm | None:
    """Return the arm with the hand at a spot, pointing down; None when it does not get there."""
    from assay.worlds.moves import Pose
    from assay.worlds.policies._reaching import Reach

    reach = Reach(replace(arm, home=tuple(float(angle) for angle in start)))
    for _ in range(_STEPS):
        reach.towards(Pose(*spot))
    home = tuple(float(angle) for angle in reach.joints)
    return replace(arm, home=home) if reach.off() < _NEAR else None


def _is(joint: Any, kind: str) -> bool:  # noqa: ANN401 - mujoco.MjsJoint
    import mujoco

    return int(joint.type) == int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}"))


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")
