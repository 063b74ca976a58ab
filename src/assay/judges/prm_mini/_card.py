"""What stands beside the weights: what they were made from, and how far they can be believed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from assay.errors import InputError
from assay.models.cards import CARD, read_fields

__all__ = ["AROUND", "CARD", "HELD_OUT", "LEARNT", "PARTS", "Card", "is_trained", "read_card"]

PARTS: Final = ("words", "trunk", "anchor", "eye", "head", "hop")
"""The graphs: `<part>.onnx` each."""

AROUND: Final = "around"
"""A graph that a judge may lack: what the moments around a moment make of it."""

HELD_OUT: Final = "held-out episodes"
LEARNT: Final = "the episodes that it learnt from, since none was held out"

SCHEMA: Final = "assay.prm-mini/1"


@dataclass(frozen=True)
class Card:
    """What is to know of a trained judge.

    Attributes:
        name: What it is called in reports.
        completion: The level c that counts as done: the 5 % quantile of its raw end values on
            successes. Progress is min(raw / c, 1).
        completion_n: Over so many successes.
        noise: Standard deviation of progress on a still scene.
        noise_from: How that was measured.
        novelty: Distance from the training scenes above which a picture is novel.
        novel_limit: With a larger share of novel pictures the figures are no evidence.
        look: Version of the worlds' look that it learned from; None: it learned from other videos.
        tasks: Tasks that it has seen, with the number of episodes.
        episodes: Episodes that it learned from.
        held_out: Held-out episodes that the levels come from; 0 where nothing was held out.
        levels_from: What completion, noise, novelty and calibration were measured on, in words.
        calibration: Rows of progress as told, mean truth and n, on these episodes.
        about: Whatever else the maker says.
    """

    name: str
    completion: float
    completion_n: int
    noise: float | None
    noise_from: str
    novelty: float
    novel_limit: float = 0.2
    look: int | None = None
    tasks: Mapping[str, int] = field(default_factory=dict)
    episodes: int = 0
    held_out: int = 0
    levels_from: str = HELD_OUT
    calibration: tuple[tuple[float, float, int], ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the card into the judge's folder."""
        text = json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1, sort_keys=True)
        partial = folder / f".{CARD}.partial"
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(folder / CARD)


def is_trained(folder: Path) -> bool:
    """Tell whether a folder holds a trained judge."""
    return (folder / CARD).is_file()


def read_card(folder: Path) -> Card:
    """Read the card of a judge.

    Raises:
        InputError: There is none, or it is not one of ours.
    """
    found = read_fields(folder, SCHEMA, "trained judge")
    found.pop("completions", None)  # levels of tasks, which earlier cards had
    try:
        return Card(**{**found, "calibration": tuple(map(tuple, found["calibration"]))})
    except (TypeError, KeyError) as error:
        raise InputError(f"{folder / CARD} is damaged: {error}.") from None
