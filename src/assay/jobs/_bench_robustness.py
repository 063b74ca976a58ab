"""What `assay bench glitches` is asked beside the scores, and the answers, from files alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.benchmarks.glitches import robustness as suite
from assay.benchmarks.glitches.laid_out import Comparing, Scored, lay_out, marked
from assay.benchmarks.glitches.similarity import Similarity
from assay.episodes.glitches.reports import ClipReport, read_reports
from assay.episodes.glitches.taxonomy import taxonomy
from assay.episodes.tables import check_required, read_rows
from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._adjudicated import adjudication
from assay.jobs._rundir import read_document
from assay.metrics.glitches.agreeing import agreement_by_dimension
from assay.metrics.glitches.figures import Clips, figures

__all__ = ["Asked", "robustness"]

_CLIP = "clip"


@dataclass(frozen=True)
class Asked:
    """What else is to be known of the systems.

    Attributes:
        second: Compares descriptions a second time, to check the first.
        base: The weakest system.
        full: The strongest; with `base` it spans the gap that others close in part.
        held_out: The dataset of a generator that was held out.
        sweep: A system whose least confidence is varied.
        groups: csv with `clip` and groups, such as task_family and embodiment.
        annotators: What each annotator marked, by name.
    """

    second: Similarity | None = None
    base: str = ""
    full: str = ""
    held_out: str = ""
    sweep: str = ""
    groups: Path | None = None
    annotators: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if bool(self.base) != bool(self.full) or (self.held_out and not self.full):
            raise UsageError("--base and --full go together, and --held-out with both.")
        if len(self.annotators) == 1:
            raise UsageError("Agreement needs at least two annotators: give --annotator again.")

    def files(self) -> list[Path]:
        """Return the files that the answers rest on."""
        return [*([] if self.groups is None else [self.groups]), *self.annotators.values()]

    def record(self) -> dict[str, Any]:
        """Return what was asked for, as plain data; nothing of what was not."""
        told = {
            "second_similarity": None if self.second is None else self.second.name,
            **{name: getattr(self, name) for name in ("base", "full", "held_out", "sweep")},
            "groups": None if self.groups is None else str(self.groups),
            "annotators": {name: str(path) for name, path in self.annotators.items()},
        }
        return {name: value for name, value in told.items() if value}


def robustness(
    asked: Asked,
    said: Mapping[str, Mapping[str, ClipReport]],
    true: Mapping[str, ClipReport],
    reports: Mapping[str, Path],
    laid: Mapping[str, Scored],
    how: Comparing,
    clips: Clips,
) -> dict[str, Any]:
    """Return the answers to what was asked, by name.

    Args:
        asked: What is to be known.
        said: The reports of each system.
        true: What is there.
        reports: The file of each system; a `diagnose.json` beside it tells its calls.
        laid: The systems beside the references.
        how: Compares events.
        clips: How clips are drawn again.
    """
    f1 = {name: figures(scored.tally(), clips)["f1"].value for name, scored in laid.items()}
    found: dict[str, Any] = {}
    if changed := suite.conditions(f1):
        found["conditions"] = changed
    if calls := {name: _calls(path) for name, path in reports.items() if _calls(path)}:
        found["calls"] = {name: {"calls": n, "f1": f1[name]} for name, n in calls.items()}
    if asked.second is not None:
        other = replace(how, similarity=asked.second)
        found["second_judge"] = _second(other, said, true, f1, clips)
    if asked.full:
        found["gap_closed"] = suite.gaps(laid, asked.base, asked.full, clips)
    if asked.held_out:
        found["retention"] = suite.retention(laid, asked.base, asked.full, asked.held_out, clips)
    if asked.sweep:
        if asked.sweep not in said:
            raise UnknownNameError("system among --reports", asked.sweep, said)
        found["sweep"] = suite.sweep(said[asked.sweep], true, how, clips)
        found |= _doubt(asked.sweep, said[asked.sweep])
    if asked.groups is not None:
        found["groups"] = suite.by_group(laid, _groups(asked.groups, true), clips)
    if asked.annotators:
        found |= _annotated(asked.annotators, how.fps, clips)
    return found


def _doubt(name: str, reports: Mapping[str, ClipReport]) -> dict[str, str]:
    """Return a sentence on a sweep that begins where the reports were cut off already."""
    begins = suite.unswept(reports)
    if begins == suite.THRESHOLDS[0]:
        return {}
    lowest = f"{suite.THRESHOLDS[0]:.2f}"
    told = (
        f"The reports of {name} hold no event below {begins:.2f}, so thresholds under it change"
        f" nothing: make them with --set accept_at={lowest}."
    )
    return {"sweep_note": told}


def _calls(path: Path) -> float | None:
    """Return how many questions a clip took, where the run that made the reports tells it."""
    beside = path.parent / "diagnose.json"
    if not beside.is_file():
        return None
    asking = read_document(beside).get("asking") or {}
    return (asking.get("calls") or {}).get("mean")


def _second(
    how: Comparing,
    said: Mapping[str, Mapping[str, ClipReport]],
    true: Mapping[str, ClipReport],
    first: Mapping[str, float | None],
    clips: Clips,
) -> dict[str, Any]:
    """Return F1 by the second judge of texts, and whether it ranks the systems alike."""
    own = {
        name: figures(lay_out(found, true, how).tally(), clips)["f1"]
        for name, found in said.items()
    }
    values = {name: estimate.value for name, estimate in own.items()}
    return {
        "similarity": how.similarity.name,
        "f1": {name: estimate.as_json() for name, estimate in own.items()},
        **suite.ranking(first, values),
    }


def _groups(path: Path, true: Mapping[str, ClipReport]) -> dict[str, dict[str, str]]:
    """Return the group of each clip, by column."""
    columns, rows = read_rows(path)
    check_required(path, columns, (_CLIP,))
    names = [name for name in columns if name != _CLIP]
    if not names:
        raise InputError("has no column beside 'clip' to group by, such as task_family.", path)
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for row in rows:
        clip = row.cells.get(_CLIP, "")
        if clip not in true:
            raise InputError(f"the clip {clip!r} is in no reference.", path, row.line)
        for name in names:
            if name in row.cells:
                found[name][clip] = row.cells[name]
    return found


def _annotated(annotators: Mapping[str, Path], fps: float | None, clips: Clips) -> dict[str, Any]:
    """Return how far annotators agree, and what two of them make together."""
    marks = {name: read_reports(path, truth=True) for name, path in annotators.items()}
    found = {"agreement": _agreement(marks, fps, clips)}
    if (both := adjudication(marks)) is not None:
        found["adjudication"] = {name: n for name, n in both.items() if name != "clips"}
    return found


def _agreement(
    read: Mapping[str, Mapping[str, ClipReport]], fps: float | None, clips: Clips
) -> dict[str, Any]:
    """Return how far annotators agree on each dimension, on the clips that all of them saw."""
    common = [
        clip for clip in next(iter(read.values())) if all(clip in own for own in read.values())
    ]
    if not common:
        raise UsageError("The annotators have no clip in common.")
    sides = [marked((own[clip].events for clip in common), fps)[0] for own in read.values()]
    found = agreement_by_dimension(
        sides,
        len(common),
        list(taxonomy().dimensions),
        resamples=clips.resamples,
        level=clips.level,
        seed=clips.seed,
    )
    return {"annotators": list(read), "clips": len(common), "by_dimension": found}
