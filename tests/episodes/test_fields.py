"""What the first sample of every format becomes, field by field: a field that moves shows here."""

import runpy
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assay import plugins
from assay.episodes import catalogue

FORMATS = "assay.episodes.formats"
SAMPLES = Path(__file__).parent / "samples"
PANDA = {"ee_position": (3,), "ee_rotation": (4,), "joint_position": (7,), "joint_velocity": (7,)}


@dataclass(frozen=True)
class Due:
    """The fields of an episode; signals with the shape of one sample."""

    id: str
    task: str
    signals: dict = field(default_factory=dict)
    views: tuple = ()
    instruction: str = ""
    policy: str = "policy"
    outcome: bool | None = None
    scene: str | None = None
    segments: tuple = ()


def both(**shapes):
    """Return signals of two arms."""
    return {f"{name}.{arm}": shape for name, shape in shapes.items() for arm in ("left", "right")}


DUE = {
    "agibot-world": Due(
        "327/600",
        "tidy-the-table",
        {
            "action": (16,),
            "head_position": (2,),
            **both(ee_position=(3,), ee_rotation=(4,), gripper_width=(), joint_position=(7,)),
        },
        ("hand_left_color", "head_color"),
        instruction="Tidy the table",
        segments=(("Grasp the cup", "subtask"), ("Put it down", "subtask")),
    ),
    "aloha": Due(
        "episode_2",
        "transfer",
        {
            "action": (14,),
            "effort": (14,),
            **both(gripper_opening=(), joint_position=(6,), joint_velocity=(6,)),
        },
        ("cam_high", "cam_left_wrist"),
    ),
    "curves": Due("e", "k", {"progress": ()}),
    "droid-raw": Due(
        "LAB/success/2023-05-15/Mon_May_15_00:51:0",
        "put-the-cup-away",
        {**PANDA, "action": (8,), "gripper_opening": (), "joint_torque": (7,)},
        ("exterior_1", "wrist"),
        instruction="Put the cup away",
        outcome=True,
        scene="77",
    ),
    "gif": Due("a", "gifs", views=("main",)),
    "lerobot": Due(
        "episode_000000",
        "pick-up-the-red-block",
        {"action": (3,), "next.reward": (), "state": (3,)},
        ("top",),
        instruction="Pick up the red block.",
    ),
    "lerobot-eval": Due("libero-goal-3_0000", "libero-goal-3", views=("main",), outcome=True),
    "lerobot-progress": Due(
        "episode_000000",
        "pick-up-the-red-block",
        {"progress": (), "progress_dense": ()},
        instruction="Pick up the red block.",
    ),
    "maniskill": Due(
        "traj_0",
        "PickCube-v1",
        {
            **PANDA,
            "action": (8,),
            "gripper_opening": (),
            "object.cube.position": (3,),
            "object.cube.rotation": (4,),
            "success": (),
        },
        ("base_camera", "hand_camera"),
        outcome=True,
        scene="PickCube-v1-40",
    ),
    "mcap": Due("a", "runs", views=("camera.front",)),
    "reassemble": Due(
        "2025-01-09-13-59-54",
        "assembly",
        {
            **PANDA,
            "force": (3,),
            "gripper_positions": (2,),
            "joint_torque": (7,),
            "primitive": (),
            "torque": (3,),
        },
        ("hama1", "hand"),
        outcome=True,
        segments=(
            ("Pick gear", "subtask"),
            ("Insert gear", "subtask"),
            ("Grasp", "primitive"),
            ("Lift", "primitive"),
        ),
    ),
    "rh20t": Due(
        "task_0001_user_0016_scene_0001_cfg_0001",
        "press-the-button",
        {
            "ee_position": (3,),
            "ee_rotation": (4,),
            "force": (3,),
            "gripper_width": (),
            "joint": (7,),
            "torque": (3,),
        },
        ("cam_036422060215", "cam_043322070878"),
        instruction="Press the button",
        outcome=True,
    ),
    "rlds": Due("train_000000", "push", {"action": (2,)}, ("image",), instruction="push"),
    "roboarena": Due(
        "s1/A",
        "put-the-cup-on-the-plate",
        {"action": (2,), "joint_position": (7,)},
        ("left", "wrist"),
        instruction="Put the cup on the plate",
        policy="pi0",
        outcome=True,
        scene="s1",
    ),
    "robomimic": Due(
        "demo_0",
        "Lift",
        {**PANDA, "action": (7,), "done": (), "gripper_opening": (), "object": (10,), "reward": ()},
        ("agentview", "robot0_eye_in_hand"),
    ),
    "video-folder": Due("deep/a", "deep", views=("main",)),
    "vla-eval": Due(
        "s0/ep0",
        "pick-up-the-bowl",
        {"action": (2,)},
        ("main",),
        instruction="pick up the bowl",
        policy="Pi0Server",
        outcome=True,
    ),
    "zarr-buffer": Due("episode_000000", "demo", {"action": (2,)}, ("img",)),
}


def test_every_format_says_what_is_due():
    assert sorted(DUE) == plugins.names(FORMATS)


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_every_field_is_where_it_belongs(name, tmp_path):
    samples = runpy.run_path(str(SAMPLES / f"{name.replace('-', '_')}.py"))["make"](tmp_path)
    first = next(catalogue.read(samples[0], trust_pickles=True))
    assert DUE[name] == Due(
        first.id,
        first.task,
        {name: series.values.shape[1:] for name, series in first.signals.items()},
        tuple(sorted(first.views)),
        instruction=first.instruction,
        policy=first.policy,
        outcome=first.outcome,
        scene=first.scene,
        segments=tuple((segment.name, segment.kind) for segment in first.segments),
    )


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_the_documentation_names_every_format(name):
    page = (Path(__file__).parents[2] / "docs/formats/index.md").read_text()
    assert f"`{name}`" in page
