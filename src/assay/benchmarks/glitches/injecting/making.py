"""Make the clips of a benchmark one after the other: act, film, spoil, encode."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from assay.benchmarks.glitches.injecting.clean import check, clean_actor, pace_of
from assay.benchmarks.glitches.injecting.injectors.base import LEVELS, Acting, Injector
from assay.benchmarks.glitches.injecting.orders import SEEDS, TASKS, Order, injectors
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, seen_change
from assay.benchmarks.glitches.injecting.recorded import Recorded
from assay.benchmarks.glitches.injecting.stage import Stage
from assay.episodes.glitches.reports import event_as_json
from assay.episodes.glitches.taxonomy import taxonomy
from assay.episodes.lerobot.writing.mp4 import Encoder
from assay.errors import EpisodeError
from assay.records import Event, Image
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.policies.base import Actor
from assay.worlds.tasks.base import Aim, Task, hands_of

__all__ = ["CODEC", "Maker", "Recipe", "event_of", "made_frames"]

CODEC: Final = (
    "libx264",
    {"crf": "20", "g": "15", "bf": "0", "preset": "veryfast", "threads": "1", "mbtree": "0"}
    | {"sc_threshold": "0"},
)
"""Every clip is encoded once with this, clean or not: the coding tells nothing.

Keyframes come every 15 frames, and not where the picture changes at once: there a glitch would be.
Without x264's tree of macroblocks: with it, the same frames don't always give the same bytes.
"""

_TRIES: Final = 40
_CHANCES: Final = 3
_VIEWS: Final = {"front": 0.5, "side": 0.35, "overhead": 0.15}
_ANYWHERE: Final = ("blur", "occlusion", "frame_corruption", "low_visibility")
_WRIST: Final = 0.12  # of the clips that a moving camera may film
_UNSEEN: Final = 0.6  # of the test clips are of tasks that train has not, where some fit


@dataclass(frozen=True)
class Recipe:
    """What all clips of a benchmark share. Can be pickled.

    Attributes:
        root: The run directory.
        size: Width and height of the pictures [pixels].
        recorded: The recorded clips to be spoilt; None films the worlds.
    """

    root: Path
    size: int
    recorded: Recorded | None = None


class Maker:
    """Make one clip after the other.

    Args:
        recipe: What they share.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._stage = Stage(recipe.size)
        self._injectors = injectors()

    def __call__(self, order: Order) -> bytes:
        """Return what is to know of a clip as JSON; the clip itself is in its place."""
        clip, injected, about = self.made(order)
        frames = clip.frames if injected is None else injected.frames
        file = f"{order.split}/clips/{order.name}.mp4"
        _encode(self._recipe.root / file, frames, clip.fps)
        events = []
        if injected is not None:
            event = event_of(self._injectors[order.recipe], injected, order, clip)
            events.append(event_as_json(event))
        known = {
            "clip": order.name,
            "file": file,
            "split": order.split,
            "instruction": clip.instruction,
            "moves": clip.moves,
            "recipe": order.recipe,
            "strength": "" if order.clean else LEVELS[order.level],
            "length_s": round(clip.length_s, 6),
            "events": events,
        }
        return json.dumps(known | about).encode()

    def made(self, order: Order) -> tuple[Prepared, Injected | None, dict[str, Any]]:
        """Return a clip before and after its glitch, and what it shows.

        Raises:
            EpisodeError: No attempt shows the glitch.
        """
        why: dict[str, int] = {}
        for attempt in range(_TRIES):
            try:
                return self._tried(order, attempt)
            except EpisodeError as error:
                why[str(error)] = why.get(str(error), 0) + 1
        most = max(why, key=lambda text: why[text])
        raise EpisodeError(f"{order.recipe} could not be made in {_TRIES} attempts: {most}")

    def _tried(
        self, order: Order, attempt: int
    ) -> tuple[Prepared, Injected | None, dict[str, Any]]:
        rng = order.rng(attempt)
        injector = self._injectors.get(order.recipe)
        if self._recipe.recorded is not None:
            clip, about = self._recipe.recorded.prepare(order.number + attempt, rng)
        else:
            clip, about = self._filmed(order, injector, rng)
        if injector is None:
            return clip, None, about
        return clip, _spoilt(injector, clip, order, rng), about

    def _filmed(
        self, order: Order, injector: Injector | None, rng: np.random.Generator
    ) -> tuple[Prepared, dict[str, Any]]:
        """Let somebody act in a world."""
        name = self._task(order, injector, rng)
        task, seed = self._stage.task(name), int(rng.choice(SEEDS[order.split]))
        view = _view(order, injector, task, rng)
        actor = _actor(injector, order, task, seed)
        clip = self._stage.prepare(
            name, actor, seed, view, pace=pace_of(order.recipe), noise=int(rng.integers(2**31))
        )
        if injector is None or injector.needs != "acting":
            check(order.recipe, clip)
        return clip, {"task": name, "seed": seed, "view": view}

    def _task(self, order: Order, injector: Injector | None, rng: np.random.Generator) -> str:
        """Draw a task of the split that can show the glitch."""
        every = TASKS[order.split]
        fit = [n for n in every if injector is None or injector.suits(self._stage.task(n))]
        if order.recipe == "clean-regrasp":
            fit = [name for name in fit if hands_of(self._stage.task(name)) == 1]
        if not fit:
            raise EpisodeError("no task of the split can show it")
        new = [name for name in fit if name not in TASKS["train"]]
        old = [name for name in fit if name in TASKS["train"]]
        chosen = new if new and (not old or rng.random() < _UNSEEN) else old
        return str(rng.choice(chosen))


