"""Follow a rollout: its journal holds whole attempts, with the exact progress of the world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes import catalogue
from assay.jobs._attempts import decode
from assay.jobs._rundir import read_document
from assay.jobs._seeds import seeds_from
from assay.jobs._units import Scored, unscored
from assay.jobs._watch_followed import Counting, Followed, Found, Planned
from assay.records import Curve, Unreadable
from assay.worlds.gym.recording import GYMNASIUM
from assay.worlds.world import WORLD

__all__ = ["Rollout"]

_EXACT = "exact progress"
"""What stands for the judge of a rollout: the world's own potential."""


class Rollout(Followed):
    """A rollout: its journal holds whole attempts, with the exact progress of the world."""

    verb = "rollout"

    def __init__(self, path: Path, label: str, record: Mapping[str, Any]) -> None:
        super().__init__(path, label, record)
        settings = record["settings"]
        self.judge = {"name": _EXACT, "settings": {}}
        self.counting = Counting(None)
        self.names = set(settings["policies"])
        task = settings["task"]["name"]
        changed = "+".join(one["label"] for one in settings["perturbations"])
        condition = f"{task} ({changed})" if changed else task
        world = GYMNASIUM if "environment" in settings["task"] else WORLD
        shares = settings["task"].get("repeats", True)
        self._planned = {
            (policy, seed): Planned(
                self.name_of(policy),
                condition,
                f"{world}/{task}/{seed}/{changed or 'plain'}" if shares else None,
                is_labelled=True,
            )
            for policy in settings["policies"]
            for seed in seeds_from(settings["seeds"])
        }
        self.plan = list(self._planned.values())

    def _growing(self, entries: Iterable[tuple[str, bytes]]) -> list[dict[str, Any]]:
        return self._of([decode(data, self.path).episode for _, data in entries])

    def _of(self, episodes: Sequence[Found]) -> list[dict[str, Any]]:
        return self.rows_of(episodes, {e.id: _exact(e) for e in episodes})

    def _is_over(self, *, has_journal: bool) -> bool:  # noqa: ARG002 - what failed keeps its journal
        return (self.path / "rollout.json").is_file()

    def _over(self) -> list[dict[str, Any]]:
        document = read_document(self.path / "rollout.json")
        has_data = bool(document["dataset"]["episodes"])
        found = self._of(list(catalogue.read(self.path))) if has_data else []
        for failure in document["failures"]:
            one = self._planned[failure["policy"], failure["seed"]]
            name = f"{failure['policy']} {failure['seed']}"
            lost = Unreadable(
                name,
                failure["detail"],
                task=document["task"],
                policy=failure["policy"],
                scene=one.scene,
                perturbation=document["perturbation"],
            )
            row = self.rows_of([lost], {name: unscored("missing_frame", failure["detail"])})
            found += [{**row[0], "status": failure["status"]}]
        return found


def _exact(episode: Found) -> Scored:
    """Return the world's own progress of an attempt."""
    if isinstance(episode, Unreadable):
        return unscored(episode.status, episode.detail)
    if "progress" not in episode.signals:  # a Gymnasium environment knows success alone
        return unscored("no_reference", "the environment tells no progress")
    series = episode.signals["progress"]
    values = np.asarray(series.values, dtype=np.float64)
    return Scored(Curve(series.times, values, np.full(len(values), "ok")), "ok")
