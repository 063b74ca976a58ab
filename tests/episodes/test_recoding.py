"""Pictures that went through a video in memory are those that a reader of its file gets."""

import numpy as np
import pytest

from assay.episodes.lerobot.writing.clip import LIVE, ClipWriter, clip_path
from assay.episodes.recoding import recoded
from assay.episodes.video import VideoFrames


def drawn(count: int = 12, side: int = 64) -> np.ndarray:
    """Return a block that moves over a shaded ground, of shape (count, side, side, 3)."""
    across = np.linspace(60, 180, side, dtype=np.uint8)
    pictures = np.empty((count, side, side, 3), dtype=np.uint8)
    pictures[:] = across[None, :, None]
    for moment, picture in enumerate(pictures):
        picture[20:32, 3 * moment : 3 * moment + 12] = (200, 40, 30)
    return pictures


@pytest.mark.parametrize("side", [64, 48])
def test_a_video_in_memory_and_a_file_show_the_same(tmp_path, side):
    pictures = drawn()
    writer = ClipWriter(tmp_path, "front", 0, 5, len(pictures))
    for picture in pictures:
        writer.add(picture)
    writer.close()
    frames = VideoFrames(clip_path(tmp_path, "front", 0), side=side)
    read = np.stack(list(frames.at(np.arange(len(pictures)) / 5)))
    np.testing.assert_array_equal(recoded(pictures, LIVE, side), read)


def test_a_coarser_video_is_further_from_what_was_drawn():
    name, options = LIVE
    pictures = drawn()
    fine, coarse = (
        np.abs(recoded(pictures, (name, {**options, "crf": crf}), 64).astype(float) - pictures)
        for crf in ("10", "40")
    )
    assert 0.0 < fine.mean() < coarse.mean() < 20.0