def _actor(injector: object, order: Order, task: Task, seed: int) -> Actor:
    """Return who acts: the injector's own, an expert, or that of a kind of clean clip."""
    if isinstance(injector, Acting):
        return injector.actor(task, seed, order.level)
    return ScriptedActor(task, Aim()) if injector else clean_actor(order.recipe, task)


def _spoilt(injector: Injector, clip: Prepared, order: Order, rng: np.random.Generator) -> Injected:
    """Return the clip with its glitch; an attempt gets some chances before another is made."""
    for _ in range(_CHANCES - 1):
        try:
            return made_frames(injector, clip, injector.inject(clip, order.level, rng))
        except EpisodeError:
            continue
    return made_frames(injector, clip, injector.inject(clip, order.level, rng))


def made_frames(injector: Injector, clip: Prepared, injected: Injected) -> Injected:
    """Return the glitch with the span in which it is seen; what nobody sees is taken back.

    Raises:
        EpisodeError: It can't be seen at all.
    """
    if injector.needs == "acting":
        return injected
    start, stop = seen_change(clip.frames, injected.frames)
    frames = clip.frames.copy()
    frames[start:stop] = injected.frames[start:stop]
    return replace(injected, frames=frames, start=start, stop=stop)


def event_of(injector: Injector, injected: Injected, order: Order, clip: Prepared) -> Event:
    """Return the reference: what is wrong, from when to when, and how grave it is."""
    start, end = injected.start / clip.fps, injected.stop / clip.fps
    return Event(
        dimension=taxonomy().dimension_of(injector.type),
        type=injector.type,
        start_s=round(start, 6),
        end_s=round(end, 6),
        severity=float(injector.severities[order.level]),
        description=injected.description,
        evidence=f"Frames {injected.start} to {injected.stop - 1} of {len(clip)}.",
        secondary=injected.secondary,
        frames_s=(round((start + end) / 2, 3),),
    )


def _view(order: Order, injector: Injector | None, task: Task, rng: np.random.Generator) -> str:
    """Draw a camera; one at the wrist only where nothing but the picture is at fault."""
    kind = "" if injector is None else injector.type
    may = order.recipe == "clean" or kind in _ANYWHERE
    if rng.random() < _WRIST and may and hands_of(task) == 1:
        return "wrist"
    return str(rng.choice(list(_VIEWS), p=list(_VIEWS.values())))


def _encode(path: Path, frames: Image, fps: float) -> None:
    """Write a clip; the file appears whole or not at all."""
    part = path.with_name(f".{path.name}.partial")
    height, width = (side - side % 2 for side in frames.shape[1:3])
    encoder = Encoder(part, Fraction(fps).limit_denominator(10_000), CODEC, (height, width))
    try:
        for number, picture in enumerate(frames):
            encoder.add(picture[:height, :width], first=number == 0)
    finally:
        encoder.close()
    part.replace(path)
