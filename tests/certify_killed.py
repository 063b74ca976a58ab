"""A certification to be killed: clips, and a judge of brightness that logs what it is shown."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clips import write_clip
from killed import Verb, keys, note
from passport_made import Sees


@dataclass(frozen=True)
class Logged(Sees):
    """Note each look at an episode in a file, slowly."""

    def progress(self, episode, times):
        note(f"episode {episode.id}")
        time.sleep(0.005)
        return super().progress(episode, times)


def make_clips(folder: Path, count: int) -> Path:
    """Write clips of 2 s."""
    folder.mkdir()
    for number in range(count):
        write_clip(folder / f"clip{number:02d}.mp4", frames=20, fps=10, first=100 * number)
    return folder


def certify_on(clips: Path, jobs: int) -> Verb:
    """Return the verb on a folder of clips. It exits with 1: brightness is no progress."""
    how = ["--on", clips, "--no-worlds", "--jobs", jobs, "--out", "run"]
    return Verb(
        words=["certify", "certify_killed:Logged", *how],
        stored=lambda folder: keys(folder / "run" / "journal.sqlite"),
        result=_document,
        code=1,
    )


def _document(folder: Path) -> dict[str, Any]:
    """The passport but for what judging costs, which no two runs share."""
    document = json.loads((folder / "run" / "certify.json").read_text())
    checks = [line for line in document["checks"] if line["check"] != "cost"]
    return {**document, "checks": checks}
