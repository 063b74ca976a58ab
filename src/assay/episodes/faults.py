"""One sentence for every fault of a file that others wrote."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import InputError

__all__ = ["PARSING", "check_file", "reaching", "reading", "shown", "worded"]

# What Python and arrow raise over values that nobody foresaw: text where a number was due, a
# nesting or a number without end, a damaged page. Arrow's errors are kinds of these, so it need
# not be imported to name them. A file of others can hold anything, so where one is parsed these
# are faults of the file. Our own errors are none of these and pass.
PARSING = (
    OSError,
    ValueError,  # not UTF-8, not JSON and ArrowInvalid too
    TypeError,
    LookupError,
    ArithmeticError,  # too large for a number, or a division by zero
    RecursionError,
    NotImplementedError,
)

_SHOWN = 80  # characters of a foreign value in a message


@contextmanager
def reaching(path: object) -> Iterator[None]:
    """Turn a file or folder that can't be reached into an `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(_unreached(error, path), shown(path, 200)) from error


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Turn whatever parsing the file at `path` may raise into an `InputError` that names it."""
    with reaching(path):
        try:
            yield
        except OSError:
            raise
        except PARSING as error:
            raise InputError(f"can't be used ({worded(error)}).", path) from error


def check_file(path: Path) -> None:
    """Refuse what is not a regular file, without opening it: a pipe would never end."""
    with reaching(path):
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError("is not a file.", path)


def shown(value: object, limit: int = _SHOWN) -> str:
    """Return a foreign value for a message, cut where it gets long."""
    text = str(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _unreached(error: OSError, path: object) -> str:
    reason = error.strerror or worded(error)  # arrow gives no strerror, and many lines
    inner = error.filename is not None and str(error.filename) != str(path)
    return f"can't be read: {reason}{f' ({shown(error.filename)})' if inner else ''}."


def worded(error: Exception) -> str:
    """Return the kind and the first line of an error that a file of others caused."""
    first = str(error).partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {shown(first)}" if first else type(error).__name__
