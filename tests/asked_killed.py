"""Runs that ask a model and are killed: what the model was paid for, and what of it is stored."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import connect

from model_server import Asked, Behaviour
from models_loopback import by_schema

__all__ = ["Paid", "answers_in"]


@dataclass
class Paid:
    """A model that counts how often each question comes.

    Attributes:
        model: Answers.
        times: How often each question came, by its hash.
    """

    model: Callable[[Asked], Behaviour] = by_schema
    times: Counter[str] = field(default_factory=Counter)

    @property
    def sent(self) -> int:
        """Return how many questions came, all told."""
        return sum(list(self.times.values()))  # a copy: the server's thread goes on counting

    @property
    def repeated(self) -> int:
        """Return how many of them had come before."""
        return self.sent - len(self.times)

    def answer(self, asked: Asked) -> Behaviour:
        """Note a question and answer it."""
        told = json.dumps(asked.body, sort_keys=True).encode()
        self.times[hashlib.sha256(told).hexdigest()] += 1
        return self.model(asked)


def answers_in(ledger: Path) -> int:
    """Count the answers that are stored."""
    with closing(connect(ledger)) as base:
        found = base.execute("SELECT count(*) FROM entries WHERE usable").fetchone()
    return int(found[0])
