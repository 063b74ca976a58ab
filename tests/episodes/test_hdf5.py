"""HDF5 files of others: nothing outside the file is opened, nothing absurd is read."""

import pickle
import sys

import h5py
import numpy as np
import pytest

from assay.episodes import catalogue
from assay.episodes.encoded_frames import EncodedFrames
from assay.episodes.hdf5.clocks import seconds, stamps
from assay.episodes.hdf5.files import hdf5_files, is_hdf5
from assay.episodes.hdf5.nodes import opened
from assay.episodes.hdf5.pictures import StoredPictures
from assay.episodes.names import natural
from assay.episodes.rotations import in_base, of_euler, of_rotation_vectors, of_wxyz, of_xyzw
from assay.errors import EpisodeError, InputError, MissingExtraError, UnsafePathError
from hdf5_made import Made, write_robomimic


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["hidden"] = np.arange(3.0)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/numbers"] = np.arange(6.0).reshape(3, 2)
        file["text"] = "words"
        file["group/near"] = h5py.SoftLink("numbers")
        file["far"] = h5py.SoftLink("/group/near")
        file["nowhere"] = h5py.SoftLink("/gone")
        file["circle"] = h5py.SoftLink("/circle")
        file["out"] = h5py.ExternalLink("secret.h5", "hidden")
        file["through"] = h5py.SoftLink("/out")
        file.create_dataset("beside", (3,), "f8", external=[(str(tmp_path / "secret.h5"), 0, 24)])
        layout = h5py.VirtualLayout((3,), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "secret.h5"), "hidden", (3,))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("huge", (10**9, 7), "f8", chunks=(1000, 7), compression="gzip")
        file.create_dataset("chunky", (10**9,), "f8", chunks=(2**26,), compression="gzip")
        file["empty"] = h5py.Empty("f8")
        file.attrs["words"] = b"bytes"
    return tmp_path / "a.h5"


def test_links_inside_are_followed(path):
    with opened(path) as root:
        assert root.numbers("far", (3, 2)).tolist() == [[0, 1], [2, 3], [4, 5]]
        assert root.at("group").numbers("near", (None, 2)).shape == (3, 2)
        assert not root.has("nowhere")
        assert (root.text("text"), root.words("words"), root.words("gone")) == (
            "words",
            "bytes",
            "",
        )


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("out", "'out' is a link out of the file or in a circle (secret.h5:hidden)."),
        ("through", "is a link out of the file or in a circle (secret.h5:hidden)."),
        ("circle", "is a link out of the file or in a circle (/circle)."),
        ("beside", "'beside' keeps its data in other files, which are not opened."),
        ("virtual", "'virtual' keeps its data in other files, which are not opened."),
        ("huge", "'huge' has the shape (1000000000, 7), which is too large to read."),
        ("chunky", "'chunky' is stored in chunks of (67108864,), which is too large."),
        ("empty", "'empty' is empty."),
        ("group", "'group' is no array."),
        ("text", "'text' holds object where numbers are due."),
        ("nowhere", "the key 'nowhere' is missing."),
        ("group/number", "the key 'group/number' is missing. Nearest: 'numbers'."),
        ("group/numbers/x", "the key 'group/numbers/x' is missing."),
    ],
)
def test_what_leads_out_or_is_absurd_is_refused_by_name(path, key, words, monkeypatch):
    real, touched = h5py.File, []
    monkeypatch.setattr(
        h5py, "File", lambda name, *a, **k: touched.append(name) or real(name, *a, **k)
    )
    with opened(path) as root, pytest.raises(EpisodeError) as caught:
        root.values(key)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert len(touched) == 1


def test_a_file_that_is_none(tmp_path):
    bad = tmp_path / "a.h5"
    bad.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 100)
    assert is_hdf5(bad)
    assert catalogue.sniff(bad) == []
    with pytest.raises(EpisodeError, match=r"a\.h5: is no HDF5 file that can be read"), opened(bad):
        pass
    assert not is_hdf5(tmp_path)
    assert not is_hdf5(tmp_path / "gone.h5")
    with pytest.raises(InputError, match="no format reads it"):
        list(catalogue.read(bad))


