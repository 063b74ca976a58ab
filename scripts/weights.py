"""Rebuild the embedded judge from nothing: film the worlds, teach the network, measure its levels.

    make weights            all of it, about 40 minutes on two cores

Takes up where it was broken off. The folder of the footage can be deleted afterwards.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from assay.benchmarks.footage.draws import TASKS
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
EPISODES = 16  # of a step, shared out among the lanes
RECIPE = {
    "moments": 4,
    "rate": 3e-3,
    "matrices": 4e-3,
    "unread": 0.15,
    "every": 1250,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the weights."""
    asked = _arguments(arguments)
    begun = time.monotonic()
    train = _footage(asked, "train", "train", asked.episodes)
    valid = _footage(asked, "validation", "validation", asked.held_out)
    _say(f"{asked.episodes} episodes filmed", begun)

    def told(look: Step) -> None:
        found = look.valid
        _say(
            f"step {look.step}: loss {look.loss:.3f}; held-out error {found.error:.3f},"
            f" pairs {found.pairs:.3f}, later but worse {found.anti_time:.3f}",
            begun,
        )

    shared = {"episodes": math.ceil(EPISODES / asked.lanes), "lanes": asked.lanes}
    recipe = Recipe(**RECIPE, **shared, steps=asked.steps, seed=asked.seed)
    kept = asked.footage / f"training-{asked.out.name}-{asked.seed}.pt"
    fitted = fit(train, valid, recipe, on_look=told, checkpoint=kept)
    along = _footage(asked, "along", "along", asked.along, STEP_S)
    _say(f"{asked.along} attempts filmed without gaps", begun)
    around = fit_around(fitted.network, takes(along), asked.seed)
    _say("it has learned to look around", begun)
    about = {"recipe": vars(recipe), "rebuild": "make weights"}
    usual = _footage(asked, "usual", "validation", asked.usual, STEP_S)
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
    asked: argparse.Namespace, name: str, split: str, count: int, every_s: float | None = None
) -> list[Clip]:
    """Return the footage of the first seeds of a split, without what is not to be learned."""
    film = Film(asked.footage / name, SIZE, every_s=every_s, tasks=tuple(asked.tasks))
    shown = shoot(film, SPLITS[split][:count])
    known = [a for a in shown if not {a["task"], a["robot"]} & set(asked.without)]
    return list(clips(film.folder, known))


def _say(text: str, begun: float) -> None:
    sys.stdout.write(f"==> {(time.monotonic() - begun) / 60:5.1f} min  {text}\n")
    sys.stdout.flush()


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--footage", type=Path, default=ROOT / "footage")
    parser.add_argument("--out", type=Path, default=embedded())
    parser.add_argument("--episodes", type=int, default=2600)
    parser.add_argument("--along", type=int, default=350, help="attempts filmed without gaps")
    parser.add_argument("--held-out", type=int, default=150)
    parser.add_argument("--usual", type=int, default=200, help="held out, filmed without gaps")
    parser.add_argument("--steps", type=int, default=7500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--lanes", type=int, default=2, help="cores that share a step; quicker, and other weights"
    )
    parser.add_argument(
        "--without", nargs="*", default=(), metavar="NAME", help="tasks and robots not to learn"
    )
    parser.add_argument("--tasks", nargs="+", default=TASKS, help="by default all")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
