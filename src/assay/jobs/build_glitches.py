"""Build the benchmark of glitches: clips whose faults are known exactly."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assay.benchmarks.glitches.injecting.making import Maker, Recipe
from assay.benchmarks.glitches.injecting.orders import Order, injectors, orders, recorded_orders
from assay.benchmarks.glitches.injecting.recorded import Recorded
from assay.engine import Failure, Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.episodes.glitches.taxonomy import taxonomy
from assay.errors import InputError, RunError, UsageError
from assay.jobs._glitch_files import write_files
from assay.jobs._inputs import Wanted, gather, refuse_out_inside
from assay.jobs._log import logged
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.records import Episode
from assay.reports.glitch_sheet import write_sheet
from assay.worlds.gl import choose, require_mujoco
from assay.worlds.look import LOOK

__all__ = ["BuildGlitchesResult", "BuildGlitchesSettings", "build_glitches"]

EDITION = 2
"""Another number whenever a seed comes to mean other clips."""

_MOST_CLIPS = 100_000
_SIZES = (96, 512)


@dataclass(frozen=True)
class BuildGlitchesSettings:
    """What to build.

    Attributes:
        out: The run directory; the clips are in it.
        clips: How many.
        recorded: `[LABEL=]PATH` texts of recorded episodes to spoil; empty films the worlds.
        size: Width and height of the pictures; of recorded ones the shorter side, at most [pixels].
        seed: Decides everything.
        jobs: Workers; None takes one a core.
    """

    out: Path | str
    clips: int = 382
    recorded: tuple[str, ...] = ()
    size: int = 224
    seed: int = 0
    jobs: int | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is made."""
        if not 1 <= self.clips <= _MOST_CLIPS:
            raise UsageError(f"--clips must be 1 to {_MOST_CLIPS:,}, not {self.clips}.")
        if not _SIZES[0] <= self.size <= _SIZES[1] or self.size % 2:
            low, high = _SIZES
            raise UsageError(f"--size must be an even {low} to {high} pixels, not {self.size}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"--jobs must be at least 1, not {self.jobs}.")


@dataclass(frozen=True)
class BuildGlitchesResult:
    """A finished benchmark.

    Attributes:
        out: The run directory.
        document: What `build.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `build.json` to the letter."""
        return (self.out / "build.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every clip could be made."""
        return not self.document["failures"]

    def problems(self) -> list[str]:
        """Return a sentence on the clips that could not be made."""
        failures = self.document["failures"]
        if not failures:
            return []
        first = failures[0]
        many = f"{len(failures)} of {self.document['settings']['clips']} clips"
        return [f"Not made: {many}, the first is {first['clip']}: {first['detail']}"]


def build_glitches(settings: BuildGlitchesSettings) -> BuildGlitchesResult:
    """Make the clips and the references, and write the run directory.

    Takes up an unfinished run in the same directory: clips that are there are not made again. Does
    nothing if the run is finished.

    Raises:
        InputError: The recorded episodes can't be read, or have no pictures.
        RunError: A clip of an earlier run is gone, or none could be made.
    """
    out = Path(settings.out)
    recorded, prints = _sources(settings, out)
    record = {
        "benchmark": "glitches",
        "clips": settings.clips,
        "from": list(settings.recorded),
        "size": settings.size,
        "seed": settings.seed,
        "injectors": sorted(injectors()),
        "edition": EDITION,
        "taxonomy": taxonomy().version,
    }
    document = {"verb": "build", "seed": settings.seed, "settings": record, "fingerprints": prints}
    with logged() as log:
        run = RunDirectory.open(out, document, frozenset(record))
        if run.finished:
            return BuildGlitchesResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            make = orders if recorded is None else recorded_orders
            recipe = Recipe(run.path.absolute(), settings.size, recorded)
            found = _Building(run, recipe, make(settings.clips, settings.seed))
            return BuildGlitchesResult(run.path, found.do(record, settings.jobs))


def _sources(
    settings: BuildGlitchesSettings, out: Path
) -> tuple[Recorded | None, dict[str, str | int]]:
    """Return the recorded clips, if any are meant, and what decides what the clips show."""
    if not settings.recorded:
        require_mujoco()
        choose()
        return None, {"look": LOOK, "mujoco": version("mujoco"), "mink": version("mink")}
    refuse_out_inside(settings.recorded, out)
    gathered = gather(Wanted(settings.recorded, signals=frozenset()))
    usable = tuple(e for e in gathered.episodes if isinstance(e, Episode) and e.views)
    if not usable:
        raise InputError("no episode with pictures was found.", ", ".join(settings.recorded))
    return Recorded(usable, settings.size), dict(gathered.fingerprints)


@dataclass(frozen=True)
class _Building:
    """A benchmark under way."""

    run: RunDirectory
    recipe: Recipe
    orders: Sequence[Order]

    def do(self, record: Mapping[str, Any], jobs: int | None) -> dict[str, Any]:
        """Make what is left, write all files, and return the document."""
        started = time.perf_counter()
        with Journal(self.run.journal, self.run.fingerprint) as journal:
            failures = self._make(journal, jobs)
            known = [json.loads(data) for _, data in journal.items()]
            self._require(known)
            if not known:
                raise RunError(f"No clip could be made: {failures[0].message}.")
            document = _document(record, known, failures)
            write_files(self.run.path, known)
            write_sheet(self.run.path, known)
            write_file(self.run.result, dump_json(document))
        timing = {"seconds": time.perf_counter() - started, "clips": len(known)}
        write_file(self.run.path / "timing.json", json.dumps(timing) + "\n")
        if not failures:  # what failed is tried again by the next run, which needs the rest
            self.run.finish()
        return document

    def _make(self, journal: Journal, jobs: int | None) -> tuple[Failure, ...]:
        # Train comes first: the journal gives its items back sorted by key.
        ranks = {"train": 0}
        units = [Unit(f"{ranks.get(o.split, 1)} {o.split} {o.number:06d}", o) for o in self.orders]
        with ProgressBar("making clips") as bar:
            worker = partial(Maker, self.recipe)
            return run_units(worker, units, journal, jobs=jobs, on_tally=bar).failures

    def _require(self, known: Sequence[Mapping[str, Any]]) -> None:
        for about in known:
            if not (self.run.path / about["file"]).is_file():
                raise RunError(
                    f"{self.run.path / about['file']} is gone: delete the folder to build anew."
                )


def _document(
    record: Mapping[str, Any], known: Sequence[Mapping[str, Any]], failures: Sequence[Failure]
) -> dict[str, Any]:
    """Return what `build.json` holds: how many clips of each kind there are."""
    events = [(about["split"], event) for about in known for event in about["events"]]
    clean = [about for about in known if not about["events"]]
    types = {
        kind: dict(sorted(Counter(split for split, e in events if e["type"] == kind).items()))
        for kind in taxonomy().types
    }
    return {
        "schema": "assay.build/1",
        "benchmark": "glitches",
        "settings": dict(record),
        "clips": dict(sorted(Counter(about["split"] for about in known).items())),
        "clean": dict(sorted(Counter(about["recipe"] for about in clean).items())),
        "types": types,
        "severities": {
            str(level): sum(e["severity"] == level for _, e in events) for level in range(1, 6)
        },
        "recipes": dict(sorted(Counter(about["recipe"] for about in known).items())),
        "failures": [{"clip": f.key.split()[-1], "detail": f.message} for f in failures],
    }
