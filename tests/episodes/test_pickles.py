"""Pickles that are trusted: plain values come out as they went in, and nothing else does."""

import io
import pickle
import pickletools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.pickles import load_npy, unpickled
from assay.errors import EpisodeError

NUMBERS = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.booleans()
LEAVES = NUMBERS | st.text(max_size=5) | st.none() | st.binary(max_size=5)
PLAIN = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner)
)


def back(value, protocol=4):
    return unpickled(io.BytesIO(pickle.dumps(value, protocol)))


def saved(path, value):
    held = np.empty((), object)
    held[()] = value
    np.save(path, held, allow_pickle=True)
    return path


@given(PLAIN, st.integers(0, 5))
def test_plain_values_come_back(value, protocol):
    assert back(value, protocol) == value


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("kind", ["f4", ">f8", "i2", "u1", "?", "<U3", "S2"])
def test_arrays_and_numbers_come_back(kind, protocol):
    values = np.arange(6).reshape(2, 3).astype(kind)
    found = back({"a": values, "b": [values[0, 1]], "c": np.asfortranarray(values)}, protocol)
    for name in "ac":
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype
    assert found["b"] == [values[0, 1]]


def test_arrays_within_arrays_come_back(tmp_path):
    steps = [{"action": np.arange(2.0), "time": np.int64(n)} for n in range(3)]
    found = load_npy(saved(tmp_path / "a.npy", steps))
    assert [row["time"] for row in found] == [0, 1, 2]
    np.testing.assert_array_equal(found[2]["action"], [0, 1])
    held = np.empty(3, object)
    held[:] = steps
    np.testing.assert_array_equal(back(held)[1]["action"], [0, 1])


class Asks:
    """Asks for any function when it is unpickled."""

    def __init__(self, function, *arguments):
        self.asked = (function, arguments)

    def __reduce__(self):
        return self.asked


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Fraction(1, 2), "it asks for fractions.Fraction, which is not opened"),
        (Asks(print, "it ran"), "it asks for builtins.print"),
        (np.dtype("f8"), "it holds a type or a function"),
        (np.ndarray, "it holds a type or a function"),
        (Asks(np.dtype, "V8"), "it asks for the type 'V8'"),
        (np.zeros(2, [("a", "f8")]), "it asks for the type 'V8'"),
        (np.array(["2020-01-01"], "M8[D]"), "it asks for the type 'M8'"),
    ],
)
def test_anything_else_is_refused(value, words, capsys):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        back(value)
    assert capsys.readouterr().out == ""


def test_what_a_pickle_says_of_memory_is_not_believed():
    """Numbers that claim to be objects would be followed as pointers."""
    honest = pickletools.optimize(pickle.dumps(np.arange(3.0), 2))
    # The last flags of the type's state, K\x00tb, are 63 for objects: K\x3ftb.
    assert honest.count(b"K\x00tb") == 1
    found = unpickled(io.BytesIO(honest.replace(b"K\x00tb", b"K\x3ftb")))
    assert (found.dtype.hasobject, found.tolist()) == (False, [0.0, 1.0, 2.0])


def test_a_damaged_pickle_is_one_sentence(tmp_path):
    path = saved(tmp_path / "a.npy", {"a": np.arange(3.0)})
    whole = path.read_bytes()
    for cut in (20, 150, len(whole) - 3):
        path.write_bytes(whole[:cut])
        with pytest.raises(EpisodeError, match=r"a\.npy: can't be used"):
            load_npy(path)
