"""Carry out a training: read frames, learn, try the new judge beside the nulls, write the page."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.engine import Journal
from assay.errors import InputError
from assay.jobs._inputs import Gathered
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.jobs._train_blind import blind_spots
from assay.jobs._train_fit import WORK, Learnt, learn
from assay.jobs._train_frames import Preparing, prepare
from assay.jobs._train_lessons import Lessons, lessons_of
from assay.jobs._train_targets import ORIGINS
from assay.jobs._train_tried import Tried, try_judges
from assay.judges.prm_mini._clips import SIZE
from assay.records import Episode, Unreadable
from assay.reports.training_page import write_training_page

__all__ = ["Training", "clear_work"]


@dataclass(frozen=True)
class Training:
    """One training under way.

    Attributes:
        run: The run directory; it becomes the judge.
        gathered: The demonstrations.
        jobs: Workers that read frames; None takes one a core.
    """

    run: RunDirectory
    gathered: Gathered
    jobs: int | None

    @property
    def asked(self) -> Mapping[str, Any]:
        """Return the settings as run.json holds them."""
        settings: Mapping[str, Any] = self.run.document["settings"]
        return settings

    def do(self) -> dict[str, Any]:
        """Learn, write, and clear up; return the document."""
        started = time.perf_counter()
        # The journal's lock is held to the end, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            lessons = self._lessons(journal)
            read = time.perf_counter()
            learnt = learn(lessons, self.asked, self.run.path)
            taught = time.perf_counter()
            tried = try_judges(lessons, self.run.path, self.asked, self.jobs)
            document = self._document(lessons, learnt, tried)
            write_training_page(document, tried.examples, self.run.path)
            write_file(self.run.result, dump_json(document))
        ended = time.perf_counter()
        timing = {
            "seconds": ended - started,
            "reading": read - started,
            "learning": taught - read,
            "trying": ended - taught,
        }
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        # The frames go last: a journal that speaks of frames that are gone can't be taken up.
        self.run.finish()
        clear_work(self.run)
        return document

    def _lessons(self, journal: Journal) -> Lessons:
        found = self.gathered.episodes
        episodes = [episode for episode in found if isinstance(episode, Episode)]
        bad = [episode for episode in found if isinstance(episode, Unreadable)]
        if not episodes:
            raise InputError(f"no demonstration can be read; {bad[0].id}: {bad[0].detail}.")
        how = Preparing(_work(self.run), self.asked["fps"], SIZE)
        ready, without = prepare(episodes, how, journal, self.jobs)
        return lessons_of(ready, [*bad, *without], self.asked["validation"], self.asked["seed"])

    def _document(self, lessons: Lessons, learnt: Learnt, tried: Tried) -> dict[str, Any]:
        facts = {
            "schema": "assay.train/1",
            **lessons.facts(),
            "origins": dict(ORIGINS),
            "size": SIZE,
            "made": learnt.made,
            "start": learnt.start,
            "history": [_without_nan(look) for look in learnt.history],
            "stopped": learnt.stopped,
            "judged_on": "held_out" if lessons.held else "trained",
            "judged": tried.count,
            "judges": tried.rows,
            "calibration": tried.calibration,
            "settings": dict(self.asked),
            "inputs": list(self.gathered.inputs),
        }
        return {**facts, "blind_spots": blind_spots(facts)}


def clear_work(run: RunDirectory) -> None:
    """Remove what a finished run no longer needs; what can't be removed does no harm."""
    shutil.rmtree(_work(run), ignore_errors=True)


def _work(run: RunDirectory) -> Path:
    return run.path / WORK


def _without_nan(look: Mapping[str, float]) -> dict[str, float | None]:
    """Return the figures of a look; what could not be computed is None, as JSON has it."""
    return {name: value if math.isfinite(value) else None for name, value in look.items()}
