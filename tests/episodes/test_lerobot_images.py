"""Pictures that are stored in the rows of a LeRobot dataset."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from assay.episodes.formats.lerobot import LeRobot
from assay.errors import EpisodeError, UnsafePathError
from clips import number_of, numbered
from lerobot_sets import FPS, LENGTHS, edit_info, first_number, png, write_v21, write_v30

KIND = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def with_pictures(write, root, cell=lambda number: {"bytes": png(number), "path": None}, kind=KIND):
    """Write a dataset whose camera is a column of pictures."""

    def extra(episode):
        first = first_number(episode)
        cells = [cell(first + k) for k in range(LENGTHS[episode])]
        return {"observation.images.top": pa.array(cells, kind)}

    write(root, videos=False, extra=extra)
    features = edit_info(root)["features"]
    features["observation.images.top"] = {
        "dtype": "image",
        "shape": [3, 48, 64],
        "names": ["channel", "height", "width"],
    }
    edit_info(root, features=features)
    return list(LeRobot().read(root))


@pytest.mark.parametrize("write", [write_v21, write_v30])
def test_every_episode_gets_its_own_pictures(tmp_path, write):
    for number, episode in enumerate(with_pictures(write, tmp_path / "set")):
        frames = pickle.loads(pickle.dumps(episode.views["top"].frames))
        first, count = first_number(number), LENGTHS[number]
        np.testing.assert_array_equal(frames.clock(), np.arange(count) / FPS)
        found = list(frames.at(frames.clock()))
        assert [number_of(picture) for picture in found] == list(range(first, first + count))
        np.testing.assert_array_equal(found[2], numbered(first + 2))  # PNG loses nothing


def test_a_key_tells_file_column_and_rows(tmp_path):
    root = tmp_path / "set"
    # Three episodes of 6, 9 and 4 frames follow each other in one file.
    assert [e.views["top"].frames.key() for e in with_pictures(write_v30, root)] == [
        f"{root}/data/chunk-000/file-000.parquet[observation.images.top]{rows}"
        for rows in ("[0:6]", "[6:15]", "[15:19]")
    ]


def test_pictures_are_taken_by_time(tmp_path):
    frames = with_pictures(write_v30, tmp_path / "set")[1].views["top"].frames
    # Frames 6.. are shown at 0, 0.1, ...; before the first and after the last the nearest holds.
    wanted = np.array([-1.0, 0.0, 0.05, 0.0999999999, 0.35, 0.35, 9.0])
    assert [number_of(picture) for picture in frames.at(wanted)] == [6, 6, 6, 7, 9, 9, 14]
    assert list(frames.at(np.array([]))) == []


def test_an_episode_holds_no_pictures(tmp_path):
    episode = with_pictures(write_v30, tmp_path / "set")[1]
    assert "observation.images.top" not in episode.signals
    assert b"PNG" not in pickle.dumps(episode)


def test_a_cell_may_be_bytes_alone(tmp_path):
    found = with_pictures(write_v21, tmp_path / "set", cell=png, kind=pa.binary())
    assert number_of(next(found[2].views["top"].frames.at(np.array([0.1])))) == 16


def test_a_cell_may_name_a_file(tmp_path):
    root = tmp_path / "set"
    (root / "images").mkdir(parents=True)
    for number in range(sum(LENGTHS)):
        (root / f"images/{number}.png").write_bytes(png(number))
    found = with_pictures(
        write_v21, root, cell=lambda n: {"bytes": None, "path": f"images/{n}.png"}
    )
    assert number_of(next(found[1].views["top"].frames.at(np.array([0.0])))) == 6
    (root / "images/7.png").unlink()
    with pytest.raises(EpisodeError, match=r"7\.png is missing"):
        list(found[1].views["top"].frames.at(np.array([0.1])))


def test_a_named_file_stays_inside(tmp_path):
    found = with_pictures(
        write_v21, tmp_path / "set", cell=lambda n: {"bytes": None, "path": "../x.png"}
    )
    with pytest.raises(UnsafePathError, match=r"\.\./x\.png"):
        next(found[0].views["top"].frames.at(np.array([0.0])))


@pytest.mark.parametrize(
    "cell", [None, {"bytes": b"", "path": None}, {"bytes": b"GIF89a", "path": ""}]
)
def test_a_cell_without_a_picture_says_so(tmp_path, cell):
    found = with_pictures(write_v21, tmp_path / "set", cell=lambda n: cell)
    with pytest.raises(EpisodeError, match=r"episode_000000.parquet.*picture 0"):
        next(found[0].views["top"].frames.at(np.array([0.0])))
