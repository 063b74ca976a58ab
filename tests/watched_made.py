"""Runs that grow under the test's hand: the record of a run, and a journal that is written to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.engine import Journal
from assay.jobs._attempts import Done, encode
from assay.jobs._tables import read_scored
from assay.jobs._units import encode as encode_scored
from assay.records import Episode, Series

__all__ = ["Growing", "attempt", "begun_rollout", "grow"]


class Growing:
    """A finished audit as it was while it ran: its results come back one by one.

    Args:
        run: The finished audit.
        out: Where it is begun anew.
    """

    def __init__(self, run: Path, out: Path) -> None:
        self.path, self._run = out, run
        (scored,) = read_scored(run).values()
        self._left = {name: encode_scored(one) for name, one in scored.items()}
        out.mkdir(parents=True)
        shutil.copy(run / "run.json", out)
        self._journal = Journal(out / "journal.sqlite", "a run")

    def put(self, *names: str) -> None:
        """Store the results of these episodes, in this order."""
        for name in names:
            self._journal.put([(name, self._left.pop(name))])

    def stop(self) -> None:
        """Let go of the journal, as a run that is stopped does."""
        self._journal.close()

    def finish(self) -> None:
        """Write the tables and the result, and remove the journal."""
        self.stop()
        for name in ("episodes.parquet", "curves.parquet", "audit.json"):
            shutil.copy(self._run / name, self.path)
        (self.path / "journal.sqlite").unlink()


def grow(root: Path, *runs: Path) -> list[Growing]:
    """Begin finished audits anew below `root`."""
    return [Growing(run, root / run.name) for run in runs]


def begun_rollout(out: Path, policies: Sequence[str], seeds: str, task: str = "lift") -> Journal:
    """Write what a rollout writes first, and return its journal."""
    out.mkdir(parents=True)
    settings = {"task": {"name": task}, "policies": dict.fromkeys(policies), "seeds": seeds}
    record = {"schema": "assay.run/1", "verb": "rollout", "fingerprints": {}}
    record["settings"] = {**settings, "perturbations": []}
    (out / "run.json").write_text(json.dumps(record))
    return Journal(out / "journal.sqlite", "a rollout")


def attempt(policy: str, seed: int, progress: Sequence[float], task: str = "lift") -> bytes:
    """Return an attempt as a rollout's journal keeps it."""
    times, values = np.arange(len(progress)) / 10, np.array(progress)
    signals: Mapping[str, Series] = {
        "progress": Series(times, values),
        "success": Series(times, values >= 1),
    }
    episode = Episode(
        f"{policy}/{task}-{seed:04d}",
        task,
        signals=signals,
        outcome=bool(values[-1] >= 1),
        policy=policy,
        world="tabletop",
        scene=f"tabletop/{task}/{seed}/plain",
        perturbation="none",
        seed=seed,
    )
    return encode(Done(episode, {}))
