"""What stands beside the graph of a cloned policy: what it looks at, and what it learnt from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from assay.errors import InputError
from assay.models.cards import CARD, read_fields

__all__ = ["CARD", "GRAPH", "INPUTS", "Card", "Inputs", "is_cloned", "read_card"]

Inputs: TypeAlias = Literal["state", "pixels"]
INPUTS: Final[tuple[Inputs, ...]] = get_args(Inputs)
GRAPH: Final = "policy.onnx"
SCHEMA: Final = "assay.cloned/1"


@dataclass(frozen=True)
class Card:
    """What is to know of a cloned policy.

    Attributes:
        name: What it is called.
        inputs: "state": it looks at the simulator's state, as no real robot can; "pixels": at
            pictures and at its own joints.
        task: The task that it learnt; it knows no other.
        instruction: What its demonstrations were told.
        robot: Who did them, as far as their record says; None where nothing does.
        joints: How many arm joints the robot has.
        rate_hz: Actions a second.
        chunk: How many actions it decides on at once.
        done: How many of them it carries out before it looks again.
        things: The objects whose poses it looks at, in order; none with pixels.
        views: The views it looks at, in order; none with state.
        size: Width and height of its pictures [pixels]; None with state.
        low: The least target of each arm joint in the demonstrations [rad]; it never goes below.
        high: The greatest.
        snaps: Whether its gripper is told 0 or 1 and nothing between, as in the demonstrations.
        look: Version of the worlds' look in its pictures; None where nothing says it.
        normalisation: Mean and spread of the numbers it looks at, and of the joint targets; they
            are part of the graph.
        episodes: Demonstrations that it learnt from.
        held_out: Demonstrations that were held out.
        figures: How well it does on these, as estimates by name.
        about: Whatever else the maker says, such as the fingerprint of the data.
    """

    name: str
    inputs: Inputs
    task: str
    instruction: str
    robot: str | None
    joints: int
    rate_hz: int
    chunk: int
    done: int
    things: tuple[str, ...]
    views: tuple[str, ...]
    size: int | None
    low: tuple[float, ...]
    high: tuple[float, ...]
    snaps: bool
    look: int | None = None
    normalisation: Mapping[str, Any] = field(default_factory=dict)
    episodes: int = 0
    held_out: int = 0
    figures: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return what `card.json` holds."""
        told = {"schema": SCHEMA, **asdict(self)}
        return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def is_cloned(folder: Path) -> bool:
    """Tell whether a folder holds a cloned policy."""
    return (folder / CARD).is_file() and (folder / GRAPH).is_file()


def read_card(folder: Path) -> Card:
    """Read the card of a cloned policy.

    Raises:
        InputError: There is none, or it is not one of ours.
    """
    found = read_fields(folder, SCHEMA, "cloned policy")
    try:
        many = {f.name for f in fields(Card) if str(f.type).startswith("tuple")}
        told: dict[str, Any] = {k: tuple(v) if k in many else v for k, v in found.items()}
        return Card(**told)
    except TypeError as error:
        raise InputError(f"{folder / CARD} is damaged: {error}.") from None
