"""Scoring reports of 100,000 clips, beside the loop over clips that one would write with scipy.

    .venv/bin/python speed/glitches.py [--clips 100000]

Both get the same events and the same similarities; both return the mean F1. Texts are left out:
comparing them costs the same for both.
"""

import argparse
import statistics
import time

import numpy as np
from scipy.optimize import linear_sum_assignment

from assay.metrics.glitches.figures import clip_scores
from assay.metrics.glitches.matching import Marked, candidates, match
from assay.metrics.glitches.tallies import tally
from assay.metrics.overlap import Spans

LIMIT = 5.0


def made(rng, clips, most=4):
    """Return events of many clips: 0 to `most` each, 10 s long clips, 6 dimensions."""
    counts = rng.integers(0, most + 1, clips)
    home = np.repeat(np.arange(clips), counts)
    start = rng.uniform(0, 8, len(home))
    times = np.stack([start, start + rng.uniform(0.2, 3, len(home))], axis=1)
    numbers = rng.integers(0, 6, len(home))
    return Marked(Spans(times, home), numbers, numbers, rng.integers(1, 6, len(home)).astype(float))


def ours(said, true, clips, alike):
    pairs = candidates(said, true)
    found = match(said, true, pairs, alike[pairs.first % 997, pairs.second % 991])
    return float(np.nanmean(clip_scores(tally(said, true, found, clips))["f1"]))


def plain(said, true, clips, alike):
    ends = [np.searchsorted(side.spans.clips, np.arange(clips + 1)) for side in (said, true)]
    scores = []
    for clip in range(clips):
        i, j = (np.arange(e[clip], e[clip + 1]) for e in ends)
        if not len(j):
            continue
        if not len(i):
            scores.append(0.0)
            continue
        p, r = said.spans.times[i][:, None], true.spans.times[j][None]
        shared = np.minimum(p[..., 1], r[..., 1]) - np.maximum(p[..., 0], r[..., 0])
        shared = np.maximum(shared, 0.0)
        iou = shared / (p[..., 1] - p[..., 0] + r[..., 1] - r[..., 0] - shared)
        close = alike[i[:, None] % 997, j[None] % 991]
        same = said.dimensions[i][:, None] == true.dimensions[j][None]
        fits = close * iou * (1 + 0.25 * same)
        rows, columns = linear_sum_assignment(fits, maximize=True)
        kept = fits[rows, columns] > 0
        scores.append(2 * close[rows, columns][kept].sum() / (len(i) + len(j)))
    return float(np.mean(scores))


def cpu(function, *given):
    begun = time.process_time()
    value = function(*given)
    return value, time.process_time() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=100_000)
    clips = parser.parse_args().clips
    rng = np.random.default_rng(0)
    said, true = made(rng, clips), made(rng, clips)
    alike = rng.uniform(0, 1, (997, 991))
    times = {ours: [], plain: []}
    values = {}
    for _ in range(3):
        for function, taken in times.items():
            values[function], seconds = cpu(function, said, true, clips, alike)
            taken.append(seconds)
    quick, slow = (statistics.median(times[f]) for f in (ours, plain))
    print(f"{clips} clips, {len(said)} reported and {len(true)} true events")
    print(f"ours {1000 * quick:.0f} cpu-ms, plain loop {1000 * slow:.0f}: {slow / quick:.1f}x")
    print(f"limit: at least {LIMIT:g}x; mean F1 differs by {abs(values[ours] - values[plain]):.1e}")


if __name__ == "__main__":
    main()
