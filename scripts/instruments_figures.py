"""Measure the instruments on a built benchmark of glitches, and write the table of their page.

    .venv/bin/python scripts/instruments_figures.py DIR [--write]

DIR is the folder of one split, as `assay build glitches` writes it: a manifest, clips, and
`references.jsonl`. A fault counts as found if one of the same type overlaps it by IoU >= 0.5, each
once. Intervals come from 1,000 resamples of the clips. With `--write` the table replaces what
stands between the two marks of docs/instruments.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from marked import write_part

from assay.episodes.catalogue import read
from assay.episodes.glitches.reports import read_reports
from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges import make_judge
from assay.metrics.intervals import share_interval
from assay.records import Episode, Event, Floats

PAGE = Path(__file__).resolve().parent.parent / "docs" / "instruments.md"
IOU, RESAMPLES = 0.5, 1000
THINGS = ("object_teleportation", "object_disappearance", "object_hallucination")


@dataclass(frozen=True)
class Clip:
    """What was found in a clip, what is in it, and what that took."""

    said: tuple[Event, ...]
    true: tuple[Event, ...]
    cpu_s: float
    length_s: float


def measured(folder: Path) -> list[Clip]:
    """Diagnose every clip of a split."""
    judge, clips = make_judge("instruments"), []
    truth = read_reports(folder / "references.jsonl", truth=True)
    for episode in read(folder):
        if not isinstance(episode, Episode) or episode.id not in truth:
            continue
        started = time.process_time()
        said = judge.diagnose(episode).value or ()
        taken = time.process_time() - started
        length = truth[episode.id].length_s or episode.duration()
        clips.append(Clip(said, truth[episode.id].events, taken, length))
    return clips


def counts(clips: Sequence[Clip], kinds: Sequence[str]) -> Floats:
    """Return found, missed and false ones of some types in each clip, of shape (n, 3)."""
    return np.array([_counted(clip, kinds) for clip in clips], np.float64)


def _counted(clip: Clip, kinds: Sequence[str]) -> tuple[int, int, int]:
    said = [event for event in clip.said if event.type in kinds]
    true = [event for event in clip.true if event.type in kinds]
    found = 0
    for event in true:
        match = next((s for s in said if s.type == event.type and _iou(s, event) >= IOU), None)
        if match is not None:
            said.remove(match)
            found += 1
    return found, len(true) - found, len(said)


def _iou(one: Event, other: Event) -> float:
    shared = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    whole = max(one.end_s, other.end_s) - min(one.start_s, other.start_s)
    return max(shared, 0.0) / whole if whole > 0 else 0.0


def f1(table: Floats) -> Floats:
    """Return 2 found / (2 found + missed + false) of counts of shape (..., 3)."""
    found, missed, false = np.moveaxis(table, -1, 0)
    return 2 * found / np.maximum(2 * found + missed + false, 1)


def line(clips: Sequence[Clip], name: str, kinds: Sequence[str]) -> str:
    """Return the row of some types: counts, F1 and its interval."""
    table = counts(clips, kinds)
    found, missed, false = table.sum(axis=0).astype(int).tolist()
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(table), (RESAMPLES, len(table)))
    low, high = np.quantile(f1(table[drawn].sum(axis=1)), [0.025, 0.975])
    score = float(f1(table.sum(axis=0)))
    return f"| {name} | {found} | {missed} | {false} | {score:.2f} [{low:.2f}, {high:.2f}] |"


def report(clips: Sequence[Clip], folder: Path) -> str:
    """Return all figures as Markdown."""
    known = taxonomy()
    kinds = {e.type for c in clips for e in (*c.said, *c.true)}
    shown = [kind for kind in known.types if kind in kinds]
    visual = list(known.dimensions["visual_quality"].types)
    clean = [clip for clip in clips if not clip.true]
    right = sum(not clip.said for clip in clean)
    share, low, high, _ = share_interval(right, max(len(clean), 1))
    within = "" if low is None else f" [{low:.2f}, {high:.2f}]"
    taken = sum(c.cpu_s for c in clips) / max(sum(c.length_s for c in clips), 1e-9)
    worst = max(c.cpu_s / c.length_s for c in clips)
    rows = [
        f"{len(clips)} clips of the split `{folder.name}`; IoU >= {IOU}, type by type.",
        "",
        "| type | found | missed | false | F1 |",
        "|---|---|---|---|---|",
        line(clips, "**all of visual_quality**", visual),
        line(clips, "**teleportation, disappearance, hallucination**", THINGS),
        *(line(clips, f"`{kind}`", [kind]) for kind in shown),
        "",
        f"Clean clips without a report: {right} of {len(clean)}, {share:.2f}{within}.",
        f"CPU: {taken:.2f} of the clips' length, {worst:.2f} at worst.",
        "",
    ]
    return "\n".join(rows)


def main() -> int:
    """Print the figures, and write them into the page if that was asked for."""
    folders = [Path(word) for word in sys.argv[1:] if word != "--write"]
    if len(folders) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    made = report(measured(folders[0]), folders[0])
    sys.stdout.write(made)
    if "--write" in sys.argv:
        write_part(PAGE, "figures", made)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
