"""What browsers play, and the copies written for them."""

import resource

import av
import numpy as np
import pytest

from assay.episodes.playback import playable, write_h264
from assay.episodes.video import VideoFrames, VideoInfo, probe
from assay.errors import EpisodeError, RunError
from clips import cut_file, number_of, write_clip


@pytest.mark.parametrize(
    ("name", "options", "plays"),
    [
        ("a.mp4", {}, True),
        ("a.MP4", {}, True),
        ("a.m4v", {}, True),
        ("a.mov", {}, True),
        ("a.mp4", {"codec": "av1"}, True),
        ("a.mp4", {"codec": "vp9"}, True),
        ("a.webm", {"codec": "vp9"}, True),
        ("a.webm", {"codec": "vp8"}, True),
        ("a.webm", {"codec": "av1"}, True),
        ("a.mp4", {"codec": "mpeg4"}, False),
        ("a.mp4", {"codec": "hevc"}, False),
        ("a.mp4", {"pix_fmt": "yuv420p10le"}, False),
        ("a.mp4", {"pix_fmt": "yuv444p"}, False),
        ("a.avi", {}, False),
        ("a.mkv", {}, False),
        ("a.ts", {}, False),
    ],
)
def test_what_browsers_play(tmp_path, name, options, plays):
    path = write_clip(tmp_path / name, frames=4, **options)
    assert playable(probe(str(path)), str(path)) is plays


def test_a_name_does_not_make_a_container():
    info = VideoInfo("h264", "yuv420p", 64, 48, 30.0, 1.0, container="avi")
    assert not playable(info, "renamed.mp4")


@pytest.mark.parametrize(
    "options",
    [
        {"codec": "mpeg4", "bframes": 2},
        {"codec": "av1", "frames": 40},
        {"times": [0.0, 0.01, 0.1, 0.5, 0.51, 0.52, 1.5, 2.0, 3.0, 3.1], "bframes": 2},
        {"pix_fmt": "yuv444p", "size": (65, 49)},
        {"pix_fmt": "yuv420p10le"},
    ],
    ids=["mpeg4", "av1", "ragged", "odd", "10bit"],
)
def test_a_copy_plays_and_shows_the_same_frames_at_the_same_times(tmp_path, options):
    source = write_clip(tmp_path / "source.mp4", **options)
    copy = tmp_path / "copy.mp4"
    write_h264(VideoFrames(str(source)), copy)
    info = probe(str(copy))
    assert playable(info, str(copy))
    before, after = VideoFrames(str(source)), VideoFrames(str(copy))
    np.testing.assert_allclose(after.clock(), before.clock(), atol=1e-4)
    assert [number_of(i) for i in after.at(after.clock())] == list(range(len(before.clock())))
    # A player trusts the header: it must not end before the last frame.
    assert info.duration_s > before.clock()[-1]


def test_a_range_starts_at_zero(tmp_path):
    source = write_clip(tmp_path / "source.mp4", frames=60, codec="mpeg4")
    copy = tmp_path / "copy.mp4"
    write_h264(
        VideoFrames(str(source), 0.51, 1.0), copy
    )  # frames 16..29; frame 16 is shown at 0.533 s
    frames = VideoFrames(str(copy))
    clock = frames.clock()
    assert [number_of(i) for i in frames.at(clock)] == list(range(16, 30))
    assert clock[0] == 0.0
    np.testing.assert_allclose(clock[1:], np.arange(17, 30) / 30 - 0.51, atol=1e-4)


def test_keyframes_come_every_second_and_the_index_first(tmp_path):
    source = write_clip(tmp_path / "source.mp4", frames=91, codec="mpeg4")
    copy = tmp_path / "copy.mp4"
    write_h264(VideoFrames(str(source)), copy)
    with av.open(str(copy)) as container:
        packets = container.demux(container.streams.video[0])
        keys = [float(p.pts * p.time_base) for p in packets if p.is_keyframe]
    assert {0.0, 1.0, 2.0, 3.0} <= set(keys)  # more where the picture changes
    data = copy.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_the_same_input_gives_the_same_bytes_without_versions_of_the_muxer(tmp_path):
    source = write_clip(tmp_path / "source.mp4", codec="av1", size=(128, 96))
    first, second = tmp_path / "first.mp4", tmp_path / "second.mp4"
    write_h264(VideoFrames(str(source)), first)
    write_h264(VideoFrames(str(source)), second)
    assert first.read_bytes() == second.read_bytes()
    assert b"Lavf" not in first.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["first.mp4", "second.mp4", "source.mp4"]


@pytest.mark.parametrize(
    ("size", "max_side", "expected"),
    [
        ((320, 240), 160, (160, 120)),
        ((240, 320), 160, (120, 160)),
        ((320, 240), 640, (320, 240)),  # never enlarged
        ((322, 100), 161, (160, 50)),  # 161 x 50, made even
    ],
)
def test_sides_are_bounded_and_even(tmp_path, size, max_side, expected):
    source = write_clip(tmp_path / "source.mp4", frames=3, size=size)
    write_h264(VideoFrames(str(source)), tmp_path / "copy.mp4", max_side=max_side)
    info = probe(str(tmp_path / "copy.mp4"))
    assert (info.width, info.height) == expected


def test_one_frame(tmp_path):
    source = write_clip(tmp_path / "source.mp4", frames=1)
    write_h264(VideoFrames(str(source)), tmp_path / "copy.mp4")
    assert VideoFrames(str(tmp_path / "copy.mp4")).clock().tolist() == [0.0]


def test_a_cut_source_leaves_nothing_behind(tmp_path):
    whole = write_clip(tmp_path / "whole.mp4", frames=90, faststart=True)
    cut = cut_file(whole, 0.6, tmp_path / "cut.mp4")
    with pytest.raises(EpisodeError, match="ends early"):
        write_h264(VideoFrames(str(cut)), tmp_path / "copy.mp4")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cut.mp4", "whole.mp4"]


def test_a_place_that_can_not_be_written(tmp_path):
    source = write_clip(tmp_path / "source.mp4", frames=3)
    with pytest.raises(RunError, match=r"copy\.mp4 can't be written \(No such file"):
        write_h264(VideoFrames(str(source)), tmp_path / "nowhere" / "copy.mp4")


def test_a_full_disk(tmp_path):
    source = write_clip(tmp_path / "source.mp4", frames=90, size=(320, 240))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(RunError, match=r"copy\.mp4 can't be written \(File too large"):
            write_h264(VideoFrames(str(source)), tmp_path / "copy.mp4")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [p.name for p in tmp_path.iterdir()] == ["source.mp4"]
