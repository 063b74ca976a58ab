"""Have episodes judged, by one judge or by several in the same run."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assay.engine import Failure, Journal, Tally, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.engine.work import stop_at
from assay.jobs._units import Scored, decode, unscored, worker
from assay.judges.base import Bound, ProgressJudge
from assay.records import Episode, Unreadable

__all__ = ["Found", "Judging", "Results"]

Found: TypeAlias = Episode | Unreadable
Results: TypeAlias = dict[str, dict[str, Scored]]
"""What judging gave, by the judge's name and the episode's id."""

_LOG = logging.getLogger("assay")
_BOUNDS: tuple[Bound, ...] = ("cpu", "network")


@dataclass(frozen=True)
class Judging:
    """Who judges, where results are kept, and how many work at it.

    Attributes:
        judges: The judges by name, the main one first.
        journal: Keeps what is judged.
        fps: The sampling rate that was asked for [1/s], or None.
        jobs: Workers; None takes one a core.
    """

    judges: Mapping[str, ProgressJudge]
    journal: Journal
    fps: float | None
    jobs: int | None

    def results(
        self, episodes: Sequence[Found], known: Mapping[str, Mapping[str, Scored]]
    ) -> Results:
        """Judge what neither the journal nor `known` holds; return all results.

        Raises:
            RunError: What was paid for can't be stored; what is judged is in the journal.
        """
        found = {name: dict(known.get(name, {})) for name in self.judges}
        units = {
            bound: list(self._units(episodes, found, bound))
            for bound in _BOUNDS
            if any(judge.bound == bound for judge in self.judges.values())
        }
        failures = [failure for bound in units for failure in self._run(units, bound)]
        for key, data in self.journal.items():
            judge, episode = self._read_key(key)
            found[judge][episode] = decode(data)
        for failure in failures:
            judge, episode = self._read_key(failure.key)
            _LOG.info("%s: the judge failed.\n%s", failure.key, failure.traceback)
            why = f"the judge failed: {failure.type}: {failure.message} (see log.jsonl)"
            found[judge][episode] = unscored("invalid_value", why)
        for bad in episodes:
            if isinstance(bad, Unreadable):
                for results in found.values():
                    results[bad.id] = unscored(bad.status, bad.detail)
        return found

    def _units(self, episodes: Sequence[Found], found: Results, bound: Bound) -> Iterator[Unit]:
        for place, (name, judge) in enumerate(self.judges.items()):
            if judge.bound == bound:
                for episode in episodes:
                    if isinstance(episode, Episode) and episode.id not in found[name]:
                        yield Unit(self._key(place, episode.id), (place, episode))

    def _run(self, units: Mapping[Bound, list[Unit]], bound: Bound) -> tuple[Failure, ...]:
        """Run the units of one bound; what the others have in the journal counts as done."""
        done = self.journal.done() if len(units) > 1 else frozenset()
        others = [u for other in units if other != bound for u in units[other] if u.key in done]
        with ProgressBar("judging") as bar:

            def told(tally: Tally) -> None:
                bar(tally)
                stop_at(tally.failures)

            tally = run_units(
                worker(tuple(self.judges.values()), self.fps),
                [*others, *units[bound]],
                self.journal,
                bound=bound,
                jobs=self.jobs,
                on_tally=told,
            )
        return tally.failures

    def _key(self, place: int, episode: str) -> str:
        """Return the key of a unit; one judge alone needs no place in it."""
        return episode if len(self.judges) == 1 else f"{place}:{episode}"

    def _read_key(self, key: str) -> tuple[str, str]:
        """Return the judge and the episode of a key."""
        names = tuple(self.judges)
        if len(names) == 1:
            return names[0], key
        place, _, episode = key.partition(":")
        return names[int(place)], episode
