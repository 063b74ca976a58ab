"""Measure the ledger: making keys, looking up, and storing.

    python speed/ledger.py

Prompts are of 2,000 characters with two pictures; the ledger holds all answers that are looked up,
in an order of its own. Look-ups are measured in a ledger that was opened anew, keys included.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.models.base import Address, Picture, Reply, Request
from assay.models.ledger import Ledger, key_of

COUNT = 10_000
STORED = 1_000
THREADS = 64
LIMIT_S = 1.0
ADDRESS = Address("openai", "model", "http://localhost:8000/v1")
REVISION = "model-1"


def requests() -> list[Request]:
    text = "How far has the robot got with its task? ".ljust(2000, ".")
    return [
        Request((text, *(Picture(b"", f"{number}-{i:064}", 448, 448) for i in (0, 1))))
        for number in range(COUNT)
    ]


def store(ledger: Ledger, request: Request) -> None:
    reply = Reply(text='{"score": 0.5}', revision=REVISION, input_tokens=900, output_tokens=9)
    ledger.put(key_of(ADDRESS, REVISION, request), ADDRESS, request, reply)


def timed(what: str, do: Callable[[], object], count: int) -> float:
    wall, cpu = time.perf_counter(), time.process_time()
    do()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"  {what:44} {wall:7.2f} s, {cpu:6.2f} cpu-s, {1e6 * cpu / count:6.0f} cpu-us each")
    return wall


def look_up(path: Path, asked: list[Request]) -> int:
    with Ledger(path) as ledger:
        found = [ledger.get(key_of(ADDRESS, REVISION, request)) for request in asked]
    return sum(reply is not None for reply in found)


def main() -> None:
    asked = requests()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(THREADS) as pool:
        path = Path(folder) / "ledger.sqlite"
        with Ledger(path) as ledger:
            one_by_one = asked[:STORED]
            timed(
                f"{STORED:,} stored by one thread",
                lambda: [store(ledger, request) for request in one_by_one],
                STORED,
            )
            rest = asked[STORED:]
            timed(
                f"{COUNT - STORED:,} stored by {THREADS} threads",
                lambda: list(pool.map(lambda request: store(ledger, request), rest)),
                COUNT - STORED,
            )
        random.Random(0).shuffle(asked)
        timed(
            f"{COUNT:,} keys",
            lambda: [key_of(ADDRESS, REVISION, request) for request in asked],
            COUNT,
        )
        took = timed(f"{COUNT:,} look-ups, keys included", lambda: look_up(path, asked), COUNT)
        size = path.stat().st_size / 1e6
        print(f"  look-ups: {took:.2f} s, limit {LIMIT_S:g} s; the file has {size:.0f} MB")


if __name__ == "__main__":
    main()
