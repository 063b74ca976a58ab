"""Grounding, windows, specialists and a critic: a diagnosis in five rounds of questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from assay.errors import UnknownNameError, UsageError
from assay.judges._diagnosing import ModelDiagnoser
from assay.judges._event_lists import by_time
from assay.judges._gaze.course import PartFailed
from assay.judges._gaze.looking import Look
from assay.judges._prompts import Prompt
from assay.judges._showing import check_count
from assay.judges.base import Examination
from assay.records import Episode, Event, Judged

__all__ = ["Gaze"]

_PARTS = ("task_memory", "scene_memory", "segmentation", "router", "verifier")


@dataclass(frozen=True)
class Gaze(ModelDiagnoser):
    """Ground the task, watch windows, send specialists to what is odd, and let a critic decide.

    A part that has no usable answer after three more tries leaves the clip unexamined, with what it
    was: half a diagnosis would pass for a clean clip.

    Attributes:
        without: Parts to leave out, with commas between: task_memory (only the instruction is
            known), scene_memory, segmentation (the clip is one segment), router (all specialists
            look at everything), verifier (every hypothesis is reported).
        propose_at: The confidence below which a specialist's hypothesis is not taken up.
        accept_at: The confidence below which the critic accepts nothing.
        batch: Windows in one question.
        most_windows: The most windows of a clip; a longer clip gets longer windows.
        initial: A folder of images named after the clips, for clips whose initial image comes apart
            from the video; by default it is the first frame.
        evidence: "instruments" tells specialists and critic what was measured in the pictures.

    Cites:
        Nguyen et al. (2026), "RoboGaze: evaluating robot world models via structured
        vision-language analysis".
    """

    without: str = ""
    propose_at: float = 0.30
    accept_at: float = 0.50
    batch: int = 8
    most_windows: int = 120
    initial: Path | None = None
    evidence: Literal["none", "instruments"] = "none"

    fields: ClassVar[tuple[str, ...]] = (
        *("dimension", "types", "checklist", "rubric", "normal", "instruction", "task", "scene"),
        *("segments", "measured", "length", "frames"),
    )
    required: ClassVar[tuple[str, ...]] = ("types", "frames")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self, "batch", 1, 64)
        check_count(self, "most_windows", 2, 10_000)
        if self.samples != 1:
            raise UsageError(self._refused("samples", "1: it draws one answer", self.samples))
        for name in ("propose_at", "accept_at"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(self._refused(name, "in 0..1", getattr(self, name)))
        if self.initial is not None and not self.initial.is_dir():
            raise UsageError(self._refused("initial", "a folder that is there", self.initial))
        for part in self._left_out():
            if part not in _PARTS:
                raise UnknownNameError("part of gaze", part, _PARTS)

    @property
    def takes(self) -> frozenset[str]:
        """Return which signals it looks at: all, if instruments measure; else none."""
        return frozenset({"*"}) if self.evidence == "instruments" else frozenset()

    def template(self) -> Prompt:
        """Return the specialists' prompt: the user's, or the one of this package."""
        return Prompt.load("gaze/specialist", self.prompt)

    def examine(self, episode: Episode) -> Examination:
        """Return the faults that stand, those that fell, and what each part gave."""
        look = Look(self, episode)
        judged: Judged[tuple[Event, ...]]
        try:
            judged = Judged(look.run(), calls=look.course.calls)
        except PartFailed as failure:
            judged = Judged(None, failure.status, str(failure), look.course.calls)
        return Examination(
            judged=judged,
            rejected=by_time(look.dropped),
            invalid=tuple(look.invalid),
            unasked=look.unasked,
            trail=tuple(look.course.trail),
            rounds=look.course.rounds,
            notes=tuple(look.notes),
        )

    def has(self, part: str) -> bool:
        """Tell whether a part is switched on."""
        return part not in self._left_out()

    def _left_out(self) -> tuple[str, ...]:
        return tuple(word.strip() for word in self.without.split(",") if word.strip())
