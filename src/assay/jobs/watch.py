"""Follow runs that still grow: after every pair of episodes say stop, continue, or how many more.

What is shown is valid at all moments together, so that one may look as often as one likes and stop
for any reason. Everything is read off the runs' own folders, into which nothing is written. Only
the order in which episodes came is kept in `watch.json`, so that a verdict stays where it was made
when the watch is killed and begun again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._compare_cases import Case, Judges, Run, judges_of
from assay.jobs._inputs import refuse_out_inside
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.jobs._watch_followed import Followed
from assay.jobs._watch_plan import goals_of, metrics_of, unwatched
from assay.jobs._watch_runs import follow
from assay.jobs._watch_streams import Following
from assay.reports._watch_words import left_out, line
from assay.reports.difference_page import alarms_of
from assay.reports.watch_page import write_watch_page

__all__ = ["WatchResult", "WatchSettings", "watch"]

_LONGEST_S = 86_400.0
_ORDER = (
    "Pairs count in the order in which the second of them came; of a run that was finished before"
    " it was first looked at, in the order of its table. Several workers may swap neighbours: the"
    " guarantee asks that such swaps don't go with how a pair went."
)


@dataclass(frozen=True)
class WatchSettings:
    """What to watch for.

    Attributes:
        out: The folder of `watch.json` and the page.
        metrics: Metrics in 0..1, or shares such as "mc@75"; empty takes MP, and success at the end
            where there are labels.
        every: How long to wait between two looks [s].
        once: Whether to look once and end.
        margin: The smallest difference that matters [points]; None when every one does.
        bets: "both" bets on the mean and on signs, with half of the error each; "mean" on the mean.
        level: 1 less the error of all verdicts and intervals together, at all moments.
        across_judges: Whether runs of different judges may be compared.
        seed: Decides the futures that advice is read off.
    """

    out: Path | str
    metrics: tuple[str, ...] = ()
    every: float = 10.0
    once: bool = False
    margin: float | None = None
    bets: Literal["both", "mean"] = "both"
    level: float = 0.95
    across_judges: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if not 0 < self.every <= _LONGEST_S:
            raise UsageError(f"--every is above 0 s and at most a day, not {self.every:g}.")
        if self.margin is not None and not 0 < self.margin < 100:
            raise UsageError(f"--margin is above 0 and below 100 points, not {self.margin:g}.")
        if self.bets not in ("both", "mean"):
            raise UnknownNameError("kind of --bets", self.bets, ("both", "mean"))
        if not 0.5 <= self.level < 1:
            raise UsageError(f"--level is a share from 0.5 to below 1, not {self.level:g}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")


@dataclass(frozen=True)
class WatchResult:
    """What watching came to.

    Attributes:
        out: The folder; `index.html` is the page.
        document: What `watch.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `watch.json` to the letter."""
        return (self.out / "watch.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell that the watch ended as it should, with a verdict or without."""
        return True

    def problems(self) -> list[str]:
        """Return a sentence on each stream with pairs that have no value."""
        return [
            f"{row['metric']}, {' and '.join(filter(None, (row['a'], row['b'])))}: {told[0]}."
            for row in self.document["streams"]
            if row["unscored"] and (told := left_out(row))
        ]


def watch(
    runs: Sequence[str | Path],
    settings: WatchSettings,
    on_line: Callable[[str], None] | None = None,
) -> WatchResult:
    """Follow runs until every comparison has its verdict or all runs are finished.

    Args:
        runs: Folders of audits or rollouts, as `[POLICY=]DIR` texts or paths.
        settings: What to watch for.
        on_line: Called with a line for each stream that has grown.

    Raises:
        RunError: A folder holds no run that can be watched, or another one by now.
        UsageError: The runs can't be watched as asked.
    """
    watching = _Watching.open(runs, settings)
    shown: dict[tuple[Any, ...], str] = {}
    while True:
        document, is_new = watching.look()
        is_last = settings.once or document["done"]
        for row in document["streams"]:
            key, said = (row["metric"], row["a"], row["b"]), line(document, row)
            if shown.get(key) != said and on_line is not None:
                on_line(said)
            shown[key] = said
        if is_new:
            with disk_faults(watching.run.path):
                write_file(watching.run.result, dump_json(document))
                write_watch_page(document, watching.run.path, is_followed=not is_last)
        if is_last:
            return WatchResult(watching.run.path, document)
        time.sleep(settings.every)


@dataclass(eq=False)
class _Watching:
    """A watch under way."""

    run: RunDirectory
    followed: Sequence[Followed]
    judges: Judges
    streams: Sequence[Following]
    settings: WatchSettings
    order: list[tuple[int, str]]
    cases: dict[tuple[int, str], Case]
    document: dict[str, Any]

    @classmethod
    def open(cls, runs: Sequence[str | Path], settings: WatchSettings) -> _Watching:
        """Read what will come, decide what is watched, and make the folder of the result."""
        refuse_out_inside(runs, Path(settings.out))
        followed = [follow(run) for run in runs]
        if not followed:
            raise UsageError("There is nothing to watch: give the folder of a run.")
        places = [one.path.resolve() for one in followed]
        if len(set(places)) < len(places):
            raise UsageError("A run is given twice.")
        judged = [Run(one.path, one.label, "", {"judge": one.judge}, {}) for one in followed]
        judges = judges_of(judged, across=settings.across_judges)
        metrics = metrics_of(settings.metrics, followed)
        goals = goals_of(
            metrics,
            followed,
            level=settings.level,
            margin=settings.margin,
            seed=settings.seed,
            mean_only=settings.bets == "mean",
        )
        record = _record(runs, settings)
        document = {"verb": "watch", "seed": settings.seed, "settings": record, "fingerprints": {}}
        run = RunDirectory.open(Path(settings.out), document, frozenset(record))
        order = _order_of(run.result)
        streams = [Following(goal) for goal in goals]
        return cls(run, followed, judges, streams, settings, order, {}, {})

    def look(self) -> tuple[dict[str, Any], bool]:
        """Take in what has come, and return the document and whether it has changed."""
        fresh = {
            (place, case.episode): case
            for place, followed in enumerate(self.followed)
            for case in followed.arrivals()
        }
        self.cases |= fresh
        kept = [key for key in self.order if key in self.cases]
        known = set(kept)
        self.order = kept + [key for key in fresh if key not in known]
        came = [self.cases[key] for key in self.order]
        for stream in self.streams:
            stream.update(came)
        before, self.document = self.document, self._made()
        return self.document, self.document != before

    def _made(self) -> dict[str, Any]:
        rows = [self._row(stream) for stream in self.streams]
        is_over = all(one.finished for one in self.followed)
        duels = [row for row in rows if row["b"] is not None]
        is_decided = bool(duels) and all(row["verdict"] is not None for row in duels)
        goals = [stream.goal for stream in self.streams]
        metrics = dict.fromkeys(goal.metric for goal in goals)
        names = dict.fromkeys(one.policy for run in self.followed for one in run.plan)
        return {
            "schema": "assay.watch/1",
            "settings": self.run.document["settings"],
            "level": self.settings.level,
            "runs": [self._of_run(place, one) for place, one in enumerate(self.followed)],
            "judge": {
                "name": self.judges.name,
                "differ": self.judges.differ,
                "described": self._described(),
            },
            "metrics": [metric.as_json() for metric in metrics],
            "policies": list(names),
            "streams": rows,
            "finished": is_over,
            "decided": is_decided,
            "done": is_over or is_decided,
            "warnings": self._warnings(),
            "notes": [*unwatched(goals, self.followed), _ORDER],
            "order": [list(key) for key in self.order],
        }

    def _described(self) -> list[dict[str, Any]]:
        """Return the judges with their passports; the exact progress of a world can have none."""
        named: dict[str, Mapping[str, Any]] = {}
        for one in self.followed:
            if judge := one.report().get("judge"):
                where = f" in {one.path}" if self.judges.differ else ""
                named.setdefault(f"{judge['name']}{where}", judge)
        return [
            {"as": name, **{key: judge.get(key) for key in ("name", "settings", "passport")}}
            for name, judge in named.items()
        ]

    def _row(self, stream: Following) -> dict[str, Any]:
        """Return a stream with its p value adjusted for all that are watched."""
        row = stream.as_json()
        p, many = row["p_value"], len(self.streams)
        return {**row, "p_adjusted": None if p is None else min(1.0, many * p)}

    def _of_run(self, place: int, one: Followed) -> dict[str, Any]:
        return {
            "path": str(one.path),
            "policy": one.label,
            "verb": one.verb,
            "judge": one.judge["name"],
            "planned": len(one.plan),
            "arrived": sum(key[0] == place for key in self.cases),
            "finished": one.finished,
        }

    def _warnings(self) -> list[str]:
        told = (
            f"The runs were judged by different judges ({self.judges.differ}): a difference"
            " between policies may be one between judges."
        )
        ended = [report for one in self.followed if "cells" in (report := one.report())]
        return [*([told] if self.judges.differ else []), *alarms_of(ended)]


def _order_of(result: Path) -> list[tuple[int, str]]:
    """Return in which order episodes came before this watch was begun again."""
    if not result.is_file():
        return []
    order = read_document(result).get("order")
    try:
        return [(int(place), str(episode)) for place, episode in order or ()]
    except (TypeError, ValueError) as error:
        raise InputError("is no result of a watch: give a new --out.", result) from error


def _record(runs: Sequence[str | Path], settings: WatchSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "runs": [str(run) for run in runs],
        "metrics": list(settings.metrics),
        "margin": settings.margin,
        "bets": settings.bets,
        "level": settings.level,
        "across_judges": settings.across_judges,
        "seed": settings.seed,
    }
