"""When frames are shown: told by the header where it can be trusted, kept for a while."""

import os

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes import _packets, video
from assay.episodes._containers import opened
from assay.episodes.video import VideoFrames
from clips import cut_file, number_of, write_clip

COUNT = 24
RAGGED = [0.0, 0.01, 0.1, 0.5, 0.51, 0.52, 1.5, 2.0, 3.0, 3.1, 3.15, 4.0]
# Whether the header of the file tells when its frames are shown.
TOLD = {
    "plain": ({}, {}, True),
    "short": ({"gop": 2}, {}, True),
    "ragged": ({"times": RAGGED, "gop": 4}, {}, True),
    "late": ({"times": [2 + i / 10 for i in range(COUNT)]}, {}, True),
    "av1": ({"codec": "av1", "gop": 2}, {}, True),
    "faststart": ({"faststart": True}, {}, True),
    "no-edit-list": ({}, {"use_editlist": "0"}, True),
    "b-frames": ({"bframes": 3}, {}, False),
    "b-frames-no-edit-list": ({"bframes": 3}, {"use_editlist": "0"}, False),
    "b-frames-negative": ({"bframes": 3}, {"movflags": "+negative_cts_offsets"}, False),
    "b-frames-ragged": ({"times": RAGGED, "bframes": 2, "gop": 4}, {}, False),
    "fragments": ({}, {"movflags": "+frag_keyframe+empty_moov"}, False),
}


def remuxed(source, target, options, shift=0):
    """Copy the packets of `source`, shown `shift` ticks earlier, and return the new file."""
    with av.open(str(source)) as read, av.open(str(target), "w", options=options) as written:
        stream = read.streams.video[0]
        copy = written.add_stream_from_template(stream)
        for packet in read.demux(stream):
            if packet.size:
                packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
                packet.stream = copy
                written.mux(packet)
    return target


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    made = {}
    for name, (clip, muxer, _) in TOLD.items():
        made[name] = write_clip(folder / f"{name}-made.mp4", **{"frames": COUNT} | clip)
        if muxer:
            made[name] = remuxed(made[name], folder / f"{name}.mp4", muxer)
    return made


def promised(path, start=None, stop=np.inf):
    with opened(str(path)) as (container, stream):
        return _packets._promised(container, stream, start, stop)


def indexed(path, start_s, end_s):
    with opened(str(path)) as (container, stream):
        found = _packets.index(container, stream, start_s, end_s)
    return {name: np.asarray(getattr(found, name)).tolist() for name in found.__slots__}


@pytest.mark.parametrize("name", TOLD)
def test_the_header_is_trusted_only_where_it_tells_display_times(files, name):
    assert (promised(files[name]) is not None) == TOLD[name][2]


@pytest.mark.parametrize("name", TOLD)
@given(start=st.floats(0, 5), length=st.none() | st.floats(0.01, 5))
def test_header_and_packets_give_the_same_index(files, name, start, length):
    end = None if length is None else start + length
    by_header = indexed(files[name], start, end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_packets, "_promised", lambda *_: None)
        assert by_header == indexed(files[name], start, end)


def test_the_header_of_a_cut_file_is_not_trusted(files, tmp_path):
    assert promised(cut_file(files["faststart"], 0.9, tmp_path / "cut.mp4")) is None


def test_frames_that_an_edit_list_hides_are_not_trusted(files, tmp_path):
    # Shown 5 frames of 512 ticks earlier, the first 5 come before the start.
    assert promised(remuxed(files["plain"], tmp_path / "cut.mp4", {}, shift=5 * 512)) is None


@pytest.fixture
def counted(monkeypatch):
    """Count how often an index is made."""
    made = []
    monkeypatch.setattr(video, "index", lambda *args: made.append(args) or _packets.index(*args))
    video._place.cache_clear()
    return made


def test_a_file_asked_for_its_clock_and_then_its_frames_is_indexed_once(files, counted):
    frames = VideoFrames(str(files["b-frames"]), 0.1, 0.5)
    times = frames.clock()
    assert [number_of(image) for image in frames.at(times)] == list(range(3, 15))
    assert len(VideoFrames(frames.path, 0.1, 0.5).clock()) == 12  # an equal one knows it too
    assert len(counted) == 1
    VideoFrames(frames.path).clock()
    assert len(counted) == 2


def test_a_file_that_has_changed_is_indexed_again(tmp_path, counted):
    path = write_clip(tmp_path / "clip.mp4", frames=4)
    frames = VideoFrames(str(path))
    assert len(frames.clock()) == 4
    write_clip(path, frames=6)
    assert len(frames.clock()) == 6
    # Of the same size, but written later.
    now = path.stat()
    os.utime(path, ns=(now.st_atime_ns, now.st_mtime_ns + 1_000_000))
    assert len(frames.clock()) == 6
    assert len(counted) == 3


def test_only_a_few_indexes_are_kept(files, counted):
    views = [VideoFrames(str(files["plain"]), 0.0, 0.5 + i / 1000) for i in range(video._KEPT + 9)]
    for view in views:
        view.clock()
    assert video._place.cache_info().currsize == video._KEPT
    views[-1].clock()
    assert len(counted) == len(views)
    views[0].clock()
    assert len(counted) == len(views) + 1
