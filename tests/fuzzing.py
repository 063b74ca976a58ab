"""Damage the samples of a format in every way we can think of, and read them.

A case is a number: the same number damages the same sample in the same way. Whatever a reader
makes of it, only errors of our own may come out, nothing outside the dataset may be opened, and no
more memory may be taken than a small machine has.
"""

from __future__ import annotations

import logging
import random
import resource
import runpy
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay import plugins
from assay.errors import AssayError
from assay.records import Episode
from damage import damage
from openings import Openings

__all__ = ["FORMATS", "Fault", "Fuzzer", "Outcome"]

FORMATS = "assay.episodes.formats"
MEMORY = 6 << 30  # bytes of address space; a forged length asks for more
PEAK_MB = 1500  # of real memory; the largest array, chunk and picture that are allowed fit in it
LIMIT_S = 30  # a case that takes longer is a fault


@dataclass(frozen=True)
class Fault:
    """A case that broke a promise, and how."""

    format: str
    number: int
    words: str


@dataclass
class Outcome:
    """What came of the cases: counts, those that broke a promise, and the memory taken."""

    counts: Counter = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    peak_mb: int = 0

    def add(self, other: Outcome) -> None:
        """Take in what came of other cases."""
        self.counts += other.counts
        self.faults += other.faults
        self.peak_mb = max(self.peak_mb, other.peak_mb)


@dataclass(frozen=True)
class Sample:
    """A path to read, and the files that reading it opens."""

    path: Path
    files: tuple[Path, ...]


class Fuzzer:
    """Damages the samples of one format, again and again.

    Every sample that can be read is taken, and of its files those that reading it opens: damage
    elsewhere would test nothing.

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
        self._secret, self._root = root / "outside" / "secret", root / "made"
        for folder in (self._secret.parent, self._root):
            folder.mkdir()
        self._secret.write_text("not for readers")
        samples = Path(__file__).parent / "episodes" / "samples" / f"{name.replace('-', '_')}.py"
        paths = runpy.run_path(str(samples))["make"](self._root)
        self.samples = list(self._readable(paths))
        files = {file for sample in self.samples for file in sample.files}
        self._kept = {file: file.read_bytes() for file in files}
        self._outside = Openings(self._secret.parent)

    def _readable(self, paths: list[Path]) -> Iterator[Sample]:
        """Yield the samples that can be read whole, with the files that are opened for it."""
        opened = Openings(self._root)
        for path in paths:
            opened.take()
            with suppress(AssayError):
                if self.read(path) == "read":
                    files = sorted(file for file in opened.take() if file.is_file())
                    yield Sample(path, tuple(files))
        opened.close()

    def case(self, number: int) -> Outcome:
        """Damage a file in the way of this number, read all, and put the file back."""
        rng = random.Random(f"{self.seed} {self.name} {number}")
        sample = rng.choice(self.samples)
        file = rng.choice(sample.files)
        outcome, before = Outcome(), _peak_mb()
        damage(file, self._kept[file], rng, self._secret)
        self._outside.take()
        outside: list[str] = []
        try:
            with _limits(), _watched(self._root, outside):
                outcome.counts[self.read(sample.path)] += 1
        except AssayError:
            outcome.counts["refused"] += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            words = traceback.format_exc(limit=-3).strip()
            outcome.faults.append(Fault(self.name, number, words))
        finally:
            outcome.peak_mb = _peak_mb()
            if file != sample.path or not file.is_symlink():  # a link that is named is meant
                outside += map(str, self._outside.take())
            self._restore(file)
        if not outcome.faults and outside:
            outcome = Outcome(faults=[Fault(self.name, number, f"opened {outside[0]}")])
        elif not outcome.faults and outcome.peak_mb > max(before, PEAK_MB):
            outcome = Outcome(faults=[Fault(self.name, number, f"took {outcome.peak_mb} MB")])
        return outcome

    def read(self, path: Path) -> str:
        """Read the episodes and some of their pictures; tell what they were."""
        self._reader.sniff(path)  # which may not raise, whatever it is shown
        kinds = set()
        for number, item in enumerate(self._reader.read(path)):
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
        file.write_bytes(self._kept[file])


def _peak_mb() -> int:
    """Return the most memory that this process ever held [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


_OPENED: list[list[str]] = []  # of the case that is being read, if any


def _note(event: str, arguments: tuple) -> None:
    if _OPENED and event in ("open", "sqlite3.connect") and arguments:
        _OPENED[-1].append(str(arguments[0]))


@contextmanager
def _watched(root: Path, outside: list[str]) -> Iterator[None]:
    """Put into `outside` the files that Python opens meanwhile for a forged path.

    What the samples' own paths lead to is fine, and so is what Python reads for itself; a path that
    damage can have forged leads to the secret file or to /etc/passwd.
    """
    if not getattr(_watched, "hooked", False):
        sys.addaudithook(_note)
        _watched.hooked = True
    _OPENED.append([])
    try:
        yield
    finally:
        outside += [p for p in _OPENED.pop() if _forged(p) and not _within(p, root)]


def _forged(path: str) -> bool:
    return "secret" in path or "passwd" in path


def _within(path: str, root: Path) -> bool:
    return path.startswith(str(root)) and Path(path).resolve().is_relative_to(root)


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
