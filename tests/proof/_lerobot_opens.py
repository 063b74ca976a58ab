"""Open with the real lerobot library what our writer wrote, and compare it with what went in.

Runs in an environment of its own, made by `scripts/lerobot_check.sh` (`make test-lerobot`). The
truth is the episodes in memory; our own reader has no part in it.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from assay.episodes.lerobot.writer import LeRobotWriter, Limits
from clips import number_of, numbered
from lerobot_sets import made_episode

LENGTHS = (12, 20, 7, 15)
GREY_LEVELS = 3.0  # mean difference of a frame that lossy coding may make
# Limits so small that every kind of file is followed by another.
CASES = (
    {"codec": "h264", "fps": 30.0, "limits": Limits()},
    {"codec": "h264", "fps": 10.0, "limits": Limits(0.004, 0.002, 2)},
    {"codec": "av1", "fps": 12.5, "limits": Limits()},
)


def main() -> None:
    """Check every case and say what was found."""
    dataset_class = _import_lerobot()
    names = ("lerobot", "torch", "torchcodec", "datasets", "pandas")
    _say(", ".join(f"{name} {version(name)}" for name in names))
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "dataset"
            episodes = [made_episode(i, n, case["fps"]) for i, n in enumerate(LENGTHS)]
            with LeRobotWriter(root, **case) as writer:
                for episode in episodes:
                    writer.add(episode)
            files = len([*root.glob("data/*/*")]), len([*root.glob("videos/*/*/*")])
            worst = _compare(dataset_class("assay/check", root=root), episodes, case["fps"])
        _say(
            f"{case['codec']} at {case['fps']:g} fps, {files[0]} data and {files[1]} video files: "
            f"{len(episodes)} episodes, {sum(LENGTHS)} frames, 2 views; tasks, subtasks, states, "
            f"actions, flags and texts equal; frames within {worst:.2f} grey levels on average"
        )
    _say("OK: lerobot opens what Assay writes.")


def _compare(dataset, episodes, fps: float) -> float:
    """Compare every frame; return the largest mean difference of a picture in grey levels."""
    assert dataset.num_episodes == len(episodes)
    assert len(dataset) == dataset.num_frames == sum(LENGTHS)
    assert dataset.fps == fps
    texts = list(dict.fromkeys(episode.instruction for episode in episodes))
    assert dataset.meta.tasks.index.tolist() == texts
    assert dataset.meta.episodes["length"] == list(LENGTHS)
    _compare_stats(dataset.meta.stats, episodes)
    worst, row = 0.0, 0
    for number, episode in enumerate(episodes):
        for frame in range(LENGTHS[number]):
            item = dataset[row]
            assert item["episode_index"].item() == number
            assert item["frame_index"].item() == frame
            assert item["task"] == episode.instruction
            _compare_signals(item, episode, frame)
            worst = max(worst, *(_difference(item, v, number, frame) for v in ("front", "wrist")))
            row += 1
    return worst


def _compare_signals(item, episode, frame: int) -> None:
    value = {name: series.values[frame] for name, series in episode.signals.items()}
    joined = np.append(value["joint_position"], value["gripper_opening"])
    np.testing.assert_allclose(item["observation.state"].numpy(), joined, rtol=1e-6)
    np.testing.assert_allclose(item["action"].numpy(), value["action"], rtol=1e-6)
    for name in ("ee_position", "force", "progress", "attempts"):
        # Tensors made from Python numbers are float32 whatever the file holds.
        np.testing.assert_allclose(item[f"assay.{name}"].numpy(), value[name], rtol=1e-6)
    assert item["assay.phase"] == value["phase"]
    assert bool(item["assay.contact"]) == value["contact"]
    assert bool(item["next.success"]) == value["success"]
    half = episode.segments[1].start_s
    assert item["subtask"] == ("lift" if item["timestamp"].item() + 1e-4 >= half else "reach")


def _difference(item, view: str, number: int, frame: int) -> float:
    image = item[f"observation.images.{view}"].numpy().transpose(1, 2, 0) * 255
    shown = 1000 * number + (500 if view == "wrist" else 0) + frame
    assert number_of(image) == shown, (view, number, frame, number_of(image))
    difference = float(np.abs(image - numbered(shown)).mean())
    assert difference <= GREY_LEVELS, (view, number, frame, difference)
    return difference


def _compare_stats(stats, episodes) -> None:
    every = np.concatenate([episode.signals["action"].values for episode in episodes])
    np.testing.assert_allclose(stats["action"]["mean"], every.mean(axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(stats["action"]["std"], every.std(axis=0), rtol=1e-5)
    np.testing.assert_allclose(stats["action"]["max"], every.max(axis=0), rtol=1e-6)
    assert stats["observation.images.front"]["mean"].shape == (3, 1, 1)
    assert stats["action"]["count"].tolist() == [len(every)]


def _import_lerobot():
    """Import LeRobotDataset, also where torchvision's compiled part does not fit torch."""
    import torch

    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        # torchvision declares the behaviour of two operators of its compiled part on import.
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        globals()["_kept"] = library  # operators vanish with their library
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    return LeRobotDataset


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
