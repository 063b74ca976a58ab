"""Reports of events for tests: lines of files, and random ones."""

import json

import numpy as np

from assay.episodes.glitches.taxonomy import taxonomy


def event(kind="blur", start=0.0, end=1.0, severity=3, description="", **more):
    return {
        "type": kind,
        "span_s": [start, end],
        "severity": severity,
        "description": description,
        "evidence": "",
        **more,
    }


def line(clip, *events, dataset="", **more):
    return {"clip": clip, "dataset": dataset, "events": list(events), **more}


def write(path, lines):
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def random_lines(rng, clips, most=4, datasets=("one", "two")):
    """Return lines with 0 to `most` events a clip, described by a few words of a small stock."""
    types = list(taxonomy().types)
    stock = ("block", "gripper", "table", "drifts", "vanishes", "twice", "drawer", "arm")
    lines = []
    for clip in range(clips):
        events = []
        for _ in range(int(rng.integers(0, most + 1))):
            start, length = rng.uniform(0, 8), rng.uniform(0.1, 3)
            said = " ".join(rng.choice(stock, 4))
            kind = types[int(rng.integers(len(types)))]
            severity = float(rng.integers(2, 11)) / 2
            events.append(event(kind, start, start + length, severity, said))
        lines.append(line(f"clip-{clip}", *events, dataset=datasets[clip % len(datasets)]))
    return lines


def rng(seed=0):
    return np.random.default_rng(seed)
