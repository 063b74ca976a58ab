"""Score reports of glitches against references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.benchmarks.glitches.between import differences
from assay.benchmarks.glitches.document import HEADLINE, system_document
from assay.benchmarks.glitches.laid_out import Comparing, Scored, lay_out
from assay.benchmarks.glitches.similarity import SharedWords, Similarity
from assay.benchmarks.glitches.text_judge import TextJudge
from assay.episodes.glitches.reports import ClipReport, read_reports
from assay.episodes.glitches.taxonomy import taxonomy
from assay.errors import InputError, UsageError
from assay.jobs._adjudicated import adjudicated_file
from assay.jobs._bench_robustness import Asked, robustness
from assay.jobs._fingerprint import fingerprint
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.metrics.glitches.figures import RESAMPLES, Clips
from assay.metrics.glitches.frames import MOST_FPS
from assay.metrics.glitches.matching import BONUS
from assay.models import session
from assay.models.session import ModelSettings
from assay.reports.glitch_bench_page import write_glitch_bench_page

__all__ = ["GlitchBenchResult", "GlitchBenchSettings", "bench_glitches"]


@dataclass(frozen=True)
class GlitchBenchSettings:
    """How reports are scored.

    Attributes:
        out: The run directory; None writes nothing.
        similarity: Compares descriptions; None counts shared words.
        asked: What else is to be known; see `Asked`.
        models: How a text model is asked, where one compares descriptions.
        resamples: How often clips are drawn again.
        seed: Decides the resampling.
        level: The wanted coverage of intervals.
        iou_fps: Overlaps are counted in whole frames of so many a second; None takes seconds.
    """

    out: Path | str | None = None
    similarity: Similarity | None = None
    asked: Asked = field(default_factory=Asked)
    models: ModelSettings | None = None
    resamples: int = RESAMPLES
    seed: int = 0
    level: float = 0.95
    iou_fps: float | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.iou_fps is not None and not 0.0 < self.iou_fps <= MOST_FPS:
            allowed = f"above 0 and at most {MOST_FPS:g} frames a second"
            raise UsageError(f"--iou-fps must be {allowed}, not {self.iou_fps:g}.")
        if not 100 <= self.resamples <= 100_000:
            raise UsageError(f"--resamples must lie in 100..100000, not {self.resamples}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")
        if not 0.5 <= self.level < 1.0:
            raise UsageError(f"--level must be at least 0.5 and below 1, not {self.level:g}.")


@dataclass(frozen=True)
class GlitchBenchResult:
    """Scored reports.

    Attributes:
        out: The run directory, or None.
        document: What `bench.json` holds.
    """

    out: Path | None
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `bench.json` to the letter."""
        if self.out is None:
            return dump_json(self.document, in_order=True)
        return (self.out / "bench.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every clip was reported on and every event can be meant."""
        return not self.problems()

    @property
    def warnings(self) -> list[str]:
        """Return a sentence on each answer that says less than it seems to."""
        note = self.document["robustness"].get("sweep_note")
        return [] if note is None else [note]

    def problems(self) -> list[str]:
        """Return a sentence on each system whose reports lack something."""
        found = []
        for name, one in self.document["systems"].items():
            counts = one["counts"]
            if gone := counts["not_reported_on"]:
                found.append(f"{name}: no report on {gone} of {counts['clips']} clips.")
            if unknown := counts["unknown_clips"]:
                found.append(f"{name}: {unknown} reported clips are in no reference.")
            if bad := counts["invalid"]:
                listed = ", ".join(f"{reason} {n}" for reason, n in bad.items())
                found.append(f"{name}: events that can't be meant count as wrong: {listed}.")
        return found


def bench_glitches(
    reports: Mapping[str, Path],
    references: Path,
    settings: GlitchBenchSettings | None = None,
) -> GlitchBenchResult:
    """Score one or more systems' reports, and write the run directory if one is named.

    Args:
        reports: The file of each system (jsonl: clip, dataset, events), by its name.
        references: What is there, in the same form.
        settings: How.

    Raises:
        InputError: A file can't be used.
    """
    how = settings or GlitchBenchSettings()
    if not reports:
        raise UsageError("Say whose reports: --reports FILE.")
    true = read_reports(references, truth=True)
    said = {name: _of(path, true) for name, path in reports.items()}
    with _comparing(how):
        if how.out is None:
            return GlitchBenchResult(None, _document(said, true, reports, references, how))
        record = _record(reports, references, how)
        files = (references, *reports.values(), *how.asked.files())
        document = {
            "verb": "bench",
            "seed": how.seed,
            "settings": record,
            "fingerprints": {str(path): fingerprint(path) for path in files},
        }
        run = RunDirectory.open(Path(how.out), document, frozenset(record))
        if run.finished:
            return GlitchBenchResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            found = _document(said, true, reports, references, how)
            write_glitch_bench_page(found, run.path)
            if (both := adjudicated_file(how.asked.annotators)) is not None:
                write_file(run.path / "adjudicated.jsonl", both)
            write_file(run.result, dump_json(found, in_order=True))
            return GlitchBenchResult(run.path, read_document(run.result))


@contextmanager
def _comparing(how: GlitchBenchSettings) -> Iterator[None]:
    """Open a session where a text model compares descriptions."""
    judges = [one for one in (how.similarity, how.asked.second) if isinstance(one, TextJudge)]
    if not judges:
        yield
        return
    with nullcontext() if how.models is None else session.opened(how.models):
        for judge in judges:
            judge.check()
        yield


def _of(path: Path, true: Mapping[str, ClipReport]) -> dict[str, ClipReport]:
    """Return what a system reported; what lies outside a clip of the references is unmeant."""
    lengths = {clip: one.length_s for clip, one in true.items() if one.length_s is not None}
    found = read_reports(path, lengths=lengths)
    if not found.keys() & true.keys():
        said = f"no clip of it is among the references; they begin with {next(iter(true))!r}."
        raise InputError(said, path)
    return found


def _document(
    said: Mapping[str, Mapping[str, ClipReport]],
    true: Mapping[str, ClipReport],
    reports: Mapping[str, Path],
    references: Path,
    how: GlitchBenchSettings,
) -> dict[str, Any]:
    """Return the first system's figures and the settings, then all systems and how they differ."""
    comparing = Comparing(how.similarity or SharedWords(), how.iou_fps)
    laid = {name: lay_out(found, true, comparing) for name, found in said.items()}
    clips = _clips(next(iter(laid.values())), how)
    systems = {
        name: system_document(scored, comparing.similarity.name, clips)
        for name, scored in laid.items()
    }
    first = next(iter(systems.values()))
    return {
        **{name: first[name] for name in HEADLINE},
        "settings": _record(reports, references, how),
        **first,  # what stands there already keeps its place
        "systems": systems,
        "differences": differences(laid, clips),
        "robustness": robustness(how.asked, said, true, reports, laid, comparing, clips),
        "schema": "assay.bench.glitches/1",
    }


def _clips(scored: Scored, how: GlitchBenchSettings) -> Clips:
    return Clips(scored.dataset, how.seed, how.resamples, how.level)


def _record(
    reports: Mapping[str, Path], references: Path, how: GlitchBenchSettings
) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "benchmark": "glitches",
        "reports": {name: str(path) for name, path in reports.items()},
        # The first system's figures lead, and differences have signs: their order matters.
        **({"systems": list(reports)} if len(reports) > 1 else {}),
        "references": str(references),
        "similarity": (how.similarity or SharedWords()).name,
        **how.asked.record(),
        "taxonomy": taxonomy().version,
        "bonus": BONUS,
        "iou_fps": None if how.iou_fps is None else float(how.iou_fps),
        "resamples": how.resamples,
        "seed": how.seed,
        "level": how.level,
    }
