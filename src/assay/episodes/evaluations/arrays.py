"""Arrays of an npz file of others: nothing is unpacked that can't be true, no pickle unasked."""

from __future__ import annotations

import math
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from assay.episodes.faults import check_file
from assay.episodes.pickles import unpickled

__all__ = ["load_npz"]

_MOST_BYTES = 1 << 28
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, SyntaxError)


def load_npz(
    path: Path, *, trust_pickles: bool = False
) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """Return the arrays of the file, and the names of those that are not read: pickled ones.

    With `trust_pickles` these are read too, as arrays of plain values.

    Raises:
        ValueError: The file is damaged, or an array is larger than its member.
    """
    check_file(path)
    arrays, pickled = {}, []
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename.endswith(".npy"):
                    continue
                name = member.filename.removesuffix(".npy")
                if member.file_size > _MOST_BYTES:
                    raise ValueError(f"{name!r} has over {_MOST_BYTES} bytes")
                with archive.open(member) as stream:
                    array = _array(stream, name, member.file_size, trust_pickles=trust_pickles)
                if array is None:
                    pickled.append(name)
                else:
                    arrays[name] = array
    except _FAULTS as error:
        raise ValueError(f"the npz file is damaged ({error})") from error
    return arrays, pickled


def _array(
    stream: IO[bytes], name: str, size: int, *, trust_pickles: bool
) -> npt.NDArray[Any] | None:
    """Return one array; its size is checked against its header before anything is made of it."""
    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    if dtype.hasobject:
        return np.asarray(unpickled(stream), object) if trust_pickles else None
    count = math.prod(shape)
    if count * dtype.itemsize > size:
        raise ValueError(f"{name!r} has the shape {shape}, more than its {size} bytes")
    data = stream.read(count * dtype.itemsize)
    values = np.frombuffer(data, dtype, count)
    return values.reshape(shape, order="F" if fortran else "C")
