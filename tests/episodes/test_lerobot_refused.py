"""What the LeRobot writer refuses, and how it says so."""

from dataclasses import replace

import numpy as np
import pytest

from assay.episodes.lerobot.writer import LeRobotWriter, write_lerobot
from assay.errors import UnknownNameError, UsageError
from assay.records import Episode, Segment, View
from lerobot_sets import FPS, NumberedFrames, lean_episode


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (lean_episode(1, other=np.ones(3)), "lacks progress and adds other"),
        (lean_episode(1, progress=np.ones((3, 2))), "has type float64 and shape"),
        (
            replace(lean_episode(1), views={"cam": View(NumberedFrames())}),
            "same views: 'e1' adds cam",
        ),
        (replace(lean_episode(1), segments=(Segment("reach", 0, 1),)), "the first one had none"),
    ],
)
def test_episodes_must_be_alike(tmp_path, second, words):
    with pytest.raises(UsageError, match=words):
        write_lerobot(tmp_path / "set", [lean_episode(0), second], fps=FPS)


@pytest.mark.parametrize(
    ("episode", "words"),
    [
        (Episode("e", "task"), "neither signals nor views"),
        (lean_episode(**{"a/b": np.ones(3)}), "signal name 'a/b' can't be stored"),
        (lean_episode(cube=np.ones((3, 2, 2))), r"shape \(3, 2, 2\) can't be stored"),
        (lean_episode(empty=np.ones((3, 0))), r"shape \(3, 0\) can't be stored"),
        (lean_episode(waves=np.ones(3, complex)), "type complex128"),
        (lean_episode(words=np.array([["a"]] * 3)), "must have shape"),
        (lean_episode(success=np.ones(3)), "'success' must be true/false"),
    ],
)
def test_what_cannot_be_stored_is_said(tmp_path, episode, words):
    with pytest.raises(UsageError, match=words):
        write_lerobot(tmp_path / "set", [episode], fps=FPS)


def test_frames_must_keep_their_size(tmp_path):
    def of_size(*size):
        return replace(lean_episode(), views={"cam": View(NumberedFrames(size=size))})

    with pytest.raises(UsageError, match="frames of 32 x 64; the first episode has 48 x 64"):
        write_lerobot(tmp_path / "a", [of_size(64, 48), of_size(64, 32)], fps=FPS)
    with pytest.raises(UsageError, match="av1 needs even sides"):
        write_lerobot(tmp_path / "b", [of_size(65, 65)], fps=FPS, codec="av1")


def test_wrong_use_of_the_writer(tmp_path):
    with pytest.raises(UnknownNameError, match="codec named 'h265'"):
        LeRobotWriter(tmp_path / "set", fps=FPS, codec="h265")
    with pytest.raises(UsageError, match="above 0"):
        LeRobotWriter(tmp_path / "set", fps=0)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    with pytest.raises(UsageError, match="not an empty folder"):
        LeRobotWriter(tmp_path / "full", fps=FPS)
    with pytest.raises(UsageError, match="no episodes"):
        write_lerobot(tmp_path / "none", [], fps=FPS)
