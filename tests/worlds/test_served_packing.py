"""The bytes of openpi's msgpack: derived by hand, and read back whatever a server sends."""

from __future__ import annotations

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from assay.worlds.policies._served.packing import pack, unpack

# From the specification of msgpack: 0x80 + n begins a map of n entries, 0xa0 + n a text of n bytes,
# 0xc4 n bytes of which there are n, 0x90 + n a list of n; 0xc3 is true, 0xcb a number of 8 bytes,
# and 0x00 to 0x7f are themselves. openpi's keys are bytes, and its maps have this order.
BYTES = b"".join(
    [
        b"\x82",
        b"\xa6prompt",
        b"\xa4lift",
        b"\xb1observation/state",
        b"\x84",
        b"\xc4\x0b__ndarray__" + b"\xc3",
        # 1.0 is sign 0, exponent 127, fraction 0: 0x3f800000; 0.5 has exponent 126: 0x3f000000
        b"\xc4\x04data" + b"\xc4\x08\x00\x00\x80\x3f\x00\x00\x00\x3f",
        b"\xc4\x05dtype" + b"\xa3<f4",
        b"\xc4\x05shape" + b"\x91\x02",
    ]
)
SCALAR = b"".join(
    [
        b"\x81\xa1x",
        b"\x83",
        b"\xc4\x0d__npgeneric__" + b"\xc3",
        b"\xc4\x04data" + b"\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00",  # 0.5, with exponent 1022
        b"\xc4\x05dtype" + b"\xa3<f4",
    ]
)


def test_an_observation_is_packed_byte_by_byte_as_openpi_packs_it():
    state = np.array([1.0, 0.5], np.float32)
    assert pack({"prompt": "lift", "observation/state": state}) == BYTES
    assert pack({"x": np.float32(0.5)}) == SCALAR


def test_what_openpi_packs_is_read():
    found = unpack(BYTES)
    assert found["prompt"] == "lift"
    assert found["observation/state"].dtype == np.float32
    assert found["observation/state"].tolist() == [1.0, 0.5]
    scalar = unpack(SCALAR)["x"]
    assert (type(scalar), float(scalar)) == (np.float32, 0.5)


@given(
    arrays.arrays(
        st.one_of(
            arrays.boolean_dtypes(),
            arrays.integer_dtypes(endianness="?"),
            arrays.floating_dtypes(endianness="?"),
        ),
        arrays.array_shapes(min_dims=0, max_side=4),
    )
)
def test_an_array_comes_back_as_it_was(array):
    found = unpack(pack({"actions": array}))["actions"]
    assert found.dtype == array.dtype
    assert found.tobytes() == array.tobytes()
    assert found.shape == array.shape


def damaged() -> st.SearchStrategy[bytes]:
    """Return a good message with one byte changed."""
    places = st.integers(0, len(BYTES) - 1)
    change = st.tuples(places, st.integers(0, 255))
    return change.map(lambda c: BYTES[: c[0]] + bytes([c[1]]) + BYTES[c[0] + 1 :])


def arrays(value) -> list[np.ndarray]:
    """Return every array inside a message."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [array for part in parts for array in arrays(part)]
    return [value] if isinstance(value, np.ndarray) else []


@given(st.one_of(st.binary(max_size=60), damaged()))
def test_whatever_comes_is_read_or_refused(data):
    try:
        found = unpack(data)
    except ValueError:
        found = None
    assert {array.dtype.kind for array in arrays(found)} <= set("biuf")  # never one of objects


@pytest.mark.parametrize(
    "entries",
    [
        {b"dtype": "|O", b"shape": (1,), b"data": b"\0" * 8},  # addresses of objects
        {b"dtype": "<f4,<f4", b"shape": (1,), b"data": b"\0" * 8},
        {b"dtype": "<c8", b"shape": (1,), b"data": b"\0" * 8},
        {b"dtype": 4, b"shape": (1,), b"data": b"\0" * 8},
        {b"dtype": "<f4", b"shape": (3,), b"data": b"\0" * 8},
        {b"dtype": "<f4", b"shape": (1 << 62, 1 << 62), b"data": b"\0" * 8},
        {b"dtype": "<f4", b"shape": "two", b"data": b"\0" * 8},
        {b"dtype": "<f4", b"shape": (2,), b"data": "text"},
        {b"dtype": "<f4", b"data": b"\0" * 8},
    ],
)
def test_an_array_that_is_none_is_refused(entries):
    with pytest.raises(ValueError, match=r"\w"):
        unpack(msgpack.packb({"actions": {b"__ndarray__": True, **entries}}))


@pytest.mark.parametrize("value", [object(), np.array([object()]), np.array([1j]), {1, 2}])
def test_what_openpi_does_not_pack_is_not_packed(value):
    with pytest.raises(TypeError, match="can't be packed"):
        pack({"x": value})


def test_no_actions_at_all_can_be_sent():
    assert unpack(pack({"actions": np.zeros((0, 8))}))["actions"].shape == (0, 8)
