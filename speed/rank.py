"""Rank policies by votes, beside evalica, choix and arena-rank: times, strengths, errors, copies.

    python -m venv peers && peers/bin/pip install evalica choix arena-rank
    python speed/rank.py --peers peers/bin/python

All get the same votes, without ties: numbers of policies in arrays, as each takes them best.
evalica gets its index ready-made. choix gets the table of wins, so that counting is left out of
its time. Ours counts, fits, and makes the sandwich intervals; evalica's fit has none. Everybody
runs in turns with ours, in processes of one thread; medians of CPU time are printed. Without
`--peers` only our own figures are.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

SIZES = ((50, 100_000), (7, 1_000_000))
ARENA = (6, 8_749)
RESAMPLES = 1_000
FIT = {"50 x 100,000": 5.0, "7 x 1,000,000": 10.0}  # at least so many times faster than evalica
BOOTSTRAP = 50.0
STRENGTH, ERROR, COPIES = 1e-6, 0.01, 2.0
MANY = 10_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="A Python that has evalica, choix and arena-rank.")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--as", dest="role", choices=("ours", "peers", "copies"))
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if asked.role == "copies":
        copies(asked.folder)
    elif asked.role is not None:
        (ours if asked.role == "ours" else peers)(asked.folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare(asked, Path(folder))


def compare(asked: argparse.Namespace, folder: Path) -> None:
    """Run both sides in turns and print ratios beside their limits."""
    for policies, n in (*SIZES, ARENA):
        np.savez(folder / f"{policies}.npz", **dict(zip("abo", votes(policies, n), strict=True)))
    sides = {"ours": sys.executable, **({"peers": asked.peers} if asked.peers else {})}
    turns = {side: [] for side in sides}
    for _ in range(asked.turns):
        for side, python in sides.items():
            turns[side].append(run(python, side, folder))
    times = {
        side: {key: median(turn["ms"][key] for turn in found) for key in found[0]["ms"]}
        for side, found in turns.items()
    }
    for side, found in times.items():
        for key, taken in found.items():
            print(f"{side:6} {key:44} {taken:10.2f} cpu-ms")
    if asked.peers:
        held(times, turns["ours"][0], turns["peers"][0])
    for line in run(sys.executable, "copies", folder)["lines"]:
        print(line)


def held(times: dict, mine: dict, theirs: dict) -> None:
    """Print what was promised, and what was found."""
    for key, least in FIT.items():
        ratio = times["peers"][f"evalica fit, {key}"] / times["ours"][f"fit and intervals, {key}"]
        print(f"fit with intervals, {key}: {ratio:.1f}x faster than evalica's fit (>= {least:g}x)")
    ratio = times["peers"]["evalica bootstrap"] / times["ours"]["bootstrap"]
    print(f"{RESAMPLES} resamples of {ARENA[1]:,} votes: {ratio:.0f}x faster (>= {BOOTSTRAP:g}x)")
    for size in mine["beta"]:
        gap = np.abs(np.array(mine["beta"][size]) - theirs["choix"][size]).max()
        apart = np.abs(np.array(mine["error"][size]) / theirs["arena"][size] - 1).max()
        print(
            f"{size} policies: strengths within {gap:.1e} of choix (<= {STRENGTH:g}),"
            f" errors within {100 * apart:.2f} % of arena-rank (<= {100 * ERROR:g} %)"
        )


def run(python: str, role: str, folder: Path) -> dict:
    """Run one side in a process of its own."""
    command = [python, __file__, "--as", role, "--folder", str(folder)]
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    one = {**os.environ, **dict.fromkeys(threads, "1"), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=one)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def votes(policies: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw votes by strengths of N(0, 0.6^2)."""
    rng = np.random.default_rng(policies)
    beta = rng.normal(0, 0.6, policies)
    a = rng.integers(0, policies, n).astype(np.int32)
    b = ((a + rng.integers(1, policies, n)) % policies).astype(np.int32)
    won = rng.random(n) < 1 / (1 + np.exp(beta[b] - beta[a]))
    return a, b, np.where(won, 1, -1).astype(np.int8)


