"""Ways to damage a file: single bits, lengths, stretches, JSON values, links that lead away."""

from __future__ import annotations

import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["damage"]

HDF5 = (".h5", ".hdf5")
ARCHIVES = (".zip", ".npz")
ODD = (
    None, True, -1, 0, 0.5, 1e308, 10**30, "", "x", "../../secret", "/etc/passwd", "\0", [], {},
    [[]], [None], {"a": {}}, "9" * 5000, -(2**63), 2**64, "NaN",
)  # fmt: skip
SIZES = (0, 1, 127, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)


def damage(file: Path, data: bytes, rng: random.Random, secret: Path) -> None:
    """Write the file anew, damaged; or put something else in its place."""
    kind = rng.random()
    if kind < 0.02:
        file.unlink()
        _instead(file, rng, secret)
        return
    if kind < 0.04 and file.suffix in HDF5:
        _linked(file, rng, secret)
        return
    if kind < 0.04 and file.suffix in ARCHIVES:
        file.write_bytes(_bomb(file, rng))
        return
    edited = _edited_json(data, rng) if file.suffix in (".json", ".jsonl") else None
    if edited is None or rng.random() < 0.2:
        edited = data
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            edited = rng.choice(WAYS)(edited, rng)
    file.write_bytes(edited)


def _instead(file: Path, rng: random.Random, secret: Path) -> None:
    way = rng.randrange(4)
    if way == 0:
        file.symlink_to(secret)
    elif way == 1:
        file.mkdir()
    elif way == 2:
        file.symlink_to(file.name)  # links in a circle
    # else nothing is there


def _linked(file: Path, rng: random.Random, secret: Path) -> None:
    """Let a node of an HDF5 file be a link, or keep its data in another file."""
    import h5py

    names: list[str] = []
    with h5py.File(file, "r+") as opened:
        opened.visit(names.append)
        name = rng.choice(names)
        del opened[name]
        way = rng.randrange(3)
        if way == 0:
            opened[name] = h5py.ExternalLink(str(secret), "/")
        elif way == 1:
            opened[name] = h5py.SoftLink(rng.choice(("/", "/nowhere", f"/{name}")))
        else:
            opened.create_dataset(name, (4,), "u1", external=[(str(secret), 0, 4)])


def _bomb(file: Path, rng: random.Random) -> bytes:
    """Return an archive whose only member unpacks to 2 GB of zeros, whatever size it claims."""
    with zipfile.ZipFile(file) as archive:
        name = rng.choice(archive.namelist()).encode()
    coder = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = coder.compress(bytes(1 << 20)) + coder.flush(zlib.Z_FULL_FLUSH)
    packed = block * 2048 + coder.flush()  # after a full flush each block is the same again
    claimed = rng.choice((1 << 31, 100, 0, 2**32 - 1))
    about = struct.pack("<5HL2L2H", 20, 0, 8, 0, 33, 0, len(packed), claimed, len(name), 0)
    local = b"PK\3\4" + about + name
    central = b"PK\1\2" + struct.pack("<H", 20) + about + struct.pack("<3H2L", 0, 0, 0, 0, 0) + name
    place = len(local) + len(packed)
    end = b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 1, 1, len(central), place, 0)
    return local + packed + central + end


def _flip(data: bytes, rng: random.Random) -> bytes:
    edited = bytearray(data)
    for _ in range(min(len(edited), rng.choice((1, 2, 8, 64)))):
        edited[rng.randrange(len(edited))] ^= 1 << rng.randrange(8)
    return bytes(edited)


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _length(data: bytes, rng: random.Random) -> bytes:
    """Put an absurd length somewhere, small or large, in any of the usual forms."""
    form = rng.choice(("<I", ">I", "<Q", ">Q", "<H"))
    size = struct.calcsize(form)
    if len(data) < size:
        return data
    at = rng.randrange(
        min(len(data) - size, 400) + 1 if rng.random() < 0.5 else len(data) - size + 1
    )
    value = rng.choice(SIZES) & (1 << 8 * size) - 1
    return data[:at] + struct.pack(form, value) + data[at + size :]


def _block(data: bytes, rng: random.Random) -> bytes:
    """Zero, repeat, drop or swap a stretch."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    middle = rng.choice((b"\0" * (b - a), data[a:b] * 2, b"", data[a:b][::-1], b"\xff" * (b - a)))
    return data[:a] + middle + data[b:]


def _text(data: bytes, rng: random.Random) -> bytes:
    """Replace a number or a word by an odd one."""
    words = data.split(b'"')
    words[rng.randrange(len(words))] = str(rng.choice(ODD)).encode("utf-8", "replace")
    return b'"'.join(words)


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip,
    _flip,
    _cut,
    _length,
    _block,
    _text,
)


def _edited_json(data: bytes, rng: random.Random) -> bytes | None:
    """Return JSON with one value replaced, dropped or doubled."""
    lines = data.split(b"\n") if b"\n{" in data else [data]
    at = rng.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except ValueError:
        return None
    places = list(_places(value))
    if not places:
        return None
    holder, key = rng.choice(places)
    if rng.random() < 0.2 and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = rng.choice(ODD)
    lines[at] = json.dumps(value).encode("utf-8", "backslashreplace")
    return b"\n".join(lines)


def _places(value: object) -> Iterator[tuple]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items) if isinstance(value, dict | list) else []:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)
