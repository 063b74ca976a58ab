"""Rebuild the embedded judge from nothing: film the worlds, teach the network, measure its levels.

    make weights            all of it, about 40 minutes on two cores

Takes up where it was broken off. The folder of the footage can be deleted afterwards.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from assay.benchmarks.footage.filming import Film
from assay.benchmarks.footage.reading import clips
from assay.benchmarks.footage.shooting import shoot
from assay.benchmarks.splits import SPLITS
from assay.judges.prm_mini._batches import Recipe
from assay.judges.prm_mini._clips import SIZE
from assay.judges.prm_mini._fitting import Step, fit
from assay.judges.prm_mini._judge import embedded
from assay.judges.prm_mini._saving import save
from assay.worlds.look import LOOK

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Write the weights."""
    asked = _arguments()
    begun = time.monotonic()
    train, valid = (
        _footage(asked.footage / split, asked.tasks, SPLITS[split][:count])
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
    fitted = fit(train, valid, recipe, on_look=told)
    about = {"recipe": vars(recipe), "rebuild": "make weights"}
    card = save(fitted.network, train, valid, asked.out, name="prm-mini", look=LOOK, about=about)
    _say(f"{asked.out} is written; completion level {card.completion:.3f}", begun)


def _footage(folder: Path, tasks: tuple[str, ...], seeds: range) -> list[object]:
    film = Film(folder, SIZE, tasks) if tasks else Film(folder, SIZE)
    return list(clips(folder, shoot(film, seeds)))


def _say(text: str, begun: float) -> None:
    sys.stdout.write(f"==> {(time.monotonic() - begun) / 60:5.1f} min  {text}\n")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--footage", type=Path, default=ROOT / "footage")
    parser.add_argument("--out", type=Path, default=embedded())
    parser.add_argument("--episodes", type=int, default=1600)
    parser.add_argument("--held-out", type=int, default=120)
    parser.add_argument("--steps", type=int, default=Recipe.steps)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", nargs="*", default=())
    return parser.parse_args()


if __name__ == "__main__":
    main()
