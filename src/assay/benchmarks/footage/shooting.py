"""Shoot the footage of many seeds, and take up where a shooting was broken off."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from assay.benchmarks.footage.draws import EDITION
from assay.benchmarks.footage.filming import Film, Filmer
from assay.engine import Journal, Unit, run
from assay.engine.progress import ProgressBar
from assay.errors import RunError
from assay.worlds.look import LOOK

__all__ = ["shoot"]


def shoot(film: Film, seeds: Sequence[int], jobs: int | None = None) -> list[Mapping[str, Any]]:
    """Film the attempts of `seeds` that are not in the folder, and return what is known of all.

    Raises:
        RunError: An attempt failed, or pictures of an earlier shooting are gone.
    """
    film.folder.mkdir(parents=True, exist_ok=True)
    identity = json.dumps([film.kind, EDITION, LOOK, film.size, film.tasks, film.robot])
    with Journal(film.folder / "journal.sqlite", identity) as journal:
        with ProgressBar("filming") as bar:
            units = [Unit(f"{seed:06d}", seed) for seed in seeds]
            tally = run(partial(Filmer, film), units, journal, jobs=jobs, on_tally=bar)
        if tally.failures:
            first = tally.failures[0]
            raise RunError(f"The attempt of seed {first.key} can't be filmed: {first.message}")
        wanted = set(seeds)
        found = [json.loads(data) for _, data in journal.items()]
    lost = [seed for seed in seeds if not (film.folder / f"{seed}.npy").is_file()]
    if lost:
        raise RunError(f"{film.folder / f'{lost[0]}.npy'} is gone: delete the folder to film anew.")
    return [about for about in found if about["seed"] in wanted]
