"""Look into an HDF5 file of others. Every fault names the file and the key.

What is read stays inside the file: a link or a storage that leads to another file is refused, and
so is an array whose shape asks for more memory than any episode needs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.episodes.faults import PARSING, shown, worded
from assay.episodes.hdf5._heaps import GuardedFile
from assay.episodes.tables import quoted
from assay.errors import EpisodeError, InputError, MissingExtraError, nearest
from assay.records import Floats

if TYPE_CHECKING:
    import h5py

__all__ = ["Node", "opened", "whole_file"]

# What h5py raises over damaged structures and absurd sizes, beside the usual.
_FAULTS = (*PARSING, RuntimeError, MemoryError)

_MOST_BYTES = 1 << 29  # of one array in memory; an hour of seven joints at 1 kHz is 200 MB
_MOST_CHUNK = 1 << 28  # of what must be unpacked at once to read anything of an array
_MOST_CONTENT = 1 << 31  # of a video inside a file
_MOST_TEXT = 1 << 24  # a MuJoCo model with its names is about 100 kB
_LINKS = 8  # a soft link may lead to a soft link, but not for ever
_SHOWN = 8


@contextmanager
def opened(path: Path) -> Iterator[Node]:
    """Open an HDF5 file for reading and give its root."""
    try:
        import h5py
    except ImportError as error:
        raise MissingExtraError("Reading HDF5 files", "h5py", "formats") from error
    if not path.is_file():  # a pipe would never end
        raise EpisodeError(f"{path}: there is no such file.")
    guarded = None
    try:
        guarded = GuardedFile(path)
        file = h5py.File(guarded, "r")
    except _FAULTS as error:
        if guarded is not None:
            guarded.close()
        raise EpisodeError(
            f"{path}: is no HDF5 file that can be read ({worded(error)})."
        ) from error
    try:
        yield Node(path, file, "")
    finally:
        file.close()
        guarded.close()


@contextmanager
def whole_file() -> Iterator[None]:
    """Turn the fault of a value that all episodes of a file need into an `InputError`."""
    try:
        yield
    except EpisodeError as error:
        raise InputError(str(error)) from error


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A group of an open HDF5 file.

    Attributes:
        path: The file, for messages.
        group: What h5py knows it by.
        name: The group's place in the file, without a leading stroke; empty for the root.
    """

    path: Path
    group: h5py.Group
    name: str

    def names(self) -> list[str]:
        """Return the names in this group, sorted."""
        with self.faults(""):
            return sorted(map(str, self.group.keys()))

    def has(self, key: str) -> bool:
        """Tell whether there is something at `key`, a link to nowhere included."""
        return self._find(key) is not None

    def at(self, key: str) -> Node:
        """Return the group at `key`."""
        import h5py

        found = self._needed(key)
        if not isinstance(found, h5py.Group):
            raise self.fault(key, "is no group")
        return Node(self.path, found, self.place(key))

    def is_group(self, key: str) -> bool:
        """Tell whether `key` is a group rather than an array."""
        import h5py

        return isinstance(self._needed(key), h5py.Group)

    def groups(self, start: str) -> list[str]:
        """Return the names of the groups that begin with `start`, by the number that follows."""
        numbered = [n for n in self.names() if n.startswith(start) and n[len(start) :].isdecimal()]
        return sorted(numbered, key=lambda name: (int(name[len(start) :]), name))

    def shape(self, key: str) -> tuple[int, ...]:
        """Return the shape of the array at `key`."""
        return tuple(self.dataset(key).shape)

    def numbers(self, key: str, shape: Sequence[int | None] = (None,)) -> Floats:
        """Return the array at `key` as float64.

        Args:
            key: The place of the array below this group.
            shape: What its shape must be; None stands for any length.
        """
        found = self.dataset(key)
        if found.dtype.kind not in "biuf":
            raise self.fault(key, f"holds {found.dtype} where numbers are due")
        self.check_shape(key, found.shape, shape)
        return np.asarray(self._read(key, found), np.float64)

    def values(self, key: str) -> npt.NDArray[Any]:
        """Return the array at `key` in its own type: numbers or true/false."""
        found = self.dataset(key)
        if found.dtype.kind not in "biuf":
            raise self.fault(key, f"holds {found.dtype} where numbers are due")
        return np.asarray(self._read(key, found))

    def scalar(self, key: str) -> float:
        """Return the one number at `key`."""
        found = self.numbers(key, self.shape(key))
        if found.size != 1 or not np.isfinite(found).all():
            raise self.fault(key, "must hold one number")
        return float(found.reshape(-1)[0])

    def text(self, key: str) -> str:
        """Return the text at `key`."""
        found = self.dataset(key)
        if found.size != 1 or found.dtype.kind not in "OSU":
            raise self.fault(key, "must hold one text")
        return self._text(key, self._read(key, found))

    def texts(self, key: str) -> list[str]:
        """Return the texts at `key`, an array of them."""
        found = self.dataset(key)
        if found.dtype.kind not in "OSU" or len(found.shape) != 1:
            raise self.fault(key, "must hold texts")
        return [self._text(key, value) for value in self._read(key, found)]

    def content(self, key: str) -> bytes:
        """Return the bytes at `key`, such as those of a video: opaque, text or uint8 numbers."""
        found = self.dataset(key)
        size = math.prod(found.shape) * found.dtype.itemsize
        with self.faults(key):
            stored_bytes = found.id.get_storage_size()
        if size > _MOST_CONTENT or size > 100 * stored_bytes + _MOST_TEXT:  # videos don't shrink
            raise self.fault(key, f"unpacks {stored_bytes} bytes to {size}, which is too large")
        with self.faults(key):
            stored = found[()]
        if isinstance(stored, np.ndarray) and stored.size == 1:
            stored = stored.reshape(-1)[0]
        if isinstance(stored, bytes):
            return stored
        if isinstance(stored, np.void | np.ndarray) and stored.dtype.kind in "Vu":
            return stored.tobytes()
        raise self.fault(key, f"holds {found.dtype} where bytes are due")

    def dataset(self, key: str) -> h5py.Dataset:
        """Return the array at `key` unread, once it is known to be inside the file and sane."""
        import h5py

        found = self._needed(key)
        if not isinstance(found, h5py.Dataset):
            raise self.fault(key, "is no array")
        with self.faults(key):
            if found.shape is None:
                raise self.fault(key, "is empty")
            if found.external or found.is_virtual:
                raise self.fault(key, "keeps its data in other files, which are not opened")
            one = max(found.dtype.itemsize, 1)
            if math.prod(found.chunks or ()) * one > _MOST_CHUNK:
                raise self.fault(key, f"is stored in chunks of {found.chunks}, which is too large")
        return found

    def attribute(self, name: str) -> Any:  # noqa: ANN401 - numbers, text or arrays
        """Return the attribute `name` as Python has it, texts as `str`; None when there is none."""
        with self.faults(f"@{name}"):
            if name not in self.group.attrs:
                return None
            held = self.group.attrs.get_id(name)
            size = held.get_storage_size()
            if held.dtype.kind == "O" and not _is_text(held.dtype):
                # No such attribute is ours to read, and HDF5 2.0 dies of one that is damaged.
                raise self.fault(f"@{name}", "holds neither a text nor numbers")
            if size > _MOST_TEXT:
                raise self.fault(f"@{name}", f"has {size} bytes, which is too much")
            found = self.group.attrs[name]
        if isinstance(found, np.generic):
            found = found.item()
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else found

    def parsed(self, name: str) -> dict[str, Any]:
        """Return the JSON object in the attribute `name`; empty when there is none."""
        raw = self.words(name)
        if not raw:
            return {}
        with self.faults(f"@{name}"):
            found = json.loads(raw)
        return found if isinstance(found, dict) else {}

    def words(self, name: str) -> str:
        """Return the attribute `name` if it is text, else an empty text."""
        found = self.attribute(name)
        return found.strip() if isinstance(found, str) else ""

    def place(self, key: str) -> str:
        """Return the whole name of what stands at `key`; "@name" is an attribute."""
        return f"{self.name}{'' if key.startswith('@') else '/'}{key}".strip("/")

    def fault(self, key: str, words: str) -> EpisodeError:
        """Word a fault of the value at `key`; `words` end without a stop."""
        return EpisodeError(f"{self.path}: '{self.place(key)}' {words}.", "invalid_value")

    def check_shape(self, key: str, found: Sequence[int], due: Sequence[int | None]) -> None:
        """Refuse an array at `key` whose shape `found` is not as `due`; None is any length."""
        fits = len(found) == len(due) and all(
            d in (None, f) for f, d in zip(found, due, strict=True)
        )
        if not fits:
            wanted = ", ".join("T" if d is None else str(d) for d in due)
            raise self.fault(key, f"has the shape {tuple(found)}; ({wanted}) is due")

    def _read(self, key: str, found: h5py.Dataset) -> Any:  # noqa: ANN401 - whatever is stored
        if math.prod(found.shape) * max(found.dtype.itemsize, 1) > _MOST_BYTES:
            raise self.fault(key, f"has the shape {tuple(found.shape)}, which is too large to read")
        with self.faults(key):
            return found[()]

    def _text(self, key: str, stored: object) -> str:
        value = stored.reshape(-1)[0] if isinstance(stored, np.ndarray) else stored
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str):
            raise self.fault(key, "must hold one text")
        return value.strip()

    def _needed(self, key: str) -> h5py.Group | h5py.Dataset:
        found = self._find(key)
        if found is not None:
            return found
        here, asked = self, key
        while "/" in asked and here.has(asked.partition("/")[0]):  # the group that lacks it
            first, _, asked = asked.partition("/")
            if not here.is_group(first):
                break
            here = here.at(first)
        there = here.names()
        close = nearest(asked, there, 1)
        hint = f" Nearest: {close[0]!r}." if close else f" There are {quoted(there[:_SHOWN])}."
        raise EpisodeError(
            f"{self.path}: the key '{self.place(key)}' is missing.{hint if there else ''}",
            "invalid_value",
        )

    def _find(self, key: str, links: int = _LINKS) -> Any:  # noqa: ANN401 - a group, a dataset or None
        """Walk to `key` step by step, so that no link is followed unseen."""
        import h5py

        here: Any = self.group
        with self.faults(key):
            for part in (p for p in key.split("/") if p not in ("", ".")):
                # `part in here` would follow a link, into another file if need be.
                if not isinstance(here, h5py.Group) or not here.id.links.exists(part.encode()):
                    return None
                link = here.get(part, getlink=True)
                if isinstance(link, h5py.HardLink):
                    here = here[part]
                elif isinstance(link, h5py.SoftLink) and links > 0:
                    start = here.file if link.path.startswith("/") else here
                    here = Node(self.path, start, "")._find(link.path, links - 1)  # noqa: SLF001 - ourselves
                else:
                    raise self.fault(key, f"is a link out of the file or in a circle ({_to(link)})")
        return here

    @contextmanager
    def faults(self, key: str) -> Iterator[None]:
        """Word whatever goes wrong with the value at `key`."""
        try:
            yield
        except _FAULTS as error:
            raise self.fault(key, f"can't be read ({worded(error)})") from error


def _to(link: object) -> str:
    """Return where a link leads, for a message."""
    file = getattr(link, "filename", "")
    return shown(f"{file}:{getattr(link, 'path', '')}" if file else getattr(link, "path", link))


def _is_text(kind: np.dtype[Any]) -> bool:
    import h5py

    return h5py.check_string_dtype(kind) is not None
