"""Frames by time: the right frame, whatever the coding; every fault a sentence."""

import pickle
import subprocess
import sys

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.episodes._decoding import Decoding
from assay.episodes._packets import Index
from assay.episodes.video import VideoFrames, probe
from assay.errors import EpisodeError, UsageError
from clips import cut_file, number_of, write_clip

COUNT = 48
RAGGED = [0.0, 0.01, 0.1, 0.5, 0.51, 0.52, 1.5, 2.0, 3.0, 3.1, 3.15, 4.0, 4.04, 4.08, 6.0]
KINDS = {
    "h264": {"suffix": ".mp4", "frames": COUNT},
    "h264-b": {"suffix": ".mp4", "frames": COUNT, "bframes": 3},
    "h264-long": {"suffix": ".mp4", "frames": COUNT, "bframes": 3, "gop": 250},
    "h264-short": {"suffix": ".mp4", "frames": COUNT, "gop": 2},
    "h264-short-b": {"suffix": ".mp4", "frames": COUNT, "gop": 2, "bframes": 2},
    "h264-open": {
        "suffix": ".mkv",
        "frames": COUNT,
        "bframes": 3,
        "options": {"x264-params": "open-gop=1:b-adapt=0"},
    },
    "h264-ragged": {"suffix": ".mp4", "times": RAGGED, "bframes": 2, "gop": 4},
    "h264-late": {"suffix": ".mp4", "times": [2 + i / 10 for i in range(COUNT)]},
    "h264-ts": {"suffix": ".ts", "frames": COUNT, "bframes": 2},
    "h264-avi": {"suffix": ".avi", "frames": COUNT, "bframes": 3},
    "h264-raw": {"suffix": ".h264", "frames": COUNT, "bframes": 2},
    "h264-10bit": {"suffix": ".mp4", "frames": COUNT, "pix_fmt": "yuv420p10le"},
    "h264-444-odd": {"suffix": ".mp4", "frames": COUNT, "pix_fmt": "yuv444p", "size": (65, 49)},
    "h264-grey": {"suffix": ".mp4", "frames": COUNT, "pix_fmt": "gray"},
    "hevc-b": {"suffix": ".mp4", "frames": COUNT, "codec": "hevc", "bframes": 3},
    "av1": {"suffix": ".mp4", "frames": COUNT, "codec": "av1"},
    "av1-long": {"suffix": ".mp4", "frames": COUNT, "codec": "av1", "gop": 250},
    "av1-short": {"suffix": ".mp4", "frames": COUNT, "codec": "av1", "gop": 2},
    "vp9": {"suffix": ".webm", "frames": COUNT, "codec": "vp9"},
    "vp9-ragged": {"suffix": ".webm", "times": RAGGED, "codec": "vp9"},
    "vp8": {"suffix": ".webm", "frames": COUNT, "codec": "vp8"},
    "mpeg4-b": {"suffix": ".mp4", "frames": COUNT, "codec": "mpeg4", "bframes": 2},
    "mpeg4-avi": {"suffix": ".avi", "frames": COUNT, "codec": "mpeg4"},
    "mjpeg-avi": {"suffix": ".avi", "frames": COUNT, "codec": "mjpeg", "pix_fmt": "yuvj420p"},
}


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return {
        name: write_clip(
            folder / f"{name}{kind['suffix']}", **{k: v for k, v in kind.items() if k != "suffix"}
        )
        for name, kind in KINDS.items()
    }


def numbers(frames, times):
    return [number_of(image) for image in frames.at(np.asarray(times, float))]


def full_decode(path):
    """Decode everything with plain PyAV: the pictures in the order they are shown."""
    with av.open(str(path)) as container:
        return [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]


@pytest.mark.parametrize("name", KINDS)
def test_every_frame_is_shown_at_its_time(clips, name):
    frames = VideoFrames(str(clips[name]))
    clock = frames.clock()
    # A late start is moved to 0; Matroska keeps milliseconds.
    wanted = KINDS[name].get("times", [i / 30 for i in range(COUNT)])
    np.testing.assert_allclose(clock, np.array(wanted) - wanted[0], atol=1e-3)
    assert numbers(frames, clock) == list(range(len(clock)))


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=settings().max_examples // 4)  # of each of the kinds
@given(data=st.data())
def test_any_times_give_the_frames_of_a_full_decode(clips, name, data):
    path = clips[name]
    frames = VideoFrames(str(path))
    clock = frames.clock()
    times = sorted(data.draw(st.lists(st.floats(-1, 7), max_size=8)))
    # The last frame shown at or before the time, 1 ms forgiven; the first one before all.
    expected = [max(int(np.sum(clock <= t + 1e-3)) - 1, 0) for t in times]
    assert numbers(frames, times) == expected


