"""Sort prepared demonstrations: what is learnt from, what is held out, what is known of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import EpisodeError, InputError
from assay.jobs._train_frames import Prepared
from assay.jobs._train_split import held_out, split_by
from assay.jobs._train_targets import ORIGINS, Target, target_of
from assay.judges.prm_mini._clips import Clip
from assay.records import Episode, Unreadable

__all__ = ["FEWEST", "Lesson", "Lessons", "lessons_of"]

FEWEST = 4
"""With fewer episodes none can be spared."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A prepared episode and what is known of its progress."""

    prepared: Prepared
    target: Target

    @property
    def episode(self) -> Episode:
        """Return the episode."""
        return self.prepared.episode

    def clips(self) -> Iterator[Clip]:
        """Yield what the network learns from, a clip per view."""
        episode = self.episode
        for view in self.prepared.files:
            yield Clip(
                frames=self.prepared.frames(view),
                values=self.target.values.astype(np.float32),
                instructions=(episode.instruction,) if episode.instruction else (),
                task=episode.task,
                episode=episode.id,
                view=view,
                success=episode.outcome is not False,  # a demonstration, unless it says otherwise
                policy=episode.policy,
                moves=episode.views[view].moves,
            )


@dataclass(frozen=True, eq=False)
class Lessons:
    """All that a training rests on.

    Attributes:
        trained: What is learnt from.
        held: What is held out; empty when nothing was to be.
        unreadable: What could not be used.
        by: What was held out as a whole, "scene" or "episode".
    """

    trained: tuple[Lesson, ...]
    held: tuple[Lesson, ...]
    unreadable: tuple[Unreadable, ...]
    by: str

    @property
    def judged(self) -> tuple[Lesson, ...]:
        """Return what the new judge is tried on."""
        return self.held or self.trained

    def facts(self) -> dict[str, Any]:
        """Return the counts of `train.json`."""
        every = [*self.trained, *self.held]
        episodes = [lesson.episode for lesson in every]
        outcomes = Counter(episode.outcome for episode in episodes)
        origins = Counter(lesson.target.origin for lesson in every)
        scenes = {episode.scene for episode in episodes}
        return {
            "episodes": {"trained": len(self.trained), "held_out": len(self.held)},
            "held_out_by": self.by,
            "labels": {
                "successes": outcomes[True],
                "failures": outcomes[False],
                "unknown": outcomes[None],
            },
            "targets": {origin: origins[origin] for origin in ORIGINS if origins[origin]},
            "tasks": [self._task(name) for name in sorted({e.task for e in episodes})],
            "instructions": sorted({e.instruction for e in episodes}),
            "views": sorted({view for lesson in every for view in lesson.prepared.files}),
            "scenes": None if None in scenes else len(scenes),
            "perturbations": sorted({e.perturbation for e in episodes} - {None, "none"}),
            "unreadable": [{"episode": b.id, "detail": b.detail} for b in self.unreadable],
        }

    def _task(self, name: str) -> dict[str, Any]:
        own = [
            [one for one in part if one.episode.task == name] for part in (self.trained, self.held)
        ]
        return {
            "task": name,
            "instructions": sorted({one.episode.instruction for part in own for one in part}),
            "trained": len(own[0]),
            "held_out": len(own[1]),
        }


def lessons_of(
    prepared: Sequence[Prepared], bad: Sequence[Unreadable], share: float, seed: int
) -> Lessons:
    """Return the lessons, with about `share` of them held out.

    Raises:
        InputError: Too little is left to learn from.
    """
    lessons, unreadable = [], list(bad)
    for one in prepared:
        try:
            lessons.append(Lesson(one, target_of(one.episode, one.times)))
        except EpisodeError as error:
            unreadable.append(Unreadable.of(one.episode, str(error), "invalid_value"))
    _refuse_too_little(lessons, unreadable, share)
    episodes = [lesson.episode for lesson in lessons]
    out = held_out(episodes, share, seed)
    return Lessons(
        trained=tuple(one for one in lessons if one.episode.id not in out),
        held=tuple(one for one in lessons if one.episode.id in out),
        unreadable=tuple(unreadable),
        by=split_by(episodes),
    )


def _refuse_too_little(lessons: Sequence[Lesson], bad: Sequence[Unreadable], share: float) -> None:
    if not lessons:
        raise InputError(f"no demonstration can be learnt from; {bad[0].id}: {bad[0].detail}.")
    if share > 0 and len(lessons) < FEWEST:
        raise InputError(
            f"{len(lessons)} of at least {FEWEST} demonstrations with frames: give more, or"
            " --validation 0 to learn from all of them and hold none out."
        )
    if all(lesson.episode.outcome is False for lesson in lessons):
        raise InputError(
            f"all {len(lessons)} demonstrations failed: a judge must have seen the task done."
        )
    if all(np.nanmax(one.target.values) - np.nanmin(one.target.values) == 0 for one in lessons):
        raise InputError("the progress of every demonstration stands still: nothing can be learnt.")
