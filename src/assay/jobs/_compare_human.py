"""Hold the judges of finished audits against what people say of the same episodes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.episodes import tables
from assay.episodes.human import HumanScores, read_human
from assay.episodes.human_labels import Labels, read_labels
from assay.errors import InputError, nearest
from assay.jobs._compare_assisted import assisted_rows
from assay.jobs._compare_labels import targets_of
from assay.jobs._compare_points import Key, Rated, points_of, rated, write_points
from assay.jobs._compare_raters import raters_of
from assay.jobs._compare_rows import Compared, best_null, merge_nulls, row_of
from assay.jobs._compare_runs import Audited, open_runs
from assay.jobs._fingerprint import fingerprint
from assay.reports.compare_page import Dot, write_compare_page

__all__ = ["WithPeople", "people_problems"]

_SHOWN = 20
"""So many unmatched ids stand in the document by name; all are counted."""


@dataclass(frozen=True)
class WithPeople:
    """A comparison with people that has been read and checked, and not yet computed.

    Attributes:
        audited: The audits.
        human: The file of scores.
        people: What people say, by episode and moment.
        labels: What they say of other metrics, by metric and episode.
        matching: Which episodes people and runs share.
    """

    audited: Sequence[Audited]
    human: HumanScores
    people: Mapping[Key, Rated]
    labels: Mapping[str, Labels]
    matching: Mapping[str, Any]

    @classmethod
    def open(cls, runs: Sequence[str | Path], human: Path, scale: int | None) -> WithPeople:
        """Read the audits and the scores.

        Raises:
            InputError: The scores can't be used, or belong to no episode of the runs.
            RunError: A run is not finished, or no audit.
        """
        audited = open_runs(runs)
        scores = read_human(human, scale)
        people, labels = rated(scores), read_labels(scores)
        return cls(audited, scores, people, labels, _matching(scores, people, audited))

    def fingerprints(self) -> dict[str, str]:
        """Return what the result rests on."""
        return _fingerprints(self.human.path, self.audited)

    def write(self, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Compare, write the points and the page into `out` and return the document."""
        pairs = [(one, judge) for one in self.audited for judge in one.judges]
        points = [points_of(judge, self.people, settings["score"]) for _, judge in pairs]
        write_points(
            out / "points.parquet",
            [(one, judge, own) for (one, judge), own in zip(pairs, points, strict=True)],
        )
        whole = [Compared(judge, own) for (_, judge), own in zip(pairs, points, strict=True)]
        compared = merge_nulls(whole)
        null = best_null(compared)
        document = {
            "schema": "assay.compare/1",
            "kind": "human",
            "settings": dict(settings),
            "runs": [_run(one) for one in self.audited],
            "human": self._human(settings["seed"]),
            "matching": dict(self.matching),
            "score": settings["score"],
            "best_null": None if null is None else null.judge.judge,
            "rows": [row_of(one, null, self.people, settings["seed"]) for one in compared],
            "assisted": assisted_rows(
                self.audited,
                targets_of(self.human, self.people, self.labels),
                settings["score"],
                settings["seed"],
            ),
        }
        write_compare_page(document, [_dots(one, self.audited, out) for one in compared], out)
        return document

    def _human(self, seed: int) -> dict[str, Any]:
        human = self.human
        return {
            "path": str(human.path),
            "by": "moment" if human.by_moment else "episode",
            "scale": human.scale,
            "scale_from": "given" if human.told else "the scores",
            "scores": len(human.scores),
            "empty": human.empty,
            "episodes": len({episode for episode, _ in self.people}),
            "points": len(self.people),
            "raters": human.raters,
            "labels": {name: len(own) for name, own in self.labels.items()},
            "ignored": [name for name in human.ignored if name not in self.labels],
            "agreement": raters_of(human, seed),
        }


def people_problems(document: Mapping[str, Any]) -> list[str]:
    """Return a sentence on ids that no run has, and one on each judge that left some out."""
    found = []
    lost = document["matching"]["unmatched"]
    if lost["count"]:
        first = lost["first"][0]
        close = f" (nearest: {tables.quoted(first['nearest'])})" if first["nearest"] else ""
        found.append(
            f"No run has {lost['count']} of the episodes that people scored,"
            f" the first is {first['episode']!r}{close}."
        )
    for row in document["rows"]:
        unscored = {status: n for status, n in row["status"].items() if status != "ok"}
        if unscored:
            told = ", ".join(f"{n} {status}" for status, n in unscored.items())
            setting = f" ({row['setting']})" if row["setting"] else ""
            why = f", the first: {row['detail']}" if row["detail"] else ""
            found.append(f"Not scored by {row['judge']}{setting}: {told}{why}.")
    return found


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