@pytest.mark.parametrize("name", ["h264-b", "av1-short", "h264-444-odd", "mjpeg-avi"])
def test_pixels_are_those_of_a_full_decode(clips, name):
    reference = full_decode(clips[name])
    picked = [0, 7, 8, 30, 47]
    frames = VideoFrames(str(clips[name]))
    for number, image in zip(picked, frames.at(frames.clock()[picked]), strict=True):
        assert image.dtype == np.uint8
        assert image.flags.c_contiguous
        np.testing.assert_array_equal(image, reference[number])


@pytest.mark.parametrize("name", ["h264-b", "h264-short-b", "av1", "h264-ts", "h264-avi"])
def test_a_range_has_its_own_zero(clips, name):
    # 48 frames at 30 a second: frames 15..29 are shown in [0.5, 1.0) of the file's timeline.
    offset = 2 / 30 if name == "h264-ts" else 0.0  # its timeline starts at the reordering delay
    frames = VideoFrames(str(clips[name]), 0.5 + offset, 1.0 + offset)
    np.testing.assert_allclose(frames.clock(), np.arange(15) / 30, atol=1e-4)
    assert numbers(frames, frames.clock()) == list(range(15, 30))
    assert numbers(frames, [-1.0, 0.0, 0.2, 0.2, 9.0]) == [15, 15, 21, 21, 29]


def test_a_range_forgives_rounding_at_both_ends(clips):
    frames = VideoFrames(str(clips["h264"]), 0.5000004, 0.9999996)
    assert numbers(frames, frames.clock()) == list(range(15, 30))
    assert frames.clock()[0] == 0.0


def test_ranges_that_share_a_file_split_it_without_gap_or_overlap(clips):
    path = str(clips["h264-long"])
    parts = [VideoFrames(path, i / 10, (i + 1) / 10) for i in range(16)]
    assert [n for p in parts for n in numbers(p, p.clock())] == list(range(COUNT))


def test_a_late_file_starts_at_its_first_frame_but_ranges_use_its_timeline(clips):
    path = str(clips["h264-late"])  # frames at 2.0, 2.1, ... s
    assert numbers(VideoFrames(path), [0.0, 1.0]) == [0, 10]
    assert numbers(VideoFrames(path, 3.0, 4.0), [0.0, 0.5]) == [10, 15]


def test_frames_cut_by_an_edit_list_are_not_there(clips, tmp_path):
    # Copying packets from the middle keeps the lead-in of the first GOP; negative display times
    # make the muxer write an edit list that hides it.
    cut = tmp_path / "cut.mp4"
    with av.open(str(clips["h264"])) as source, av.open(str(cut), "w") as target:
        stream = source.streams.video[0]
        copy = target.add_stream_from_template(stream)
        for packet in source.demux(stream):
            if packet.size:
                packet.pts -= 5 * 512
                packet.dts -= 5 * 512
                packet.stream = copy
                target.mux(packet)
    frames = VideoFrames(str(cut))
    assert len(frames.clock()) == COUNT - 5
    assert numbers(frames, frames.clock()) == list(range(5, COUNT))


def test_a_turned_camera_is_set_upright(tmp_path):
    plain = write_clip(tmp_path / "plain.mp4", frames=3)
    turned = write_clip(tmp_path / "turned.mp4", frames=3, rotation=90)
    upright = [np.rot90(image) for image in VideoFrames(str(plain)).at(np.zeros(1))]
    got = list(VideoFrames(str(turned)).at(np.zeros(1)))
    assert got[0].shape == (64, 48, 3)
    np.testing.assert_array_equal(got, upright)


def test_a_frame_wanted_twice_is_two_arrays(clips):
    first, second = VideoFrames(str(clips["h264"])).at(np.array([0.5, 0.5]))
    first[:] = 0
    assert number_of(second) == 15


def test_no_times_give_no_frames_and_open_nothing():
    assert list(VideoFrames("nowhere.mp4").at(np.empty(0))) == []


@pytest.mark.parametrize("times", [[1.0, 0.5], [0.0, float("nan")]])
def test_times_must_not_decrease(clips, times):
    with pytest.raises(UsageError, match="must not decrease"):
        VideoFrames(str(clips["h264"])).at(np.array(times))


def test_a_key_tells_the_file_and_the_range():
    spans = [(), (0.5,), (0.5, 1.0), (0.0, 1.0)]
    keys = [VideoFrames(path, *span).key() for path in ("a.mp4", "b.mp4") for span in spans]
    assert keys[:4] == ["a.mp4[0.0:]", "a.mp4[0.5:]", "a.mp4[0.5:1.0]", "a.mp4[0.0:1.0]"]
    assert len(set(keys)) == 8