def test_a_heap_that_would_hold_the_library_for_ever_is_refused(tmp_path):
    path = write_robomimic(tmp_path / "a.hdf5")
    data = bytearray(path.read_bytes())
    heap = data.index(b"GCOL\x01")
    with opened(path) as root:
        assert root.at("data").parsed("env_args")["env_name"] == "Lift"
    # The first object follows 16 bytes: its number 0 says free space, and so much: none.
    data[heap + 16 : heap + 32] = bytes(16)
    path.write_bytes(data)
    with opened(path) as root, pytest.raises(EpisodeError, match="a heap of texts is damaged"):
        root.at("data").parsed("env_args")
    with pytest.raises(InputError, match=r"'data@env_args' can't be read .*a heap of texts"):
        list(catalogue.read(path))


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    outside = write_robomimic(tmp_path / "a.hdf5")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/b.hdf5").symlink_to(outside)
    with pytest.raises(UnsafePathError, match=r"runs: the path 'b\.hdf5' leads out of the dataset"):
        list(catalogue.read(tmp_path / "runs"))


def test_a_link_out_in_place_of_everything_is_named(tmp_path, caplog):
    outside = write_robomimic(tmp_path / "a.hdf5")
    with h5py.File(tmp_path / "b.hdf5", "w") as file:
        file["data"] = h5py.ExternalLink("a.hdf5", "data")
    with caplog.at_level("WARNING", logger="assay"):
        assert catalogue.sniff(tmp_path / "b.hdf5") == []
    words = f"'data' is a link out of the file or in a circle ({outside.name}:data)."
    assert caplog.messages == [f"{tmp_path / 'b.hdf5'}: {words}"]


