"""Carry out a certification: examine what is left to examine, then write the passport."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assay import __version__
from assay.benchmarks.passport import SCHEMA, find_passport
from assay.benchmarks.passport.examining import (
    LOST,
    Examiner,
    Subject,
    lines_of,
    missing,
    novel_share,
    unanswered,
)
from assay.benchmarks.passport.identity import KEPT, folder_of, identify, options_of
from assay.benchmarks.passport.lines import EPISODES, WORLDS, Domain
from assay.engine import Journal, Tally, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.engine.work import stop_at
from assay.errors import InputError
from assay.jobs._describe import card_of
from assay.jobs._holding import By, asked_by
from assay.jobs._inputs import Gathered
from assay.jobs._retrying import Sifted, keep_units, take_up
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.judges.base import ProgressJudge
from assay.models.recording import witnessed
from assay.models.session import Session
from assay.records import Episode, Unreadable
from assay.reports.passport_page import write_passport_page
from assay.worlds.look import LOOK

__all__ = ["Certifying"]

_LOG = logging.getLogger("assay")


@dataclass(frozen=True)
class Certifying:
    """One certification under way.

    Attributes:
        run: Where it is written.
        judge: Who is certified.
        gathered: The user's episodes, or None.
        subjects: Everything to examine, by key.
        session: Through which the judge asks a model; None if it asks none.
    """

    run: RunDirectory
    judge: ProgressJudge
    gathered: Gathered | None
    subjects: Mapping[str, Subject | Unreadable]
    session: Session | None = None

    def do(self, jobs: int | None, *, keep: bool) -> dict[str, Any]:
        """Examine, write, and clear up; return the document."""
        started = time.perf_counter()
        with Sifted(self.run.journal, self.run.fingerprint, _is_lost) as journal:
            take_up(journal, self.run.path, self.session, lambda data: _by(json.loads(data)))
            results = self._results(journal, jobs)
            document = self._document(list(results.values()))
            write_passport_page(document, self.run.path)
            write_file(self.run.result, dump_json(document))
            self._keep_units(results)
        timing = {"seconds": time.perf_counter() - started, "subjects": len(self.subjects)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        if keep:
            _keep(self.judge, document)
        self.run.finish()
        return document

    def examine(self, journal: Journal, jobs: int | None) -> Tally:
        """Examine what the journal does not hold.

        Raises:
            RunError: What was paid for can't be stored; what is examined is in the journal.
        """
        units = [Unit(key, self.subjects[key]) for key in self._readable()]
        with ProgressBar("examining") as bar:

            def told(tally: Tally) -> None:
                bar(tally)
                stop_at(tally.failures)

            # Scenes are drawn in the worker, and a renderer lives in one thread: processes always.
            return run_units(
                partial(_Witnessed, self.judge), units, journal, jobs=jobs, on_tally=told
            )

    def _readable(self) -> list[str]:
        return [key for key, one in self.subjects.items() if not isinstance(one, Unreadable)]

    def _keep_units(self, results: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep for a retry what needs none."""
        answered = [key for key in self._readable() if not unanswered(results[key])]
        settled = {key: json.dumps(results[key]).encode() for key in answered}
        keep_units(self.run.path, settled, missing=len(answered) < len(self._readable()))

    def _results(self, journal: Journal, jobs: int | None) -> dict[str, dict[str, Any]]:
        """Return all results by key, in the order of subjects."""
        tally = self.examine(journal, jobs)
        found = {key: json.loads(data) for key, data in journal.items()}
        for failure in tally.failures:
            _LOG.info("%s: could not be examined.\n%s", failure.key, failure.traceback)
            why = f"the judge failed: {failure.type}: {failure.message} (see log.jsonl)"
            found[failure.key] = missing(self.subjects[failure.key], why, "invalid_value")
        for key, subject in self.subjects.items():
            if isinstance(subject, Unreadable):
                found[key] = missing(subject, f"{subject.id}: {subject.detail}")
        return {key: found[key] for key in self.subjects}

    def _document(self, results: list[dict[str, Any]]) -> dict[str, Any]:
        domains = {
            domain: self._domain(results, domain)
            for domain in (EPISODES, WORLDS)
            if any(result["domain"] == domain for result in results)
        }
        lacking = [why for result in results if (why := unanswered(result))]
        return {
            "schema": SCHEMA,
            "judge": _described(self.judge, self.run.path),
            "identity": identify(self.judge),
            "look": LOOK,
            "domains": domains,
            "checks": [
                line for domain in domains for line in lines_of(self.judge, results, domain)
            ],
            "settings": self.run.document["settings"],
            "inputs": [] if self.gathered is None else list(self.gathered.inputs),
            "versions": {"assay": __version__},
            **({"unanswered": {"subjects": len(lacking), "first": lacking[0]}} if lacking else {}),
            **asked_by(map(_by, results)),
        }

    def _domain(self, results: list[dict[str, Any]], domain: Domain) -> dict[str, Any]:
        """Return what of a domain was looked at, and whether the judge knows such scenes."""
        own = [
            subject
            for subject in self.subjects.values()
            if isinstance(subject, Episode | Unreadable) == (domain == EPISODES)
        ]
        tasks = sorted({one.task for one in own if not isinstance(one, Episode | Unreadable)})
        share = novel_share(results, domain)
        limit = (card_of(self.judge) or {}).get("novel_limit")
        strange = share is not None and limit is not None and share > float(limit)
        return {
            "subjects": len(own),
            **({"tasks": tasks} if domain == WORLDS else {}),
            "novel": share,
            "note": "This judge has not seen such scenes: its lines here tell how it behaves on"
            " what is strange to it."
            if strange
            else "",
        }


