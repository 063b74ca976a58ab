"""Measure what the engine costs beside bare pools: the same tasks, the same two processes.

    python speed/engine.py

The engine also stores every result safely on disk; the bare pools keep theirs in memory. Start-up
of the processes is inside every time. Rounds are interleaved, so that all meet the same machine;
the median is printed.
"""

from __future__ import annotations

import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from assay.engine import Journal, Unit, run
from assay.engine.local import usable_cores

JOBS = 2
ROUNDS = 5


def spin(seconds: float, _: int) -> bytes:
    """Keep a core busy."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    return b"result"


def make_spin(seconds: float) -> Callable[[int], bytes]:
    return partial(spin, seconds)


def with_engine(seconds: float, count: int, _: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j", "f") as journal:
        units = (Unit(str(i), i) for i in range(count))
        run(partial(make_spin, seconds), units, journal, jobs=JOBS, total=count)


def with_executor(seconds: float, count: int, chunk: int) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(JOBS, mp_context=context) as pool:
        for _ in pool.map(partial(spin, seconds), range(count), chunksize=chunk):
            pass


def with_pool(seconds: float, count: int, chunk: int) -> None:
    with multiprocessing.get_context("spawn").Pool(JOBS) as pool:
        for _ in pool.imap_unordered(partial(spin, seconds), range(count), chunksize=chunk):
            pass


WAYS = {
    "assay.engine.run": (with_engine, 1),
    "ProcessPoolExecutor.map": (with_executor, 1),
    "ProcessPoolExecutor.map, chunks of 40": (with_executor, 40),
    "Pool.imap_unordered": (with_pool, 1),
    "Pool.imap_unordered, chunks of 40": (with_pool, 40),
}


def measure(seconds: float, count: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(ROUNDS):
        for name, (way, chunk) in WAYS.items():
            start = time.perf_counter()
            way(seconds, count, chunk)
            times[name].append(time.perf_counter() - start)
    ideal = seconds * count / min(JOBS, usable_cores())
    print(f"\n{count:,} tasks of {seconds * 1e6:,.0f} us on {JOBS} processes; ideal {ideal:.2f} s")
    ours = statistics.median(times["assay.engine.run"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(
            f"  {name:40} {median:6.2f} s ({min(taken):.2f} to {max(taken):.2f})   "
            f"engine / this = {ours / median:.2f}"
        )


def main() -> None:
    measure(5e-3, 1_000)
    measure(1e-5, 100_000)


if __name__ == "__main__":
    main()