def test_pickles_are_the_arguments_alone(clips):
    frames = VideoFrames(str(clips["av1"]), 0.5, 1.0)
    fresh = pickle.dumps(frames)
    clock = frames.clock()
    assert pickle.dumps(frames) == fresh
    again = pickle.loads(fresh)
    assert again == frames
    assert hash(again) == hash(frames)
    np.testing.assert_array_equal(again.clock(), clock)


@pytest.mark.parametrize(
    ("wanted", "runs"),
    [
        ([0, 5, 11], [(0, [0, 5, 11])]),  # one GOP
        ([11, 12], [(0, [11, 12])]),  # the next frame is the keyframe: nothing to leap over
        ([10, 12], [(0, [10]), (1, [12])]),  # frame 11 is leapt over
        ([5, 13, 40, 41], [(0, [5]), (1, [13]), (3, [40, 41])]),
        ([47], [(3, [47])]),
    ],
)
def test_seeks_happen_only_where_they_save_decoding(wanted, runs):
    # Keyframes at 0, 12, 24 and 36 of 48 frames.
    keys = np.array([0, 12, 24, 36])
    where = Index(np.arange(48) * 512, 48, keys, keys * 512, keys * 512, 1 / 15360)
    found = Decoding("clip.mp4", where, np.array(wanted))._runs()
    assert [(key, run.tolist()) for key, run in found] == runs


def test_memory_does_not_grow_with_the_number_of_frames(tmp_path):
    # 150 frames of 640 x 480 held as RGB would be 138 MB more than 10. The peak is asked of the
    # process's own memory: `ru_maxrss` would count that of the process it was made from too.
    code = (
        "import re, sys\n"
        "from assay.episodes.video import VideoFrames\n"
        "f = VideoFrames(sys.argv[1])\n"
        "n = sum(1 for _ in f.at(f.clock()))\n"
        "print(n, *re.findall(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read()))\n"
    )
    peak = {}
    for count in (10, 150):
        path = write_clip(tmp_path / f"{count}.mp4", frames=count, size=(640, 480), gop=250)
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        )
        frames, peak[count] = map(int, done.stdout.split())
        assert frames == count
    assert peak[150] - peak[10] < 20_000  # kB


def test_missing_file():
    with pytest.raises(EpisodeError, match=r"nowhere\.mp4 does not exist"):
        VideoFrames("nowhere.mp4").clock()


def test_folder(tmp_path):
    with pytest.raises(EpisodeError, match="is not a file"):
        VideoFrames(str(tmp_path)).clock()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", r"is empty \(0 bytes\)"),
        (b"hello world\n" * 1000, "can't be read as a video"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n", "can't be read as a video"),
        (b"ffconcat version 1.0\nfile clip.mp4\n", "can't be read as a video"),
    ],
)
def test_what_is_no_video(tmp_path, data, found):
    path = tmp_path / "clip.txt"
    path.write_bytes(data)
    for ask in (probe, lambda p: VideoFrames(p).clock(), lambda p: list(VideoFrames(p).at([0.0]))):
        with pytest.raises(EpisodeError, match=found) as caught:
            ask(str(path))
        assert str(path) in str(caught.value)
        assert caught.value.status == "missing_frame"


def test_sound_without_pictures(tmp_path):
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000)
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        sound.sample_rate = 8000
        container.mux(stream.encode(sound))
        container.mux(stream.encode(None))
    with pytest.raises(EpisodeError, match="has no video stream"):
        VideoFrames(str(path)).clock()


def test_recording_that_was_cut_off_before_its_index(clips, tmp_path):
    path = cut_file(clips["h264"], 0.5, tmp_path / "cut.mp4")
    with pytest.raises(EpisodeError, match=r"its index \(moov\) is missing"):
        VideoFrames(str(path)).clock()


CUT = {
    "mp4": {"suffix": ".mp4", "faststart": True},
    "mp4-b": {"suffix": ".mp4", "faststart": True, "bframes": 3},
    "av1": {"suffix": ".mp4", "faststart": True, "codec": "av1"},
    "mkv": {"suffix": ".mkv"},
    "webm": {"suffix": ".webm", "codec": "vp9"},
    "avi": {"suffix": ".avi", "bframes": 2},
}