class _Witnessed:
    """An examiner that also says which model answered as which revision."""

    def __init__(self, judge: ProgressJudge) -> None:
        self._examine = Examiner(judge)

    def __call__(self, subject: Subject) -> bytes:
        """Return what the checks found, and who answered, as JSON."""
        with witnessed() as by:
            found = self._examine(subject)
        return json.dumps({**json.loads(found), "by": sorted(by)}).encode() if by else found


def _by(result: Mapping[str, Any]) -> list[By]:
    """Return which model answered as which revision when a subject was examined."""
    return [(model, revision) for model, revision in result.get("by", ())]


def _is_lost(result: bytes) -> bool:
    """Tell whether an answer of the judge never came: it is asked for when the run goes on."""
    return bool(unanswered(json.loads(result), LOST))


def _described(judge: ProgressJudge, out: Path) -> dict[str, Any]:
    """Return the judge as the heading names it: paths among its options as text.

    What the run made itself, such as goals, goes by its place in the run directory `out`.
    """
    known = identify(judge)
    told = {
        name: str(path.relative_to(out) if path.is_relative_to(out) else path)
        for name, path in options_of(judge).items()
        if isinstance(path, Path)
    }
    card = {
        k: v
        for k, v in (card_of(judge) or {}).items()
        if isinstance(v, str | int | float | bool | None)
    }
    return {
        "name": known["name"],
        "settings": {**known["settings"], **told},
        "files": known["files"],
        "bound": judge.bound,
        "noise": judge.noise,
        "card": card,
    }


def _keep(judge: ProgressJudge, document: Mapping[str, Any]) -> None:
    """Put the passport beside the weights of a trained judge, where later reports find it.

    One that rests on more episodes or scenes is not replaced, as long as it holds.
    """
    folder = folder_of(judge)
    if folder is None:
        return
    if _has_more(judge, document):
        _LOG.warning("%s was left as it is: it rests on more than this one.", folder / KEPT)
        return
    try:
        write_file(folder / KEPT, dump_json(document))
    except OSError as error:
        _LOG.warning("the passport could not be kept in %s: %s.", folder, error.strerror)


def _has_more(judge: ProgressJudge, document: Mapping[str, Any]) -> bool:
    """Tell whether the passport that the judge has holds, and has more subjects in a domain."""
    try:
        present = find_passport(judge)
    except InputError:  # no passport, or one of another schema
        return False
    if present is None or present.stale:
        return False
    new = document["domains"]
    return any(
        about["subjects"] > new.get(domain, {"subjects": 0})["subjects"]
        for domain, about in present.document.get("domains", {}).items()
    )
