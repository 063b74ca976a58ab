"""Choose the demonstrations that a policy can learn from, and say what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.engine import Journal
from assay.errors import EpisodeError, InputError
from assay.jobs._rundir import read_document
from assay.jobs._train_frames import Preparing, prepare
from assay.jobs._train_split import held_out, split_by
from assay.records import Episode, Unreadable
from assay.worlds.policies._cloned.inputs import things_of
from assay.worlds.policies._cloned.lessons import Lesson, lesson_of, rate_of

__all__ = ["SIZE", "Demos", "Taught", "demos_of", "teach"]

SIZE = 64
"""Width and height of the pictures that a policy learns from [pixels]."""

FEWEST = 5
_PICTURES_A_SECOND = 10  # neighbours look alike; more would only fill the disk


@dataclass(frozen=True)
class Demos:
    """Demonstrations of one task by one robot.

    Attributes:
        episodes: Those to learn from.
        failed: How many were left out because they did not succeed.
        unreadable: Those that can't be used, and why.
        rate: Actions a second.
        things: The objects whose pose all of them hold.
        views: The views that all of them have.
    """

    episodes: tuple[Episode, ...]
    failed: int
    unreadable: tuple[Unreadable, ...]
    rate: int
    things: tuple[str, ...]
    views: tuple[str, ...]

    @property
    def record(self) -> Mapping[str, Any]:
        """Return robot and look as the run that recorded the demonstrations says."""
        return _record(self.episodes[0].source)


@dataclass(frozen=True, eq=False)
class Taught:
    """Lessons, those to learn from and those that are held out, with their episodes."""

    trained: tuple[tuple[Episode, Lesson], ...]
    held: tuple[tuple[Episode, Lesson], ...]
    by: str


def demos_of(found: Sequence[Episode | Unreadable], inputs: str, validation: float) -> Demos:
    """Return the demonstrations that can be learnt from.

    Raises:
        InputError: They are too few, or of several tasks or robots.
    """
    bad = [one for one in found if isinstance(one, Unreadable)]
    whole = [one for one in found if isinstance(one, Episode)]
    tried = [one for one in whole if one.outcome is not False]
    if whole and not tried:
        raise InputError(
            f"all {len(whole)} demonstrations failed: a policy must have seen the task done."
        )
    good, rates = [], []
    for episode in tried:
        try:
            lesson_of(episode, episode.duration() * np.zeros(1), ())
            rates.append(rate_of(episode))
            if inputs == "pixels" and not episode.views:
                raise EpisodeError("has no video, and --inputs pixels learns from pictures")
            good.append(episode)
        except EpisodeError as error:
            bad.append(Unreadable.of(episode, str(error), "invalid_value"))
    _refuse(good, bad, rates, validation)
    things = sorted(set.intersection(*(set(things_of(episode)) for episode in good)))
    if inputs == "state" and not things:
        raise InputError(
            "the demonstrations tell no object's pose (object.NAME.position and .rotation), and"
            " --inputs state looks at them: try --inputs pixels."
        )
    views = [view for view in good[0].views if all(view in e.views for e in good)]
    if inputs == "pixels" and not views:
        raise InputError("the demonstrations have no view in common: name one with --views.")
    return Demos(
        tuple(good), len(whole) - len(tried), tuple(bad), rates[0], tuple(things), tuple(views)
    )


def _refuse(
    good: Sequence[Episode], bad: Sequence[Unreadable], rates: Sequence[int], validation: float
) -> None:
    if not good:
        raise InputError(f"no demonstration can be learnt from; {bad[0].id}: {bad[0].detail}.")
    tasks = sorted({episode.task for episode in good})
    if len(tasks) > 1:
        raise InputError(
            f"the demonstrations are of {len(tasks)} tasks ({', '.join(tasks)}), and a policy"
            " learns one: give those of one task."
        )
    robots = {str(_record(source).get("robot")) for source in {e.source for e in good}}
    widths = {episode.signals["action"].values.shape[1] for episode in good}
    if len(robots) > 1 or len(widths) > 1:
        known = robots if len(robots) > 1 else {f"{width - 1} joints" for width in widths}
        raise InputError(
            f"the demonstrations are of several robots ({', '.join(sorted(known))}), and a policy"
            " learns with one: give those of one robot."
        )
    if len(set(rates)) > 1:
        told = ", ".join(map(str, sorted(set(rates))))
        raise InputError(
            f"the demonstrations have {told} actions a second: give those of one rate."
        )
    if validation > 0 and len(good) < FEWEST:
        raise InputError(
            f"{len(good)} of at least {FEWEST} demonstrations: give more, or --validation 0 to"
            " learn from all of them and hold none out."
        )


def _record(source: str) -> Mapping[str, Any]:
    """Return robot and look of a rollout; nothing where it was recorded elsewhere."""
    try:
        record = read_document(Path(source) / "run.json")
    except InputError:
        return {}
    settings, prints = record.get("settings"), record.get("fingerprints")
    return {
        "robot": settings.get("robot") if isinstance(settings, dict) else None,
        "look": prints.get("look") if isinstance(prints, dict) else None,
    }


def teach(
    demos: Demos, asked: Mapping[str, Any], folder: Path, journal: Journal, jobs: int | None
) -> Taught:
    """Return the lessons of the demonstrations, with some of them held out.

    Args:
        demos: The demonstrations.
        asked: The settings as run.json holds them.
        folder: Where small pictures are kept until the training ends.
        journal: Remembers which are there.
        jobs: Workers that read frames.
    """
    lessons = _seen(demos, folder, journal, jobs) if asked["inputs"] == "pixels" else _known(demos)
    out = held_out(demos.episodes, asked["validation"], asked["seed"])
    pairs = [(e, lessons[e.id]) for e in demos.episodes]
    return Taught(
        tuple((e, own) for e, own in pairs if e.id not in out),
        tuple((e, own) for e, own in pairs if e.id in out),
        split_by(demos.episodes),
    )


def _known(demos: Demos) -> dict[str, Lesson]:
    return {e.id: lesson_of(e, e.signals["action"].times, demos.things) for e in demos.episodes}


def _seen(demos: Demos, folder: Path, journal: Journal, jobs: int | None) -> dict[str, Lesson]:
    """Return the lessons with their pictures, which lie in files."""
    fps = max(n for n in range(1, _PICTURES_A_SECOND + 1) if demos.rate % n == 0)
    ready, bad = prepare(demos.episodes, Preparing(folder, fps, SIZE), journal, jobs)
    if bad:
        raise InputError(f"the pictures of {bad[0].id} can't be used: {bad[0].detail}.")
    return {
        one.episode.id: lesson_of(
            one.episode,
            one.times,
            demos.things,
            {view: one.frames(view) for view in demos.views},
        )
        for one in ready
    }
