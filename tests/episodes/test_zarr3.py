"""Zarr replay buffers of format 3: the same episodes, and a coding that is not read is named."""

import json

import numpy as np
import pytest

from assay.episodes import catalogue
from assay.episodes.formats.zarr_buffer import ZarrBuffer
from assay.errors import InputError
from clips import number_of
from formats_made import Made, write_zarr

TWO = [Made.counting(3), Made.counting(4, first=3)]


def numbers(episode):
    frames = episode.views["img"].frames
    return [number_of(picture) for picture in frames.at(frames.clock())]


def coder(kind):
    from zarr import codecs

    made = {"gzip": codecs.GzipCodec, "zstd": codecs.ZstdCodec, "blosc": codecs.BloscCodec}
    return made[kind]() if kind else None


@pytest.mark.parametrize("kind", ["gzip", "zstd", "blosc", None])
@pytest.mark.parametrize("zipped", [False, True])
def test_buffers_of_format_3_are_read(tmp_path, kind, zipped):
    path = tmp_path / ("b.zarr.zip" if zipped else "b.zarr")
    write_zarr(path, TWO, version=3, compressors=coder(kind), zipped=zipped)
    assert catalogue.sniff(path) == ["zarr-buffer"]
    first, second = ZarrBuffer().read(path)
    assert (numbers(first), numbers(second)) == ([0, 1, 2], [3, 4, 5, 6])
    np.testing.assert_array_equal(second.signals["action"].values, TWO[1].traces["action"])
    assert first.extra["unread"] == []


@pytest.mark.parametrize("kind", ["u1", "<i2", ">i4", "<f4", ">f8", "?"])
def test_numbers_of_every_type_come_back(tmp_path, kind):
    values = (np.arange(6).reshape(3, 2) % 2).astype(kind)
    made = Made(TWO[0].frames, {"flags": values})
    (found,) = ZarrBuffer().read(write_zarr(tmp_path / "b.zarr", [made], version=3))
    np.testing.assert_array_equal(found.signals["flags"].values, values)
    assert found.signals["flags"].values.dtype.kind == np.dtype(kind).kind


def test_chunks_may_be_named_as_in_format_2(tmp_path):
    naming = {"name": "v2", "separator": "."}
    path = write_zarr(tmp_path / "b.zarr", TWO, version=3, chunk_key_encoding=naming)
    assert (path / "data/action/0.0").exists()
    assert numbers(next(ZarrBuffer().read(path))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"codecs": [{"name": "sharding_indexed"}]},
            "has the codings sharding_indexed; bytes, then",
        ),
        ({"codecs": [{"name": "bytes"}, {"name": "crc32c"}]}, "has the codings bytes, crc32c"),
        ({"codecs": 5}, "has the codings none"),
        ({"data_type": "string"}, "meta/episode_ends holds 'string', not numbers"),
        ({"chunk_grid": {"name": "odd"}}, "has chunks 'odd' named 'default'"),
        ({"chunk_grid": 5}, "'chunk_grid' of meta/episode_ends is no object"),
        ({"node_type": "group"}, "meta/episode_ends is no array"),
        ({"zarr_format": 4}, "meta/episode_ends/zarr.json is of Zarr format 4; 3 is due"),
        ({"shape": [1 << 50]}, "'shape' of meta/episode_ends"),
    ],
)
def test_what_is_not_read_of_format_3_is_named(tmp_path, changes, words):
    path = write_zarr(tmp_path / "b.zarr", TWO, version=3)
    about = path / "meta/episode_ends/zarr.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | changes))
    with pytest.raises(InputError) as caught:
        list(ZarrBuffer().read(path))
    assert words in str(caught.value)
    assert "b.zarr" in str(caught.value)
