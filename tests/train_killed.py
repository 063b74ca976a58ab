"""A training to be killed. As a script it is the command: `train_killed.py train progress ...`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from assay.cli._app import run
from assay.jobs import _training
from assay.judges.prm_mini import _fitting, _saving
from assay.judges.prm_mini._card import is_trained
from killed import Verb, files_of, keys, note

DIE = "ASSAY_TEST_DIE"
FIT, SAVE, TRY = _fitting.fit, _saving.save, _training.try_judges


def train_on(demos: Path, steps: int) -> Verb:
    """Return the verb on demonstrations; it looks at the held-out ones four times."""
    how = ["--from", "scratch", "--steps", steps, "--jobs", "1"]
    return Verb(
        words=["train", "progress", demos, "--out", "judge", *how],
        stored=stored,
        result=lambda folder: files_of(folder / "judge"),
        script=[__file__],
    )


def stored(folder: Path) -> set[str]:
    """The steps that need not be taken again, frames, the judge, and what was said in trials."""
    out = folder / "judge"
    kept = out / "work" / "training.pt"
    last = torch.load(kept, weights_only=True)["state"]["step"] if kept.exists() else 0
    frames, trials = keys(out / "journal.sqlite"), keys(out / "work" / "trials.sqlite")
    steps = {f"step {number}" for number in range(1, last + 1)}
    others = {f"frames {key}" for key in frames} | {f"trial {key}" for key in trials}
    return steps | others | ({"judge"} if is_trained(out) else set())


def small_fit(*given: Any, on_step: Callable[[int, float], None], **more: Any) -> Any:
    """Learn from small batches and note each step; die at the one that the environment names."""
    *clips, recipe = given

    def noted(step: int, loss: float) -> None:
        note(f"step {step}")
        if os.environ.get(DIE) == str(step):
            os.kill(os.getpid(), signal.SIGKILL)
        on_step(step, loss)

    return FIT(*clips, replace(recipe, episodes=2, moments=3), on_step=noted, **more)


def _noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*given: Any, **more: Any) -> Any:
        note(name)
        return function(*given, **more)

    return noted


if __name__ == "__main__":
    torch.set_num_threads(1)
    _fitting.fit = small_fit
    _saving.save, _training.try_judges = _noted("judge", SAVE), _noted("trials", TRY)
    run(sys.argv[1:])
