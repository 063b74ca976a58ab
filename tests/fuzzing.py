"""Damage the samples of a format in every way we can think of, and read them.

A case is a number: the same number damages the same sample in the same way. Whatever a reader
makes of it, only errors of our own may come out, nothing outside the dataset may be opened, and no
more memory may be taken than a small machine has.
"""

from __future__ import annotations

import json
import logging
import random
import resource
import runpy
import shutil
import signal
import struct
import sys
import sysconfig
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay import plugins
from assay.errors import AssayError
from assay.records import Episode

__all__ = ["FORMATS", "Fault", "Fuzzer", "Outcome"]

FORMATS = "assay.episodes.formats"
MEMORY = 6 << 30  # bytes of address space; a forged length asks for more
LIMIT_S = 30  # a case that takes longer is a fault
ODD = (
    None, True, -1, 0, 0.5, 1e308, 10**30, "", "x", "../../secret", "/etc/passwd", "\0", [], {},
    [[]], [None], {"a": {}}, "9" * 5000, -(2**63), 2**64, "NaN",
)  # fmt: skip
SIZES = (0, 1, 127, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)


@dataclass(frozen=True)
class Fault:
    """A case that broke a promise, and how."""

    format: str
    number: int
    words: str


@dataclass
class Outcome:
    """What came of the cases: counts, and those that broke a promise."""

    counts: Counter = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)


class Fuzzer:
    """Damages the first sample of one format, again and again.

    Args:
        name: The format.
        root: An empty folder to work in.
        seed: Part of what a case's number means.
    """

    def __init__(self, name: str, root: Path, seed: int = 0) -> None:
        self.name, self.seed = name, seed
        kind = plugins.find(FORMATS, name)
        trusting = hasattr(kind, "trust_pickles")  # else nothing would be read at all
        self._reader = kind(trust_pickles=True) if trusting else kind()
        (root / "secret").write_text("not for readers")
        samples = Path(__file__).parent / "episodes" / "samples" / f"{name.replace('-', '_')}.py"
        made = root / "made"
        made.mkdir()
        self.path = runpy.run_path(str(samples))["make"](made)[0]
        self._root = made
        self._home = self.path if self.path.is_dir() else self.path.parent
        self._kept = {p: p.read_bytes() for p in sorted(self._home.rglob("*")) if p.is_file()}

    def case(self, number: int) -> Outcome:
        """Damage a file in the way of this number, read all, and put the file back."""
        rng = random.Random(f"{self.seed} {self.name} {number}")
        file = rng.choice(list(self._kept))
        outcome = Outcome()
        try:
            _damage(file, self._kept[file], rng, self._root.parent / "secret")
            with _limits(), _watched(self._root) as opened:
                outcome.counts[self._read()] += 1
            outside = [p for p in opened if "secret" in p]
            if outside:
                outcome.faults.append(Fault(self.name, number, f"opened {outside[0]}"))
        except AssayError:
            outcome.counts["refused"] += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            words = traceback.format_exc(limit=-3).strip()
            outcome.faults.append(Fault(self.name, number, words))
        finally:
            self._restore(file)
        return outcome

    def _read(self) -> str:
        """Read the episodes and some of their pictures; tell what they were."""
        kinds = set()
        for number, item in enumerate(self._reader.read(self.path)):
            if not isinstance(item, Episode):
                kinds.add("unreadable")
                continue
            kinds.add("read")
            item.duration()
            for view in list(item.views.values())[:2]:
                clock = view.frames.clock()
                if number < 2 and len(clock):
                    try:
                        for picture in view.frames.at(np.unique(clock[[0, -1]])):
                            assert picture.dtype == np.uint8
                            assert picture.ndim == 3
                    except AssayError:
                        kinds.add("lost pictures")
        return "+".join(sorted(kinds)) or "empty"

    def _restore(self, file: Path) -> None:
        if file.is_symlink():
            file.unlink()
        elif file.is_dir():
            shutil.rmtree(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self._kept[file])


def _damage(file: Path, data: bytes, rng: random.Random, secret: Path) -> None:
    """Write the file anew, damaged; or put something else in its place."""
    kind = rng.random()
    if kind < 0.02:
        file.unlink()
        _instead(file, rng, secret)
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


_OPENED: list[str] | None = None


def _note(event: str, arguments: tuple) -> None:
    if _OPENED is not None and event in ("open", "sqlite3.connect") and arguments:
        _OPENED.append(str(arguments[0]))


@contextmanager
def _watched(root: Path) -> Iterator[list[str]]:
    """Give the list of files that are opened meanwhile outside `root` and Python's own places."""
    global _OPENED
    if not getattr(_watched, "hooked", False):
        sys.addaudithook(_note)
        _watched.hooked = True
    _OPENED, outside = [], []
    try:
        yield outside
    finally:
        opened, _OPENED = _OPENED, None
        own = (str(root), *sysconfig.get_paths().values(), sys.prefix, str(SOURCE))
        outside += [
            p for p in opened if p.startswith("/") and not Path(p).resolve().is_relative_to(root)
            and not str(Path(p)).startswith(own)
        ]  # fmt: skip


SOURCE = Path(plugins.__file__).parent


@contextmanager
def _limits() -> Iterator[None]:
    """Bound memory and time of one case."""

    def late(*_: object) -> None:
        raise TimeoutError(f"took more than {LIMIT_S} s")

    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    old = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    level = logging.getLogger("assay").level
    logging.getLogger("assay").setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        resource.setrlimit(resource.RLIMIT_AS, before)
        logging.getLogger("assay").setLevel(level)
