"""Compare finished audits with what people say of the same episodes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.episodes import tables
from assay.episodes.human import SCALES, HumanScores, read_human
from assay.errors import InputError, UnknownNameError, UsageError, nearest
from assay.jobs._compare_points import SCORES, Key, Rated, points_of, rated, write_points
from assay.jobs._compare_rows import Compared, agreement_of, best_null, merge_nulls, row_of
from assay.jobs._compare_runs import Audited, open_runs
from assay.jobs._fingerprint import fingerprint
from assay.jobs._log import logged
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.reports.compare_page import Dot, write_compare_page

__all__ = ["CompareResult", "CompareSettings", "compare"]

_SHOWN = 20
"""So many unmatched ids stand in the document by name; all are counted."""


@dataclass(frozen=True)
class CompareSettings:
    """What to compare with, and how.

    Attributes:
        out: The run directory.
        human: Scores that people gave (csv, jsonl, parquet: episode, score, rater, time).
        scale: What they call a finished task: 100 or 1; None reads it off the scores.
        score: How a curve becomes the score of its episode: "last30", "end" or "max".
        seed: Decides the resampling of the mean errors.
    """

    out: Path | str
    human: Path | str | None = None
    scale: int | None = None
    score: str = "last30"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.human is None:
            raise UsageError("Say what to compare with: --human FILE with people's scores.")
        if self.scale is not None and self.scale not in SCALES:
            raise UsageError(f"--scale is 100 or 1, not {self.scale:g}.")
        if self.score not in SCORES:
            raise UnknownNameError("way to --score", self.score, SCORES)
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")


@dataclass(frozen=True)
class CompareResult:
    """A finished comparison.

    Attributes:
        out: The run directory; `index.html` is the report.
        document: What `compare.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `compare.json` to the letter."""
        return (self.out / "compare.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether all that people scored was found, and scored by every judge."""
        return not self.problems()

    def problems(self) -> list[str]:
        """Return a sentence on ids that no run has, and one on each judge that left some out."""
        found = []
        lost = self.document["matching"]["unmatched"]
        if lost["count"]:
            first = lost["first"][0]
            close = f" (nearest: {tables.quoted(first['nearest'])})" if first["nearest"] else ""
            found.append(
                f"No run has {lost['count']} of the episodes that people scored,"
                f" the first is {first['episode']!r}{close}."
            )
        for row in self.document["rows"]:
            unscored = {status: n for status, n in row["status"].items() if status != "ok"}
            if unscored:
                told = ", ".join(f"{n} {status}" for status, n in unscored.items())
                setting = f" ({row['setting']})" if row["setting"] else ""
                why = f", the first: {row['detail']}" if row["detail"] else ""
                found.append(f"Not scored by {row['judge']}{setting}: {told}{why}.")
        return found


def compare(runs: Sequence[str | Path], settings: CompareSettings) -> CompareResult:
    """Hold the judges of finished audits against people's scores, and write the run directory.

    Does nothing if the directory holds this comparison, finished.

    Args:
        runs: Finished audits, as `[LABEL=]RUN` texts or paths; a label names the input setting.
        settings: What to compare with.

    Raises:
        InputError: The scores can't be used, or belong to no episode of the runs.
        RunError: A run is not finished, or no audit.
    """
    with logged() as log:
        audited = open_runs(runs)
        human = read_human(Path(str(settings.human)), settings.scale)
        people = rated(human)
        matching = _matching(human, people, audited)
        document = {
            "verb": "compare",
            "seed": settings.seed,
            "settings": _record(runs, settings),
            "fingerprints": _fingerprints(human.path, audited),
        }
        run = RunDirectory.open(Path(settings.out), document, frozenset(_record(runs, settings)))
        if run.finished:
            return CompareResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            return CompareResult(run.path, _write(run, audited, human, people, matching))


def _write(
    run: RunDirectory,
    audited: Sequence[Audited],
    human: HumanScores,
    people: Mapping[Key, Rated],
    matching: Mapping[str, Any],
) -> dict[str, Any]:
    """Compare, write the files of the run and return its document."""
    settings = run.document["settings"]
    pairs = [(one, judge) for one in audited for judge in one.judges]
    points = [points_of(judge, people, settings["score"]) for _, judge in pairs]
    write_points(
        run.path / "points.parquet",
        [(one, judge, own) for (one, judge), own in zip(pairs, points, strict=True)],
    )
    whole = [Compared(judge, own) for (_, judge), own in zip(pairs, points, strict=True)]
    compared = merge_nulls(whole)
    null = best_null(compared)
    document = {
        "schema": "assay.compare/1",
        "kind": "human",
        "settings": dict(settings),
        "runs": [_run(one) for one in audited],
        "human": _human(human, people),
        "matching": dict(matching),
        "score": settings["score"],
        "best_null": None if null is None else null.judge.judge,
        "rows": [row_of(one, null, people, run.document["seed"]) for one in compared],
    }
    write_compare_page(document, [_dots(one, audited, run.path) for one in compared], run.path)
    write_file(run.result, dump_json(document))
    return read_document(run.result)


def _matching(
    human: HumanScores, people: Mapping[Key, Rated], audited: Sequence[Audited]
) -> dict[str, Any]:
    """Return which episodes people and runs share.

    Raises:
        InputError: None at all.
    """
    asked = list(dict.fromkeys(episode for episode, _ in people))
    known = {episode for run in audited for episode in run.groups}
    lost = [episode for episode in asked if episode not in known]
    if len(lost) == len(asked):
        first = human.scores[0]
        close = nearest(first.episode, known, count=3) or sorted(known)[:3]
        raise InputError(
            f"none of its {len(asked)} episodes is in the runs, such as {first.episode!r};"
            f" they have {tables.quoted(close)}.",
            human.path,
            first.row,
        )
    shown = [{"episode": name, "nearest": nearest(name, known)} for name in lost[:_SHOWN]]
    return {
        "matched": len(asked) - len(lost),
        "unmatched": {"count": len(lost), "first": shown},
        "unrated": len(known - set(asked)),
    }


def _run(one: Audited) -> dict[str, Any]:
    return {
        "setting": one.setting,
        "path": str(one.path),
        "episodes": len(one.groups),
        "judges": [judge.judge for judge in one.judges],
    }


def _human(human: HumanScores, people: Mapping[Key, Rated]) -> dict[str, Any]:
    return {
        "path": str(human.path),
        "by": "moment" if human.by_moment else "episode",
        "scale": human.scale,
        "scale_from": "given" if human.told else "the scores",
        "scores": len(human.scores),
        "empty": human.empty,
        "episodes": len({episode for episode, _ in people}),
        "points": len(people),
        "raters": human.raters,
        "ignored": list(human.ignored),
        "agreement": agreement_of(human),
    }


def _dots(one: Compared, audited: Sequence[Audited], out: Path) -> list[Dot]:
    """Return what the page draws of one judge, each with the address of its episode's page."""
    run = next(run for run in audited if run.setting == one.judge.setting)
    folder = os.path.relpath(run.path, out)
    return [
        Dot(
            key[0],
            key[1],
            *run.groups[key[0]],
            point.human,
            point.raters,
            point.value or 0.0,
            folder,
        )
        for key, point in one.known().items()
    ]


def _fingerprints(human: Path, audited: Sequence[Audited]) -> dict[str, str]:
    tables_ = ("audit.json", "episodes.parquet", "curves.parquet")
    found = {
        f"{one.path}/{name}": fingerprint(one.path / name) for one in audited for name in tables_
    }
    return {str(human): fingerprint(human), **found}


def _record(runs: Sequence[str | Path], settings: CompareSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "runs": [str(run) for run in runs],
        "human": str(settings.human),
        "scale": settings.scale,
        "score": settings.score,
        "seed": settings.seed,
    }
