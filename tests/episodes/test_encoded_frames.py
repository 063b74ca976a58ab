"""Frames that are stored picture by picture."""

import io
import pickle
import struct
import zlib
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from assay.episodes.encoded_frames import EncodedFrames, decode
from assay.errors import EpisodeError, UsageError
from clips import number_of, numbered
from lerobot_sets import png

TIMES = np.arange(5) / 10


@dataclass(frozen=True)
class Listed:
    """Pictures in a list; tells what was asked for."""

    pictures: tuple
    asked: list

    def key(self):
        return "here"

    def read(self, numbers):
        for number in numbers:
            self.asked.append(number)
            yield self.pictures[number]


def frames(pictures=None, times=TIMES):
    return EncodedFrames(Listed(tuple(pictures or (png(n) for n in range(5))), []), times)


def jpeg(number, quality=95, **options):
    file = io.BytesIO()
    Image.fromarray(numbered(number)).save(file, "jpeg", quality=quality, **options)
    return file.getvalue()


def test_pictures_are_taken_by_time_and_decoded_once():
    found = pickle.loads(pickle.dumps(frames()))
    # Shown at 0, 0.1, ...; before the first and after the last the nearest holds.
    wanted = np.array([-1.0, 0.0, 0.05, 0.0999999999, 0.35, 0.35, 9.0])
    assert [number_of(picture) for picture in found.at(wanted)] == [0, 0, 0, 1, 3, 3, 4]
    assert found.pictures.asked == [0, 1, 3, 4]
    assert (found.key(), list(found.clock())) == ("here", list(TIMES))
    assert list(found.at(np.array([]))) == []


def test_every_picture_is_the_callers_own():
    first, second = frames().at(np.array([0.0, 0.0]))
    first[:] = 0
    np.testing.assert_array_equal(second, numbered(0))


def test_arrays_are_taken_as_they_are():
    shown = list(frames([numbered(n) for n in range(5)]).at(TIMES))
    np.testing.assert_array_equal(shown, [numbered(n) for n in range(5)])


@given(st.lists(st.floats(-1, 2), max_size=8).map(sorted), st.integers(1, 5))
def test_the_last_picture_at_or_before_the_time_is_shown(wanted, count):
    shown = frames([png(n) for n in range(count)], TIMES[:count]).at(np.array(wanted))
    for time, picture in zip(wanted, shown, strict=True):
        before = [n for n in range(count) if TIMES[n] <= time + 1e-6]
        assert number_of(picture) == (before[-1] if before else 0)


@pytest.mark.parametrize("times", [[0.1, 0.0], [float("nan")]])
def test_times_must_not_decrease(times):
    with pytest.raises(UsageError, match="here: frames are read forward"):
        frames().at(np.array(times))


def test_a_view_without_pictures_says_so():
    with pytest.raises(EpisodeError, match=r"^here has no frames\.$"):
        frames(times=np.array([])).at(np.array([0.0]))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
def test_pngs_of_every_mode_are_decoded(mode):
    grey = Image.fromarray(numbered(21)).convert("L")
    file = io.BytesIO()
    grey.convert(mode).save(file, "png")
    picture = decode(file.getvalue(), "here")
    assert (picture.shape, picture.dtype, number_of(picture)) == ((48, 64, 3), np.uint8, 21)


@pytest.mark.parametrize("options", [{}, {"subsampling": 0}, {"progressive": True}])
def test_jpegs_are_decoded(options):
    picture = decode(jpeg(21, **options), "here")
    assert np.abs(picture.astype(int) - numbered(21)).mean() < 3


def test_sizes_and_codings_may_change_within_a_view():
    small = io.BytesIO()
    Image.fromarray(numbered(1)[:20, :31]).save(small, "png")
    shown = list(frames([jpeg(0), small.getvalue(), png(2), jpeg(3), png(4)]).at(TIMES))
    assert [p.shape for p in shown] == [(48, 64, 3), (20, 31, 3)] + [(48, 64, 3)] * 3
    np.testing.assert_array_equal(shown[1], numbered(1)[:20, :31])


@pytest.mark.parametrize(
    ("blob", "words"),
    [
        (png(3)[:60], "here: the picture can't be decoded"),
        (jpeg(3)[:-40], "here: the picture is cut off"),
        (b"GIF89a", "here: the bytes are neither PNG nor JPEG"),
        (b"", "here: the bytes are neither"),
    ],
)
def test_a_bad_picture_is_an_error_of_the_episode(blob, words):
    with pytest.raises(EpisodeError, match=words):
        decode(blob, "here")


def test_a_bad_picture_is_named_and_leaves_no_trace():
    pictures = [png(n) for n in range(5)]
    pictures[1] = pictures[1][:60]
    with pytest.raises(EpisodeError, match="here, picture 1: the picture can't be decoded"):
        list(frames(pictures).at(TIMES))
    assert [number_of(p) for p in frames(pictures).at(TIMES[2:])] == [2, 3, 4]


def test_a_forged_size_is_refused_before_anything_is_made_of_it():
    # The header asks for 60,000 x 60,000 pixels, 11 GB of RGB; the data behind it is one row.
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    blob = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(180_001))), (b"IEND", b"")):
        blob += struct.pack(">I", len(data)) + kind + data
        blob += struct.pack(">I", zlib.crc32(kind + data))
    with pytest.raises(EpisodeError, match="here: the picture can't be decoded"):
        decode(blob, "here")