def test_files_come_as_people_count(tmp_path):
    for name in ("ep_10.h5", "ep_2.hdf5", ".hidden.h5", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/ep_1.h5").write_bytes(b"x")
    assert [p.name for p in hdf5_files(tmp_path)] == ["ep_2.hdf5", "ep_10.h5"]
    assert sorted(["b10", "b9", "a", "10", "9"], key=natural) == ["a", "b9", "b10", "9", "10"]


def test_without_h5py_the_hint_says_what_to_install(tmp_path, monkeypatch):
    path = write_robomimic(tmp_path / "a.hdf5")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(
        MissingExtraError, match=r"needs the package 'h5py': pip install 'assay\[formats\]'"
    ):
        catalogue.sniff(path)


def frames_of(tmp_path, count=9, **options):
    made = Made(count=count)
    with h5py.File(tmp_path / "p.h5", "w") as file:
        file.create_dataset("pixels", data=made.images(), **options)
    return made, EncodedFrames(
        StoredPictures(str(tmp_path / "p.h5"), "pixels"), np.arange(count) / 10
    )


@pytest.mark.parametrize("options", [{}, {"chunks": (4, 5, 32, 3), "compression": "gzip"}])
def test_pictures_come_by_time_in_any_layout(tmp_path, options):
    made, frames = frames_of(tmp_path, **options)
    again = pickle.loads(pickle.dumps(frames))
    assert again.key() == frames.key()
    wanted = np.array([0.0, 0.0, 0.15, 0.3, 0.79, 5.0])
    due = [0, 0, 1, 3, 7, 8]  # the last one shown at or before; the last holds
    for image, number in zip(again.at(wanted), due, strict=True):
        np.testing.assert_array_equal(image, made.image(number))


def test_damaged_and_missing_pictures_are_named(tmp_path):
    _, frames = frames_of(tmp_path, chunks=(1, 24, 32, 3), compression="gzip", fletcher32=True)
    data = bytearray((tmp_path / "p.h5").read_bytes())
    with h5py.File(tmp_path / "p.h5") as file:
        chunk = file["pixels"].id.get_chunk_info(4)
    data[chunk.byte_offset + 10] ^= 0xFF
    (tmp_path / "p.h5").write_bytes(data)
    assert len(list(frames.at(np.array([0.0, 0.8])))) == 2
    with pytest.raises(EpisodeError, match=r"p\.h5: 'pixels', picture 4 can't be read"):
        list(frames.at(np.array([0.4])))
    short = EncodedFrames(frames.pictures, np.arange(20) / 10)
    with pytest.raises(EpisodeError, match="'pixels' has no picture 19"):
        list(short.at(np.array([1.9])))


def test_stamps_keep_their_digits_and_must_increase(tmp_path):
    start = 1_700_000_000_123_456_789
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file["ns"] = start + np.array([[0], [33_000_000], [66_000_001]])
        file["back"] = np.array([0.0, 2.0, 1.0])
        file["gap"] = np.array([0.0, np.nan])
    with opened(tmp_path / "c.h5") as root:
        found = stamps(root, "ns")
        np.testing.assert_allclose(
            seconds(root, "ns", found, found[0], 1e9), [0, 0.033, 0.066000001], atol=1e-12
        )
        with pytest.raises(
            EpisodeError, match=r"'back' can't be a clock: in row 2 the time 1\.0 s"
        ):
            seconds(root, "back", stamps(root, "back"), 0.0)
        with pytest.raises(
            EpisodeError, match=r"'gap' can't be a clock: in row 1 the time is missing"
        ):
            seconds(root, "gap", stamps(root, "gap"), 0.0)


def test_rotations_agree():
    # A quarter turn about z, told in four ways.
    half = 0.5**0.5
    due = [[half, 0, 0, half]]
    for found in (
        of_wxyz(np.array(due)),
        of_xyzw(np.array([[0, 0, half, half]])),
        of_rotation_vectors(np.array([[0, 0, np.pi / 2]])),
        of_euler(np.array([[0, 0, np.pi / 2]])),
    ):
        np.testing.assert_allclose(found, due, atol=1e-12)
    # Fixed axes: first about x, then about z. The unit vector y goes to z, and stays there.
    both = of_euler(np.array([[np.pi / 2, 0, np.pi / 2]]))[0]
    np.testing.assert_allclose(both, [0.5, 0.5, 0.5, 0.5], atol=1e-12)
    # A base at (1, 0, 0) that looks along y: the world's (1, 2, 0) lies 2 m ahead of it.
    place, turn = in_base(
        (np.array([1.0, 0, 0]), np.array(due[0])), np.array([[1.0, 2, 0]]), np.array(due)
    )
    np.testing.assert_allclose(place, [[2, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(turn, [[1, 0, 0, 0]], atol=1e-12)
    for bad in (np.zeros((1, 4)), np.array([[np.nan, 0, 0, 0]]), np.array([[2.0, 0, 0, 0]])):
        with pytest.raises(ValueError, match="is no rotation"):
            of_wxyz(bad)
    for convert in (of_euler, of_rotation_vectors):
        with pytest.raises(ValueError, match="not finite"):
            convert(np.array([[np.inf, 0, 0]]))


def test_an_attribute_of_lists_is_named_and_not_read(tmp_path):
    # libhdf5 2.0 dies of a damaged one; texts and numbers are all that formats keep there
    with h5py.File(tmp_path / "a.h5", "w") as file:
        lists = np.empty(1, object)
        lists[0] = np.array([1, 2], np.int32)
        file.attrs.create("lists", lists, dtype=h5py.vlen_dtype(np.int32))
        file.attrs["pair"] = [1, 2]
    with opened(tmp_path / "a.h5") as root:
        assert list(root.attribute("pair")) == [1, 2]
        with pytest.raises(EpisodeError, match="'@lists' holds neither a text nor numbers"):
            root.attribute("lists")
