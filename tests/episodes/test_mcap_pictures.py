"""Raw pictures and video in MCAP files: read as views, and a form that is not read is named."""

import numpy as np
import pytest

from assay.episodes.formats.mcap import Mcap
from assay.errors import EpisodeError
from clips import number_of
from formats_made import Made
from mcap_made import write_foxglove_raw, write_foxglove_video, write_ros2_raw

RAW = [(write_foxglove_raw, "camera.raw"), (write_ros2_raw, "front.image_raw")]


def coloured(count):
    """Return an episode whose pictures have a number, and a colour that tells red from blue."""
    made = Made.counting(count)
    made.frames[:, :8, :8] = (250, 120, 10)
    return made


def shown(view, times=None):
    return list(view.frames.at(view.frames.clock() if times is None else np.array(times)))


@pytest.mark.parametrize(("write", "name"), RAW)
@pytest.mark.parametrize("encoding", ["rgb8", "bgr8", "mono8"])
@pytest.mark.parametrize("padding", [0, 5])
def test_raw_pictures_come_back_to_the_pixel(tmp_path, write, name, encoding, padding):
    made = coloured(3)
    (found,) = Mcap().read(write(tmp_path / "a.mcap", made, encoding=encoding, padding=padding))
    assert list(found.views) == [name]
    due = made.frames[:, :, :, :1].repeat(3, axis=3) if encoding == "mono8" else made.frames
    np.testing.assert_array_equal(np.stack(shown(found.views[name])), due)
    np.testing.assert_allclose(found.views[name].frames.clock(), [0, 0.1, 0.2], atol=1e-3)


@pytest.mark.parametrize(("write", "name"), RAW)
def test_pixels_of_another_form_are_listed(tmp_path, write, name):
    (found,) = Mcap().read(write(tmp_path / "a.mcap", Made.counting(2), encoding="16UC1"))
    assert found.views == {}
    (topic,) = found.extra["unread"]
    assert topic.strip("/").replace("/", ".") == f"{name} (16UC1)"


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"step": 10}, "a picture of 64 x 48 pixels has rows of 10 bytes"),
        ({"data": b"123"}, "a picture has 3 bytes where 9216 are due"),
        ({"width": 2**31, "height": 2**31}, "pixels has rows of"),
    ],
)
def test_sizes_that_cannot_be_true_are_refused(tmp_path, monkeypatch, edit, words):
    import mcap_made

    whole = mcap_made._raw
    monkeypatch.setattr(mcap_made, "_raw", lambda *about: whole(*about) | edit)
    (found,) = Mcap().read(write_foxglove_raw(tmp_path / "a.mcap", Made.counting(2)))
    with pytest.raises(EpisodeError, match=words) as caught:
        shown(found.views["camera.raw"])
    assert "a.mcap[/camera/raw]" in str(caught.value)


def test_video_is_a_view_and_any_picture_can_be_asked_for(tmp_path):
    (found,) = Mcap().read(write_foxglove_video(tmp_path / "a.mcap", Made.counting(11)))
    view = found.views["camera.video"]
    np.testing.assert_allclose(view.frames.clock(), np.arange(11) / 10, atol=1e-3)
    assert [number_of(picture) for picture in shown(view)] == list(range(11))
    # Keyframes are 0, 4 and 8: 2 and 3 lie in one stretch, 9 and 10 in another.
    assert [number_of(p) for p in shown(view, [0.2, 0.3, 0.3, 0.9, 1.0])] == [2, 3, 3, 9, 10]
    assert [number_of(p) for p in shown(view, [0.7])] == [7]


def test_video_that_begins_within_a_stretch(tmp_path):
    path = write_foxglove_video(tmp_path / "a.mcap", Made.counting(8), first=2)
    (found,) = Mcap().read(path)
    view = found.views["camera.video"]
    assert [number_of(p) for p in shown(view, [0.2, 0.3])] == [4, 5]
    with pytest.raises(EpisodeError, match="no keyframe comes before picture 0") as caught:
        shown(view, [0.0])
    assert "a.mcap[/camera/video]" in str(caught.value)


def test_video_of_another_form_is_listed(tmp_path):
    path = write_foxglove_video(tmp_path / "a.mcap", Made.counting(2), form="h265")
    (found,) = Mcap().read(path)
    assert (found.views, found.extra["unread"]) == ({}, ["/camera/video (h265)"])