def load(folder: Path, policies: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with np.load(folder / f"{policies}.npz") as found:
        return found["a"], found["b"], found["o"]


def cpu_ms(call: Callable[[], object]) -> float:
    """Return the median CPU time of a call: one warms up, then as many as fill half a second."""
    start = time.process_time()
    call()
    repeats = int(0.5 / max(time.process_time() - start, 1e-3))
    taken = []
    for _ in range(min(max(repeats, 3), 100)):
        start = time.process_time()
        call()
        taken.append(1e3 * (time.process_time() - start))
    return median(taken)


def ours(folder: Path) -> None:
    from assay.metrics.bradley_terry import covariance, fit
    from assay.metrics.preference.bootstrap import resample_strengths
    from assay.metrics.preference.counts import count_votes

    def whole(a: np.ndarray, b: np.ndarray, o: np.ndarray, policies: int) -> tuple:
        tally = count_votes(a, b, o, policies)
        fitted = fit(tally)
        return fitted.beta, np.sqrt(np.diag(covariance(fitted, tally)))

    found: dict = {"ms": {}, "beta": {}, "error": {}}
    for policies, n in SIZES:
        arrays = load(folder, policies)
        found["ms"][f"fit and intervals, {policies} x {n:,}"] = cpu_ms(
            lambda arrays=arrays, policies=policies: whole(*arrays, policies)
        )
        beta, error = whole(*arrays, policies)
        found["beta"][policies], found["error"][policies] = beta.tolist(), error.tolist()
    arrays = load(folder, ARENA[0])
    tally = count_votes(*arrays, ARENA[0])
    found["ms"]["bootstrap"] = cpu_ms(lambda: resample_strengths(tally, resamples=RESAMPLES))
    print(json.dumps(found))


def peers(folder: Path) -> None:
    import choix
    import evalica
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    found: dict = {"ms": {}, "choix": {}, "arena": {}}
    for policies, n in SIZES:
        a, b, o = load(folder, policies)
        index = pd.Index(range(policies))
        winners = [evalica.Winner.X if said > 0 else evalica.Winner.Y for said in o]
        size = f"{policies} x {n:,}"
        found["ms"][f"evalica fit, {size}"] = cpu_ms(
            lambda a=a, b=b, winners=winners, index=index: evalica.bradley_terry(
                a, b, winners, index
            ),
        )
        wins = np.zeros((policies, policies))
        np.add.at(wins, (np.where(o > 0, a, b), np.where(o > 0, b, a)), 1)
        exact = partial(choix.ilsr_pairwise_dense, wins, tol=1e-12, max_iter=1000)
        found["ms"][f"choix I-LSR of counted wins, {size}"] = cpu_ms(exact)
        beta = exact()
        found["choix"][policies] = (beta - beta.mean()).tolist()
        frame = pd.DataFrame(
            {"model_a": a, "model_b": b, "winner": np.where(o > 0, "model_a", "model_b")}
        )

        def arena(frame: pd.DataFrame = frame, policies: int = policies) -> dict:
            data = PairDataset.from_pandas(frame)
            model = BradleyTerry(policies, scale=1.0, base=np.e, init_rating=0.0)
            return model.compute_ratings_and_cis(data)

        found["ms"][f"arena-rank, {size}"] = cpu_ms(arena)
        found["arena"][policies] = np.sqrt(np.array(arena()["variances"])).tolist()
    a, b, o = load(folder, ARENA[0])
    winners = [evalica.Winner.X if said > 0 else evalica.Winner.Y for said in o]
    start = time.process_time()
    evalica.bootstrap(
        evalica.bradley_terry,
        a,
        b,
        winners,
        index=pd.Index(range(ARENA[0])),
        n_resamples=RESAMPLES,
        bootstrap_method="percentile",
        random_state=0,
    )
    found["ms"]["evalica bootstrap"] = 1e3 * (time.process_time() - start)
    print(json.dumps(found))


def write_many(path: Path) -> None:
    """Write ten million votes."""
    import pyarrow as pa
    from pyarrow import csv

    a, b, o = votes(7, MANY)
    names, outcome = [f"policy-{k}" for k in range(7)], ["b", "tie", "a"]
    texts = pa.DictionaryArray.from_arrays
    columns = {
        "a": texts(a, pa.array(names)).cast(pa.string()),
        "b": texts(b, pa.array(names)).cast(pa.string()),
        "outcome": texts(o.astype(np.int32) + 1, pa.array(outcome)).cast(pa.string()),
    }
    csv.write_csv(pa.table(columns), path, csv.WriteOptions(quoting_style="none"))


def copies(folder: Path) -> None:
    """Say how much memory ten million votes take beyond what they are."""
    from assay.episodes.votes import read_votes
    from assay.metrics.bradley_terry import covariance, fit
    from assay.metrics.preference.counts import count_votes

    path, small = folder / "many.csv", folder / "small.csv"
    if not path.is_file():  # in a process of its own: this one has held the votes in other forms
        write_many(path)
        print(json.dumps(run(sys.executable, "copies", folder)))
        return
    small.write_text("a,b,outcome\nx,y,a\n")
    read_votes(small)  # whatever is loaded when the first file is read
    before = resident()
    start = time.process_time()
    read = read_votes(path)
    taken = time.process_time() - start
    size = read.a.nbytes + read.b.nbytes + read.outcome.nbytes
    grown = resident() - before
    tracemalloc.start()
    tally = count_votes(read.a, read.b, read.outcome, len(read.names))
    fitted = fit(tally)
    covariance(fitted, tally)
    more = tracemalloc.get_traced_memory()[1]
    said = f"{MANY:,} votes, {path.stat().st_size / 1e6:.0f} MB of csv: read in {taken:.1f} cpu-s"
    copied = f"{grown / size - 1:.2f} times as much beside (<= {COPIES:g})"
    lines = [
        f"{said} into {size / 1e6:.0f} MB, at the peak {copied}",
        f"counting and fitting them: {more / size:.3f} times as much",
    ]
    print(json.dumps({"lines": lines}))


def resident() -> float:
    """Return the most memory that this process ever had [bytes].

    Not by `getrusage`, which also counts what the process had that started this one.
    """
    status = Path("/proc/self/status").read_text()
    return 1024 * float(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    main()
