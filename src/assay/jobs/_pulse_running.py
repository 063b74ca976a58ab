"""Carry out a run of judges on pulse: ask what is left to ask, then score and write."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.engine import Failure, Journal, Tally, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.engine.work import stop_at
from assay.jobs._holding import asked_by
from assay.jobs._pulse_opening import Opened
from assay.jobs._pulse_scoring import Scoring, Spoken, write_answers
from assay.jobs._pulse_shown import choose_shown, show
from assay.jobs._pulse_units import Ask, Said, decode, is_lost, is_settled, worker
from assay.jobs._retrying import Sifted, keep_units, take_up
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.judges.base import Bound, Judge
from assay.models.session import Session
from assay.reports.pulse_page import write_pulse_page

__all__ = ["Asking", "Running"]

_LOG = logging.getLogger("assay")
_BOUNDS: tuple[Bound, ...] = ("cpu", "network")


@dataclass(frozen=True)
class Asking:
    """How judges are asked.

    Attributes:
        levels: Shares of noise, 0 first.
        seed: Of noise and intervals.
        by_curve: Whether pairs are answered by the curve wherever there is one.
    """

    levels: Sequence[float]
    seed: int
    by_curve: bool = False


@dataclass(frozen=True)
class Running:
    """One run under way.

    Attributes:
        run: Where it is kept.
        opened: The benchmark.
        judges: The judges by name, null judges among them.
        nulls: Which names are null judges.
        recorded: Recorded answers by name and item.
        how: How they are asked.
        passports: What is known of each judge.
        session: Through which the judges ask models; None if none does.
    """

    run: RunDirectory
    opened: Opened
    judges: Mapping[str, Judge]
    nulls: Sequence[str]
    recorded: Mapping[str, Mapping[str, int]]
    how: Asking
    passports: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    session: Session | None = None

    def do(self, jobs: int | None) -> dict[str, Any]:
        """Ask, score, write, and clear up; return the document."""
        started = time.perf_counter()
        with Sifted(self.run.journal, self.run.fingerprint, is_lost) as journal:
            take_up(journal, self.run.path, self.session, lambda data: decode(data).by)
            document = self._write(self.ask(journal, jobs))
            settled = {key: data for key, data in journal.items() if is_settled(data)}
            keep_units(self.run.path, settled, missing=len(settled) < self._count())
        timing = {"seconds": time.perf_counter() - started, "items": len(self.opened.items)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        self.run.finish()
        return document

    def ask(self, journal: Journal, jobs: int | None) -> Spoken:
        """Ask what the journal does not hold; return all that was said, failures included.

        Raises:
            RunError: What was paid for can't be stored; what was said is in the journal.
        """
        asks: dict[str, Ask] = {}
        failures: list[Failure] = []
        for bound in _BOUNDS:
            units = list(self._units(bound))
            others = [Unit(key, None) for key in asks if key in journal.done()]
            asks |= {unit.key: unit.payload for unit in units}
            if units:
                failures += self._run([*others, *units], journal, bound, jobs)
        found = {self._spoken(asks[key]): decode(data) for key, data in journal.items()}
        for failure in failures:
            _LOG.info("%s: the judge failed.\n%s", failure.key, failure.traceback)
            why = f"the judge failed: {failure.type}: {failure.message} (see log.jsonl)"
            found[self._spoken(asks[failure.key])] = Said(trouble=("invalid_value", why))
        return found

    def _run(
        self, units: Sequence[Unit], journal: Journal, bound: Bound, jobs: int | None
    ) -> tuple[Failure, ...]:
        with ProgressBar("judging") as bar:

            def told(tally: Tally) -> None:
                bar(tally)
                stop_at(tally.failures)

            make = worker(tuple(self.judges.values()), self.how.seed, by_curve=self.how.by_curve)
            return run_units(make, units, journal, bound=bound, jobs=jobs, on_tally=told).failures

    def _count(self) -> int:
        return sum(1 for bound in _BOUNDS for _ in self._units(bound))

    def _spoken(self, ask: Ask) -> tuple[str, float, str]:
        return tuple(self.judges)[ask.place], ask.noise, ask.episode.id

    def _units(self, bound: Bound) -> Iterator[Unit]:
        """Yield a unit for each judge, level of noise and episode; noise is for pairs alone."""
        pairs: dict[str, dict[str, tuple[float, float]]] = {}
        for item in self.opened.items:
            pairs.setdefault(item.episode, {})[item.item] = (item.t_before, item.t_after)
        for place, judge in enumerate(self.judges.values()):
            for level in self.how.levels if judge.bound == bound else ():
                for name, episode in self.opened.episodes.items():
                    if not level or name in pairs:
                        ask = Ask(place, level, episode, pairs.get(name, {}))
                        yield Unit(f"{place}:{level:g}:{name}", ask)

    def _write(self, said: Spoken) -> dict[str, Any]:
        """Write answers, page and, last, the document."""
        out, items = self.run.path, self.opened.items
        scoring = Scoring(self.opened, said, self.recorded, self.judges, self.nulls, self.passports)
        document = {
            **scoring.document(self.how.levels, self.how.seed),
            **asked_by(one.by for one in said.values()),
            "settings": self.run.document["settings"],
        }
        table = scoring.answers()
        write_answers(out / "answers.parquet", items, table)
        shown = [
            show(
                items[k],
                self.opened.episodes[items[k].episode],
                {name: int(answers[k]) for name, answers in table.items()},
            )
            for k in choose_shown(items, table, self.nulls)
        ]
        write_pulse_page(document, shown, out)
        write_file(self.run.result, dump_json(document))
        return document