@pytest.mark.parametrize("kind", CUT.values(), ids=CUT)
def test_a_file_cut_in_the_middle_gives_its_good_frames_then_says_so(tmp_path, kind):
    options = {k: v for k, v in kind.items() if k != "suffix"}
    whole = write_clip(tmp_path / f"whole{kind['suffix']}", frames=120, **options)
    frames = VideoFrames(str(cut_file(whole, 0.6, tmp_path / f"cut{kind['suffix']}")))
    # The episode is as long as it was: a cut must not pass for a shorter episode.
    clock = frames.clock()
    np.testing.assert_allclose(clock, np.arange(120) / 30, atol=2e-3)
    got = []
    with pytest.raises(EpisodeError, match=r"ends early: \d+ of 120 frames could be decoded"):
        got.extend(number_of(image) for image in frames.at(clock))
    assert 30 < len(got) < 110
    assert got == list(range(len(got)))
    # What is asked of the good part alone is given.
    assert numbers(frames, clock[:20]) == list(range(20))


def test_a_file_with_its_index_and_nothing_else(tmp_path):
    whole = write_clip(tmp_path / "whole.mp4", frames=30, faststart=True)
    data = whole.read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: data.index(b"mdat") + 4])
    with pytest.raises(EpisodeError, match="ends early: 0 of 30 frames"):
        list(VideoFrames(str(cut)).at(np.zeros(1)))


def test_damage_in_the_middle_stops_at_the_damage(tmp_path):
    path = write_clip(tmp_path / "clip.mp4", frames=60, gop=60, size=(320, 240))
    data = bytearray(path.read_bytes())
    start = data.index(b"mdat") + 4
    middle = (start + len(data)) // 2
    data[middle : middle + 2000] = bytes(2000)
    path.write_bytes(data)
    got = []
    frames = VideoFrames(str(path))
    with pytest.raises(EpisodeError, match=r"the frame at \d\.\d+ s can't be decoded"):
        got.extend(number_of(image) for image in frames.at(frames.clock()))
    assert 0 < len(got) < 60
    assert got == list(range(len(got)))


@pytest.mark.parametrize("span", [(5.0, None), (5.0, 6.0), (0.5, 0.5), (1.0, 0.5)])
def test_a_range_without_frames(clips, span):
    with pytest.raises(EpisodeError, match=r"has no frame from .* to"):
        VideoFrames(str(clips["h264"]), *span).clock()


def test_faults_leave_stderr_silent(tmp_path):
    whole = write_clip(tmp_path / "whole.mp4", frames=60, faststart=True, bframes=2)
    cut = cut_file(whole, 0.6, tmp_path / "cut.mp4")
    (tmp_path / "text.mp4").write_text("no video")
    code = (
        "import sys\n"
        "from assay.episodes.video import VideoFrames\n"
        "from assay.errors import EpisodeError\n"
        "for path in sys.argv[1:]:\n"
        "    try:\n"
        "        f = VideoFrames(path); print(len(list(f.at(f.clock()))))\n"
        "    except EpisodeError as error:\n"
        "        print(error.status)\n"
    )
    paths = [str(whole), str(cut), str(tmp_path / "text.mp4")]
    done = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["60", "missing_frame", "missing_frame"]


@pytest.mark.parametrize("name", ["h264-b", "av1-short", "vp9", "h264-avi", "h264-ts"])
def test_probe(clips, name):
    info = probe(str(clips[name]))
    kind = KINDS[name]
    assert info.codec == kind.get("codec", "h264")
    assert (info.width, info.height, info.pix_fmt) == (64, 48, "yuv420p")
    assert info.fps == pytest.approx(30, rel=1e-3)
    assert info.duration_s == pytest.approx(COUNT / 30, abs=2e-3)


def test_probe_reads_no_further_than_the_header(tmp_path):
    whole = write_clip(tmp_path / "whole.webm", codec="vp9", frames=60)
    cut = cut_file(whole, 0.5, tmp_path / "cut.webm")
    assert probe(str(cut)) == probe(str(whole))


@pytest.mark.parametrize("faststart", [False, True])
def test_a_file_cut_anywhere_is_a_fault_of_its_episode(tmp_path, faststart):
    whole = write_clip(tmp_path / "whole.mp4", frames=12, faststart=faststart)
    data = whole.read_bytes()
    cut = tmp_path / "cut.mp4"
    for size in range(0, len(data) - 1, 61):
        cut.write_bytes(data[:size])
        shown, fault = shown_until_fault(cut)
        assert str(cut) in fault if fault else shown == list(range(12))


def shown_until_fault(path):
    """Return the numbers of all frames, or None and the sentence that says why not."""
    frames = VideoFrames(str(path))
    try:
        return [number_of(image) for image in frames.at(frames.clock())], ""
    except EpisodeError as error:
        return None, str(error)
