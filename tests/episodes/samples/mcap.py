"""Paths that the format of MCAP files must claim."""

import numpy as np

from formats_made import Made, write_foxglove, write_ros2
from mcap_made import write_foxglove_raw, write_foxglove_video, write_ros2_raw


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    (root / "runs").mkdir()
    file = write_foxglove(root / "runs/a.mcap", Made.counting(3))
    joints = np.arange(6.0).reshape(3, 2)
    ros2 = write_ros2(root / "ros2.mcap", Made.counting(3, qpos=joints, qvel=-joints))
    (root / "others").mkdir()
    raw = write_foxglove_raw(root / "others/raw.mcap", Made.counting(2))
    video = write_foxglove_video(root / "others/video.mcap", Made.counting(3))
    image = write_ros2_raw(root / "others/image.mcap", Made.counting(2))
    return [root / "runs", file, ros2, raw, video, image]
