"""Rebuild the embedded judge from nothing: film the worlds, teach the network, measure its levels.

    make weights            all of it, about 40 minutes on two cores

Takes up where it was broken off. The folder of the footage can be deleted afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from assay.benchmarks.footage.filming import Film
from assay.benchmarks.footage.reading import clips
from assay.benchmarks.footage.shooting import shoot
from assay.benchmarks.splits import SPLITS
from assay.judges.prm_mini._around import fit_around
from assay.judges.prm_mini._batches import Recipe
from assay.judges.prm_mini._clips import SIZE, Clip, takes
from assay.judges.prm_mini._fitting import Step, fit
from assay.judges.prm_mini._judge import embedded
from assay.judges.prm_mini._saving import save
from assay.judges.prm_mini._windows import STEP_S
from assay.worlds.look import LOOK

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the weights."""
    asked = _arguments(arguments)
    begun = time.monotonic()
    train, valid = (
        [
            clip
            for clip in _footage(asked.footage / split, SPLITS[split][:count], asked.tasks)
            if clip.task != asked.without
        ]
        for split, count in (("train", asked.episodes), ("validation", asked.held_out))
    )
    _say(f"{asked.episodes} episodes filmed", begun)

    def told(look: Step) -> None:
        found = look.valid
        _say(
            f"step {look.step}: loss {look.loss:.3f}; held-out error {found.error:.3f},"
            f" pairs {found.pairs:.3f}, later but worse {found.anti_time:.3f}",
            begun,
        )

    recipe = Recipe(steps=asked.steps, seed=asked.seed)
    kept = asked.footage / f"training-{asked.without or 'all'}-{asked.seed}.pt"
    fitted = fit(train, valid, recipe, on_look=told, checkpoint=kept)
    gapless = {"tasks": asked.tasks, "every_s": STEP_S}
    along = _footage(asked.footage / "along", SPLITS["along"][: asked.along], **gapless)
    along = [clip for clip in along if clip.task != asked.without]
    _say(f"{asked.along} attempts filmed without gaps", begun)
    around = fit_around(fitted.network, takes(along), asked.seed)
    _say("it has learned to look around", begun)
    about = {"recipe": vars(recipe), "rebuild": "make weights"}
    usual = _footage(asked.footage / "usual", SPLITS["validation"][: asked.usual], **gapless)
    usual = [clip for clip in usual if clip.task != asked.without]
    _say(f"{asked.usual} held-out attempts filmed without gaps, for the levels", begun)
    card = save(
        fitted.network,
        train,
        valid,
        asked.out,
        name="prm-mini",
        around=around,
        usual=usual,
        look=LOOK,
        about=about,
    )
    kept.unlink(missing_ok=True)
    _say(f"{asked.out} is written; completion level {card.completion:.3f}", begun)


def _footage(
    folder: Path, seeds: range, tasks: Sequence[str], every_s: float | None = None
) -> list[Clip]:
    film = Film(folder, SIZE, every_s=every_s, tasks=tuple(tasks))
    return list(clips(folder, shoot(film, seeds)))


def _say(text: str, begun: float) -> None:
    sys.stdout.write(f"==> {(time.monotonic() - begun) / 60:5.1f} min  {text}\n")
    sys.stdout.flush()


def _learned() -> list[str]:
    """Return the tasks of the weights that ship."""
    card = json.loads((embedded() / "card.json").read_text(encoding="utf-8"))
    return sorted(card["tasks"])


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--footage", type=Path, default=ROOT / "footage")
    parser.add_argument("--out", type=Path, default=embedded())
    parser.add_argument("--episodes", type=int, default=1600)
    parser.add_argument("--along", type=int, default=500, help="attempts filmed without gaps")
    parser.add_argument("--held-out", type=int, default=200)
    parser.add_argument("--usual", type=int, default=100, help="held out, filmed without gaps")
    parser.add_argument("--steps", type=int, default=Recipe.steps)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", default="", metavar="TASK", help="a task not to learn")
    parser.add_argument("--tasks", nargs="+", default=_learned(), help="by default what it knows")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
