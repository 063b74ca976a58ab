"""A conversion to be killed: run as a script, it logs every episode that it begins to write."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from assay.cli import main
from assay.episodes.writers.lerobot import LeRobotDataset
from killed import Verb, files_of, keys, note

PLAIN = LeRobotDataset.write


def logged(self, episode, root, number):
    note(f"{number:09d} {episode.id}")
    time.sleep(0.02)
    return PLAIN(self, episode, root, number)


def conversion(source: Path) -> Verb:
    """Return the verb on a dataset, with its episodes one after the other."""
    return Verb(
        words=["convert", source, "--to", "lerobot", "--out", "run", "--jobs", 1],
        stored=lambda folder: keys(folder / "run" / "journal.sqlite"),
        result=lambda folder: files_of(folder / "run"),
        script=[Path(__file__)],
    )


if __name__ == "__main__":
    LeRobotDataset.write = logged
    main()
    sys.exit(0)
