"""Carry out a rollout: do the attempts that are left, then write the dataset and the result."""

from __future__ import annotations

import json
import logging
import shutil
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from assay.engine import Failure, Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.episodes.lerobot.writer import LeRobotWriter
from assay.episodes.lerobot.writing.clip import clip_path
from assay.errors import PolicyFault, RunError
from assay.jobs._attempts import Attempt, Attempting, DiskFull, Done, decode
from assay.jobs._rundir import RunDirectory, dump_json, write_file
from assay.metrics.intervals import estimate_share

__all__ = ["Rolling", "Shared", "require_files"]

_LOG = logging.getLogger("assay")
_LONGEST = 400  # letters of a failure


@dataclass(frozen=True)
class _Row:
    """What the summary needs to know of an attempt that was carried to its end."""

    policy: str
    success: bool
    duration_s: float
    frames: int


class Shared(Protocol):
    """What all attempts of a rollout share. Can be pickled."""

    @property
    def policies(self) -> Mapping[str, object]: ...
    @property
    def fps(self) -> float: ...
    @property
    def views(self) -> tuple[str, ...]: ...
    @property
    def robot_type(self) -> str: ...
    @property
    def has_subtasks(self) -> bool: ...
    @property
    def title(self) -> Mapping[str, Any]: ...
    def attempter(self) -> Attempting: ...


@dataclass(frozen=True)
class Rolling:
    """One rollout under way."""

    run: RunDirectory
    shared: Shared
    seeds: Sequence[int]

    def do(self, jobs: int | None) -> dict[str, Any]:
        """Do what is left, write all files, and return the document."""
        started = time.perf_counter()
        # The journal's lock is held while files are written, so that two commands never mix.
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            failures = self._attempt(journal, jobs)
            rows = self._write_dataset(journal)
            document = self._document(rows, failures)
            write_file(self.run.result, dump_json(document))
        timing = {"seconds": time.perf_counter() - started, "episodes": len(rows)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        if not failures:  # what failed is tried again by the next run, which needs the rest
            self.run.finish()
        return document

    def _units(self) -> Iterator[Unit]:
        number = 0
        for policy in self.shared.policies:
            for seed in self.seeds:
                # The number comes first: the journal gives its items back sorted by key.
                yield Unit(f"{number:06d} {policy} {seed}", Attempt(number, policy, seed))
                number += 1

    def _attempt(self, journal: Journal, jobs: int | None) -> tuple[Failure, ...]:
        with ProgressBar("rolling out") as bar:
            tally = run_units(
                self.shared.attempter,
                list(self._units()),
                journal,
                jobs=jobs,
                on_tally=bar,
            )
        for failure in tally.failures:
            _LOG.info("%s: %s\n%s", failure.key, failure.message, failure.traceback)
        if any(failure.type == DiskFull.__name__ for failure in tally.failures):
            raise RunError(
                f"The disk of {self.run.path} is full. What was finished is kept:"
                " free some space and run the same command again."
            )
        return tally.failures

    def _write_dataset(self, journal: Journal) -> list[_Row]:
        """Write `data` and `meta` from the journal; the clips are in their places already."""
        root, shared, rows = self.run.path, self.shared, []
        (root / "meta" / "info.json").unlink(missing_ok=True)
        for folder in (root / "meta", root / "data"):
            if folder.exists():
                shutil.rmtree(folder)
        if not journal.done():
            return []
        with LeRobotWriter(
            root,
            fps=shared.fps,
            robot_type=shared.robot_type,
            labels={"sparse", "dense"} if shared.has_subtasks else None,
            adopt=True,
        ) as writer:
            for _, data in journal.items():  # noqa: PERF102 - a journal, not a dict
                done = _decoded(data, root)
                writer.add(done.episode, done.clips)
                times = done.episode.signals["success"].times
                rows.append(
                    _Row(
                        done.episode.policy,
                        bool(done.episode.outcome),
                        float(times[-1]),
                        len(times),
                    )
                )
        return rows

    def _document(self, rows: Sequence[_Row], failures: Sequence[Failure]) -> dict[str, Any]:
        found = [_failure(failure) for failure in failures]
        return {
            "schema": "assay.rollout/1",
            **self.shared.title,
            "policies": [_summary(name, rows, found) for name in self.shared.policies],
            "failures": found,
            "dataset": {
                "episodes": len(rows),
                "frames": sum(row.frames for row in rows),
                "fps": self.shared.fps,
                "views": list(self.shared.views),
            },
            "settings": self.run.document["settings"],
        }


def require_files(paths: Iterable[Path]) -> None:
    """Refuse to call a run whole that has lost a file."""
    for path in paths:
        if not path.is_file() or not path.stat().st_size:
            raise RunError(f"{path} of an earlier run is gone or empty: give a new --out.")


def _decoded(data: bytes, root: Path) -> Done:
    """Return an attempt of the journal whose clips are all there."""
    try:
        done = decode(data, root)
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise RunError(
            f"The journal in {root} is damaged: move it away to start afresh."
        ) from error
    require_files(clip_path(root, view, clip.file) for view, clip in done.clips.items())
    return done


def _failure(failure: Failure) -> dict[str, Any]:
    """Return an attempt that was not carried to its end, and whose fault that is."""
    policy, _, seed = failure.key.partition(" ")[2].rpartition(" ")
    own = failure.type == PolicyFault.__name__
    words = failure.message if own else f"{failure.type}: {failure.message}"
    return {
        "policy": policy,
        "seed": int(seed),
        "status": "policy_fault" if own else "harness_failure",
        "detail": _one_line(words),
    }


def _one_line(text: str) -> str:
    """Return what a stranger's exception says as a line that fits a terminal and a file."""
    plain = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."


def _summary(
    policy: str, rows: Sequence[_Row], failures: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return what came of one policy; an unsuccessful attempt is one that was carried through."""
    own = [row for row in rows if row.policy == policy]
    statuses = [f["status"] for f in failures if f["policy"] == policy]
    successes = sum(row.success for row in own)
    mean = sum(row.duration_s for row in own) / len(own) if own else None
    return {
        "policy": policy,
        "n": len(own) + len(statuses),
        "successes": successes,
        "success": estimate_share(successes, len(own), len(statuses)).as_json(),
        "mean_time_s": mean,
        "status": {
            "ok": len(own),
            "policy_fault": statuses.count("policy_fault"),
            "harness_failure": statuses.count("harness_failure"),
        },
    }
