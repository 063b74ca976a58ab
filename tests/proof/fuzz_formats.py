"""Read 200,000 damaged files over all formats: only our own errors, nothing opened outside.

    python tests/proof/fuzz_formats.py [--cases 200000] [--jobs 2] [--seed 0] [--format NAME]

Each case runs with bounds on time and memory, in processes whose death is a fault too. Exits with 1
if any case broke a promise, and prints which, to be repeated with `--format NAME --first CASE`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay import plugins
from fuzzing import FORMATS, Fault, Fuzzer, Outcome

BATCH = 250


def batch(name: str, seed: int, first: int, stop: int) -> None:
    """Do some cases of one format, and print a line on each as soon as it is done."""
    import av

    av.logging.set_level(av.logging.PANIC)
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(name, Path(folder), seed)
        for number in range(first, stop):
            found = fuzzer.case(number)
            faults = [fault.words for fault in found.faults]
            print(json.dumps([number, dict(found.counts), faults]), flush=True)


def supervised(seed: int, name: str, first: int, stop: int) -> Outcome:
    """Do a batch in a process of its own; go on after a case that killed it."""
    total = Outcome()
    while first < stop:
        words = ["--format", name, "--seed", seed, "--first", first, "--cases", stop - first]
        command = [sys.executable, __file__, "--here", *map(str, words)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        for line in done.stdout.splitlines():
            number, counts, faults = json.loads(line)
            total.counts += Counter(counts)
            total.faults += [Fault(name, number, words) for words in faults]
            first = number + 1
        if done.returncode and first < stop:
            total.faults.append(Fault(name, first, f"the process died ({done.returncode})"))
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
                found[name].counts += outcome.counts
                found[name].faults += outcome.faults
                told = f"{name}, cases {first} to {stop}: {len(outcome.faults)} broke a promise"
                print(told, file=sys.stderr, flush=True)
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
        print(f"{name:18} {count + len(outcome.faults):7}  {told}")
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
