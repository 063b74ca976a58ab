"""Read 200,000 damaged files over all formats: only our own errors, nothing opened outside.

    python tests/proof/fuzz_formats.py [--cases 200000] [--jobs 2] [--seed 0] [--format NAME]

Each case runs with bounds on time and memory, in processes whose death is a fault too. Exits with 1
if any case broke a promise, and prints which, to be repeated with `--format NAME --first CASE`.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import logging
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay import plugins
from fuzzing import FORMATS, Fault, Fuzzer, Outcome

BATCH = 1000
SILENCE_S = 60  # a process that tells nothing for so long hangs


def batch(name: str, seed: int, first: int, stop: int) -> None:
    """Do some cases of one format, and print a line on each as soon as it is done."""
    import av

    av.logging.set_level(av.logging.PANIC)
    logging.getLogger("assay").setLevel(logging.CRITICAL)  # what samples lack is no news
    warnings.simplefilter("error")  # a warning of numpy tells a user nothing
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(name, Path(folder), seed)
        for number in range(first, stop):
            faulthandler.dump_traceback_later(SILENCE_S / 2)  # tells where a case hangs
            found = fuzzer.case(number)
            faults = [fault.words for fault in found.faults]
            print(json.dumps([number, dict(found.counts), faults, found.peak_mb]), flush=True)
        faulthandler.cancel_dump_traceback_later()


class Watchdog:
    """Kills a process that has told nothing for `SILENCE_S` seconds."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.barked = False
        self._timer = threading.Timer(0, self._bark)

    def _bark(self) -> None:
        self.barked = True
        self._process.kill()

    def lines(self) -> Iterator[str]:
        """Yield what the process tells, until it ends or is killed."""
        self._wait()
        for line in self._process.stdout:
            self._wait()
            yield line
        self._timer.cancel()

    def _wait(self) -> None:
        self._timer.cancel()
        self._timer = threading.Timer(SILENCE_S, self._bark)
        self._timer.start()


def supervised(seed: int, name: str, first: int, stop: int) -> Outcome:
    """Do a batch in a process of its own; go on after a case that killed it or hangs."""
    total = Outcome()
    while first < stop:
        words = ["--format", name, "--seed", seed, "--first", first, "--cases", stop - first]
        command = [sys.executable, __file__, "--here", *map(str, words)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            dog = Watchdog(process)
            for line in dog.lines():
                number, counts, faults, peak = json.loads(line)
                found = [Fault(name, number, words) for words in faults]
                total.add(Outcome(Counter(counts), found, peak))
                first = number + 1
        if process.returncode and first < stop:
            ended = "hangs" if dog.barked else f"the process died ({process.returncode})"
            total.faults.append(Fault(name, first, ended))
            first += 1
    return total


def campaign(names: list[str], cases: int, seed: int, jobs: int) -> dict[str, Outcome]:
    """Do all cases, as many of each format."""
    each = -(-cases // len(names))
    parts = [(n, s, min(s + BATCH, each)) for s in range(0, each, BATCH) for n in names]
    found = {name: Outcome() for name in names}
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = pool.map(partial(supervised, seed), *zip(*parts, strict=True))
        try:
            for (name, first, stop), outcome in zip(parts, outcomes, strict=True):
                found[name].add(outcome)
                told = f"{name}, cases {first} to {stop}: {len(outcome.faults)} broke a promise"
                print(told, file=sys.stderr, flush=True)
                for fault in outcome.faults:
                    print(f"  {fault.number}: {fault.words}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:  # what was done so far is worth telling
            pool.shutdown(cancel_futures=True)
    return found


def report(found: dict[str, Outcome]) -> int:
    """Print the counts of each format, and the faults."""
    faults = [fault for outcome in found.values() for fault in outcome.faults]
    total = len(faults)
    for name, outcome in found.items():
        count = sum(outcome.counts.values())
        total += count
        told = ", ".join(f"{n} {what}" for what, n in outcome.counts.most_common())
        print(f"{name:18} {count + len(outcome.faults):7}  {told}; at most {outcome.peak_mb} MB")
    print(f"{total} damaged files, {len(faults)} broke a promise")
    for fault in faults[:20]:
        print(f"--format {fault.format} --first {fault.number}: {fault.words}")
    return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=plugins.names(FORMATS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--here", action="store_true", help="do the cases in this process")
    options = parser.parse_args()
    if options.here:
        batch(options.format, options.seed, options.first, options.first + options.cases)
        return 0
    names = [options.format] if options.format else plugins.names(FORMATS)
    return report(campaign(names, options.cases, options.seed, options.jobs))


if __name__ == "__main__":
    sys.exit(main())
