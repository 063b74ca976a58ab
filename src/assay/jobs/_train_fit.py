"""Hand demonstrations to the network, and keep what it has learnt."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engine.progress import ProgressBar
from assay.engine.tally import Meter
from assay.errors import UsageError
from assay.jobs._train_lessons import Lessons
from assay.jobs._train_made import made_clips
from assay.jobs._train_shown import shown
from assay.judges.prm_mini import PrmMini
from assay.judges.prm_mini._batches import Recipe
from assay.judges.prm_mini._card import CARD, is_trained, read_card
from assay.judges.prm_mini._judge import embedded

if TYPE_CHECKING:
    from assay.judges.prm_mini._clips import Clip
    from assay.judges.prm_mini._fitting import Fitted, Step
    from assay.judges.prm_mini._network import Network

__all__ = ["TRIALS", "WORK", "Learnt", "can_go_on", "choose_start", "learn", "recipe_of"]

WORK = "work"
"""The folder in the run directory for what is needed until the training ends."""

TRIALS = "trials.sqlite"
"""The journal in it of what the new judge said of held-out episodes."""

_STEPS = 400  # 50 demonstrations are learnt from in a few minutes
_EVERY = 40  # steps between two looks
_PATIENCE = 6  # looks; the rate falls over all steps, and much is gained late
_GENTLE = 0.25  # of the rate, when weights that know something are gone on from
_LOOKED_AT = 3  # demonstrations that tell whether prm-mini knows such scenes


@dataclass(frozen=True, eq=False)
class Learnt:
    """What came of the training.

    Attributes:
        made: How many episodes were made, by kind.
        start: What it started from, in words.
        history: All looks at the held-out episodes: step, loss, valid_error, valid_pairs.
        stopped: Why it ended, in words.
    """

    made: dict[str, int]
    start: str
    history: list[dict[str, float]]
    stopped: str


def learn(lessons: Lessons, asked: Mapping[str, Any], folder: Path) -> Learnt:
    """Train on the lessons and write the judge to `folder`; go on if it was stopped there.

    Args:
        lessons: What to learn from and what to hold out.
        asked: The settings as run.json holds them.
        folder: The run directory.
    """
    own = [clip for lesson in lessons.trained for clip in lesson.clips()]
    made, counts = made_clips(own, np.random.default_rng([asked["seed"], 3]))
    valid = [clip for lesson in lessons.judged for clip in lesson.clips()]
    start, said = choose_start(lessons, asked["from"])
    recipe = recipe_of(asked, goes_on=start is not None)
    fitted = _fit(([*own, *made], valid), recipe, start, folder)
    if not is_trained(folder):
        about = {"made": counts, "start": said, "fps": asked["fps"], "seed": asked["seed"]}
        _write_judge(fitted.network, (own, valid), folder, about)
    return Learnt(counts, said, [_look(step) for step in fitted.history], _ending(fitted))


def recipe_of(asked: Mapping[str, Any], *, goes_on: bool) -> Recipe:
    """Return how to learn: afresh, or from weights that know something already."""
    steps = asked["steps"] or _STEPS
    return Recipe(
        steps=steps,
        rate=Recipe.rate * (_GENTLE if goes_on else 1.0),
        seed=asked["seed"],
        every=max(1, min(_EVERY, steps // 4)),
        patience=_PATIENCE,
        minutes=asked["minutes"] or 0.0,
    )


def choose_start(lessons: Lessons, asked: str) -> tuple[Path | None, str]:
    """Return the folder to start from, None for scratch, and the choice in words.

    Raises:
        UsageError: prm-mini was asked for and its weights are not there.
    """
    if asked == "scratch":
        return None, "scratch"
    if asked not in ("auto", "prm-mini"):
        return Path(asked), asked
    if not can_go_on(embedded()):
        if asked == "auto":
            return None, "scratch"
        raise UsageError("--from prm-mini: this installation lacks the weights to go on from.")
    if asked == "prm-mini":
        return embedded(), "prm-mini"
    share = _novelty(lessons)
    if share > read_card(embedded()).novel_limit:
        return None, f"scratch: {100 * share:.0f} % of the moments are new to prm-mini"
    return embedded(), f"prm-mini, to which {100 * share:.0f} % of the moments are new"


def can_go_on(folder: Path) -> bool:
    """Tell whether a folder holds a judge with weights to go on from."""
    from assay.judges.prm_mini._saving import NETWORK

    return is_trained(folder) and (folder / NETWORK).is_file()


def _novelty(lessons: Lessons) -> float:
    """Return the share of moments that prm-mini has not seen the like of."""
    judge, shares = PrmMini(weights=embedded()), []
    for lesson in lessons.trained[:_LOOKED_AT]:
        curve = judge.progress(shown(lesson.prepared).episode, lesson.prepared.times)
        shares.append(1.0 if curve.novel is None else float(curve.novel.mean()))
    return float(np.mean(shares))


def _fit(
    clips: tuple[Sequence[Clip], Sequence[Clip]], recipe: Recipe, start: Path | None, folder: Path
) -> Fitted:
    """Return the network taught by the first clips and tried on the second."""
    from assay.judges.prm_mini._fitting import fit

    meter = Meter(recipe.steps)
    with ProgressBar("learning") as bar:

        def tell(step: int, loss: float) -> None:  # noqa: ARG001 - `fit` tells it
            if not meter.finished:
                _forget_judge(folder)
            meter.add(1, ())
            bar(meter.tally(step - meter.finished))

        checkpoint = folder / WORK / "training.pt"
        return fit(*clips, recipe, start=start, on_step=tell, checkpoint=checkpoint)


def _forget_judge(folder: Path) -> None:
    """Remove the card, without which a folder is no judge, and what was said of the judge."""
    (folder / CARD).unlink(missing_ok=True)
    for file in (folder / WORK).glob(f"{TRIALS}*"):
        file.unlink()


def _write_judge(
    network: Network,
    clips: tuple[Sequence[Clip], Sequence[Clip]],
    folder: Path,
    about: Mapping[str, Any],
) -> None:
    """Write the judge aside and move it to `folder`, so that no half of it is ever taken for it."""
    from assay.judges.prm_mini._saving import save

    aside = folder / WORK / "judge"
    shutil.rmtree(aside, ignore_errors=True)  # of a run that was stopped while it wrote
    save(network, *clips, aside, name=folder.resolve().name, about=about)
    for file in sorted(aside.iterdir(), key=lambda file: file.name == CARD):  # the card comes last
        file.replace(folder / file.name)
    aside.rmdir()


def _look(step: Step) -> dict[str, float]:
    return {
        "step": step.step,
        "loss": step.loss,
        "valid_error": step.valid.error,
        "valid_pairs": step.valid.pairs,
    }


def _ending(fitted: Fitted) -> str:
    recipe, last = fitted.recipe, fitted.history[-1].step
    if last == recipe.steps:
        return "all steps were taken"
    since = last - min(fitted.history, key=lambda s: s.valid.error).step
    if since >= recipe.patience * recipe.every:
        return f"held-out episodes got no better for {since} steps"
    return f"the {recipe.minutes:g} minutes were over"
