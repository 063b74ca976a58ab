"""What `meta/info.json` of a written LeRobot dataset says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.lerobot.layout import DATA_PATH, PREFIX, VIDEO_PATH
from assay.episodes.lerobot.writing.places import Limits
from assay.episodes.lerobot.writing.plan import Plan

__all__ = ["column_feature", "info_json", "view_feature", "view_key"]


def view_key(name: str) -> str:
    """Return the feature name of a view."""
    return f"observation.images.{name}"


def column_feature(name: str, values: npt.NDArray[Any], plan: Plan) -> dict[str, Any]:
    """Return the entry of one data column."""
    width = 1 if values.ndim == 1 else int(values.shape[1])
    names: list[str] | None = None
    if name == "observation.state":
        names = [
            label
            for part in plan.state
            for label in _labels(part, int(np.prod(plan.signals[part][1], dtype=int)))
        ]
    elif values.ndim > 1:
        names = _labels(name.removeprefix(PREFIX), width)
    dtype = "string" if values.dtype.kind == "U" else values.dtype.name
    return {"dtype": dtype, "shape": [width], "names": names}


def view_feature(size: tuple[int, int], pixels: str, codec: str, fps: float) -> dict[str, Any]:
    """Return the entry of one video."""
    return {
        "dtype": "video",
        "shape": [*size, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": size[0],
            "video.width": size[1],
            "video.codec": codec,
            "video.pix_fmt": pixels,
            "video.is_depth_map": False,
            "video.fps": _plain(fps),
            "video.channels": 3,
            "has_audio": False,
        },
    }


def info_json(
    features: Mapping[str, Any],
    totals: Mapping[str, int],
    fps: float,
    robot_type: str,
    limits: Limits,
) -> dict[str, Any]:
    """Return the whole file.

    Args:
        features: The entries of all columns and videos.
        totals: "total_episodes", "total_frames" and "total_tasks".
        fps: Frames a second.
        robot_type: The robot's name.
        limits: When new files were begun.
    """
    video = any(feature["dtype"] == "video" for feature in features.values())
    return {
        "codebase_version": "v3.0",
        "robot_type": robot_type,
        **totals,
        "chunks_size": limits.chunk_files,
        "data_files_size_in_mb": _plain(limits.data_mb),
        "video_files_size_in_mb": _plain(limits.video_mb),
        "fps": _plain(fps),
        "splits": {"train": f"0:{totals['total_episodes']}"},
        "data_path": DATA_PATH,
        "video_path": VIDEO_PATH if video else None,
        "features": dict(features),
    }


def _labels(name: str, width: int) -> list[str]:
    return [name] if width == 1 else [f"{name}_{i}" for i in range(width)]


def _plain(number: float) -> int | float:
    """Return a whole number as an int, as LeRobot writes it."""
    return int(number) if number == int(number) else number
