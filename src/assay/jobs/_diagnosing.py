"""Carry out a diagnosis: examine what is left to examine, then write reports and pages."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from assay.engine import Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.engine.tally import Tally
from assay.engine.work import stop_at
from assay.jobs._calls import asked, revisions_of, unpack, write_calls
from assay.jobs._clips import make_clips
from assay.jobs._describe import describe_judge
from assay.jobs._diagnose_document import Clip, failing, summary
from assay.jobs._diagnose_files import read_examined, write_files
from assay.jobs._diagnose_units import Examined, decode, unexamined, worker
from assay.jobs._fail_on import Rule
from assay.jobs._holding import hold, up_to_date
from assay.jobs._inputs import Gathered
from assay.jobs._models import standing, write_usage
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.judges.base import Diagnoses
from assay.models.session import Session
from assay.records import Episode, Unreadable
from assay.reports.diagnose_page import DiagnosePage, write_diagnose_page

__all__ = ["Diagnosing"]

_LOG = logging.getLogger("assay")


@dataclass(frozen=True)
class Diagnosing:
    """One diagnosis under way.

    Attributes:
        run: Where it is written.
        gathered: The clips.
        judge: Who looks at them.
        rules: What makes the run fail.
        video: Whether pages link to, copy or leave out the videos.
        session: Through which the judge asks models; None if it asks none.
    """

    run: RunDirectory
    gathered: Gathered
    judge: Diagnoses
    rules: Sequence[Rule]
    video: Literal["link", "copy", "none"]
    session: Session | None = None

    @property
    def name(self) -> str:
        """Return the judge's name."""
        return str(describe_judge(self.judge)["name"])

    def do(self, jobs: int | None, *, retry: bool) -> dict[str, Any]:
        """Examine, write, and clear up; return the document."""
        started = time.perf_counter()
        before = standing(self.session)
        # The journal's lock is held while the pages are written, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            known = self._known(retry=retry)
            begun = (decode(data) for _, data in journal.items())
            judged = (one for one in chain(begun, known.values()) if one.is_ok)
            hold(self.session, self.run.path, (revisions_of(one.calls) for one in judged))
            examined = self._examined(journal, known, jobs)
            write_usage(self.run.path / "usage.json", self.session, before)
            document = self._write(examined, jobs)
        timing = {"seconds": time.perf_counter() - started, "clips": len(self.gathered.episodes)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        self.run.finish()
        return document

    def _known(self, *, retry: bool) -> dict[str, Examined]:
        """Return what an earlier report of this run holds, without what is to be done again."""
        fresh = up_to_date(self.session)
        return {
            name: one
            for name, one in read_examined(self.run.path, self.name).items()
            if (fresh(revisions_of(one.calls)) if one.is_ok else not retry)
        }

    def _examined(
        self, journal: Journal, known: Mapping[str, Examined], jobs: int | None
    ) -> dict[str, Examined]:
        """Examine what neither the journal nor `known` holds; return all clips."""
        found, clips = dict(known), self.gathered.episodes
        units = [Unit(c.id, c) for c in clips if isinstance(c, Episode) and c.id not in found]
        with ProgressBar("diagnosing") as bar:

            def told(tally: Tally) -> None:
                bar(tally)
                stop_at(tally.failures)

            tally = run_units(
                worker(self.judge),
                units,
                journal,
                bound=self.judge.bound,
                jobs=jobs,
                on_tally=told,
            )
        found |= {key: decode(data) for key, data in journal.items()}
        for failure in tally.failures:
            _LOG.info("%s: the judge failed.\n%s", failure.key, failure.traceback)
            why = f"the judge failed: {failure.type}: {failure.message} (see log.jsonl)"
            found[failure.key] = unexamined("invalid_value", why)
        bad = [clip for clip in clips if isinstance(clip, Unreadable)]
        return found | {one.id: unexamined(one.status, one.detail) for one in bad}

    def _write(self, examined: Mapping[str, Examined], jobs: int | None) -> dict[str, Any]:
        """Compute and write everything; the document comes last."""
        out, episodes = self.run.path, self.gathered.episodes
        clips = [Clip(episode, examined[episode.id]) for episode in episodes]
        calls = {self.name: {c.id: c.examined.calls for c in clips if c.examined.calls}}
        document = {
            "schema": "assay.diagnose/1",
            **summary(clips),
            "failing": failing(clips, self.rules),
            "judge": describe_judge(self.judge),
            "settings": self.run.document["settings"],
            "inputs": list(self.gathered.inputs),
        }
        if came_to := asked(calls):
            document["asked"] = came_to
        write_files(out, clips, self.name)
        write_calls(out / "calls.parquet", calls)
        page = DiagnosePage(
            document=document,
            clips=[{**clip.row(self.name), **_shown(clip)} for clip in clips],
            videos=make_clips(episodes, out, self.video, jobs),
            calls=lambda name: [
                {"judge": self.name, **row} for row in unpack(calls[self.name].get(name, b""))
            ],
        )
        write_diagnose_page(page, out)
        write_file(self.run.result, dump_json(document))
        return document


def _shown(clip: Clip) -> dict[str, Any]:
    """Return what the page of a clip shows beside its row."""
    episode = clip.episode
    instruction = episode.instruction if isinstance(episode, Episode) else ""
    return {"instruction": instruction, "examined": clip.examined.as_json()}
