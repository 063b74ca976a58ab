"""Measure what the engine costs beside bare pools: the same tasks, the same two processes.

    python speed/engine.py

The engine also stores every result safely on disk; the bare pools keep theirs in memory. Start-up
of the processes is inside every time. Rounds are interleaved, so that all meet the same machine;
medians are printed. "cpu" is the time of all cores, processes included: it says what the work costs
even when other programs take their share of the machine.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from assay.engine import Journal, Unit, run

JOBS = 2
ROUNDS = 3


def spin(seconds: float, _: int) -> bytes:
    """Use that much time of a core, however busy the machine is."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return b"result"


def make_spin(seconds: float) -> Callable[[int], bytes]:
    return partial(spin, seconds)


def with_engine(seconds: float, count: int) -> None:
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


def ways(chunk: int) -> dict[str, Callable[[float, int], None]]:
    """Return what is compared: the pools one task a message, and `chunk` tasks a message."""
    return {
        "assay.engine.run": with_engine,
        "ProcessPoolExecutor.map": partial(with_executor, chunk=1),
        f"ProcessPoolExecutor.map, chunks of {chunk}": partial(with_executor, chunk=chunk),
        "Pool.imap_unordered": partial(with_pool, chunk=1),
        f"Pool.imap_unordered, chunks of {chunk}": partial(with_pool, chunk=chunk),
    }


def cpu_s() -> float:
    """Return the time of all cores used by this process and those it has waited for [s]."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def measure(seconds: float, count: int, chunk: int) -> None:
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways(chunk)}
    for _ in range(ROUNDS):
        for name, way in ways(chunk).items():
            wall, cpu = time.perf_counter(), cpu_s()
            way(seconds, count)
            times[name].append((time.perf_counter() - wall, cpu_s() - cpu))
    print(f"\n{count:,} tasks of {seconds * 1e6:,.0f} us on {JOBS} processes: ", end="")
    print(f"{seconds * count:.1f} s of work")
    print(f"  {'':41} wall [s]  engine/this    cpu [s]  engine/this")
    medians = {
        name: [statistics.median(column) for column in zip(*taken, strict=True)]
        for name, taken in times.items()
    }
    our_wall, our_cpu = medians["assay.engine.run"]
    for name, (wall, cpu) in medians.items():
        print(f"  {name:40} {wall:9.2f} {our_wall / wall:12.2f} {cpu:10.2f} {our_cpu / cpu:12.2f}")


def main() -> None:
    measure(5e-3, 1_000, chunk=40)
    measure(1e-5, 100_000, chunk=1_000)


if __name__ == "__main__":
    main()
