"""Cloned: a network that learnt from demonstrations."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.errors import InputError, UsageError
from assay.worlds.policies._cloned.acting import ClonedActor, load_graph
from assay.worlds.policies._cloned.card import CARD, GRAPH, Card, Inputs, read_card
from assay.worlds.tasks.base import Task

__all__ = ["Cloned"]


@dataclass(frozen=True)
class Cloned:
    """Do as demonstrations did: a small network that `assay train policy` has taught one task.

    Attributes:
        path: A folder made by `assay train policy`; empty takes a policy that ships.
        inputs: Which one: "state" looks at the simulator's state, "pixels" at pictures. Says
            nothing beside a path.
    """

    path: str = ""
    inputs: Inputs = "state"

    needs: ClassVar[frozenset[str]] = frozenset({"weights"})

    @property
    def folder(self) -> Path:
        """Return the folder of its graph and card."""
        return Path(self.path) if self.path else Path(__file__).parent / "weights" / self.inputs

    @property
    def card(self) -> Card:
        """Return what is to know of it."""
        return read_card(self.folder)

    @property
    def fingerprint(self) -> str:
        """Return what changes when it is trained anew in the same folder."""
        digest = hashlib.sha256()
        for name in (CARD, GRAPH):
            try:
                digest.update((self.folder / name).read_bytes())
            except OSError as error:
                raise InputError(
                    f"{self.folder} holds no whole policy: {name} is missing."
                ) from error
        return digest.hexdigest()

    def check(self, task: Task, views: Sequence[str], limit_s: float) -> None:  # noqa: ARG002 - it is quick
        """Raise what would end every attempt: another task, no weights, no pictures."""
        card = self._card_for(task)
        if card.views and not views:
            raise UsageError(
                f"The policy in {self.folder} looks at pictures ({', '.join(card.views)}), and"
                " nothing is drawn here: name some --views."
            )
        load_graph(self.folder)

    def actor(self, task: Task, seed: int) -> ClonedActor:  # noqa: ARG002 - nothing is left to chance
        """Return an actor that does as the demonstrations did."""
        return ClonedActor(self._card_for(task), load_graph(self.folder))

    def _card_for(self, task: Task) -> Card:
        card = self.card
        if card.task != task.name:
            raise UsageError(
                f"The policy in {self.folder} learnt {card.task!r} and can't do {task.name!r}:"
                " train one with `assay train policy`."
            )
        return card
