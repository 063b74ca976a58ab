"""Kill `assay build glitches` with SIGKILL at random moments, run it again, and compare.

    python tests/proof/kill_build_glitches.py [--runs 3] [--clips 24] [--seed 0]

Prints one line; exits with 1 if a clip that was stored was made again, or if a run did not end as
an undisturbed one does.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import killed
from glitch_clips_made import write_recorded


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser()
    for name, value in (("runs", 3), ("clips", 24), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        source = write_recorded(root / "clips")
        ask = ["build", "glitches", "--from", source, "--clips", asked.clips, "--size", 96]
        words = [*killed.ASSAY, *ask, "--jobs", 2, "--out", "run"]
        (root / "whole").mkdir()
        expected = _ended(root / "whole", words)
        found = [
            _killed(root / f"run{n}", words, chance.randrange(1, asked.clips))
            for n in range(asked.runs)
        ]
    again = sum(count for count, _ in found)
    differ = sum(files != expected for _, files in found)
    print(f"assay build glitches: {asked.runs} kills, {again} clips again, {differ} differ")
    return int(bool(again or differ))


def _ended(folder: Path, words: list[object]) -> dict[str, bytes]:
    """Let a build end and return its files."""
    assert killed.start(folder, words).wait(killed.DEADLINE_S) == 0
    return killed.files_of(folder / "run")


def _killed(folder: Path, words: list[object], stored: int) -> tuple[int, dict[str, bytes]]:
    """Kill a build once so many clips are stored; count those that are made again after that."""
    folder.mkdir()
    journal = folder / "run" / "journal.sqlite"
    killed.kill(killed.start(folder, words), lambda: len(killed.keys(journal)) >= stored)
    names = {f"recorded-{int(key.split()[-1]):04d}.mp4" for key in killed.keys(journal)}
    clips = [path for path in folder.rglob("*.mp4") if path.name in names]
    before = {path: path.stat().st_mtime_ns for path in clips}
    files = _ended(folder, words)
    return sum(path.stat().st_mtime_ns != before[path] for path in clips), files


if __name__ == "__main__":
    sys.exit(main())
