"""What an environment says of success, and where it says it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import HarnessFault, UsageError

__all__ = ["KEYS", "Flag", "find_flag"]

KEYS = ("success", "is_success")
"""The keys of `info` that are looked for when none is named, the first one first."""

_OWN = ("terminated", "reward")


@dataclass(frozen=True)
class Flag:
    """Where success is read off after a step.

    Attributes:
        name: "terminated", "reward", or a key of `info`.
        least: The number from which on it is a success; None for what is true or false.
    """

    name: str
    least: float | None = None

    @classmethod
    def of(cls, text: str) -> Flag:
        """Return what `NAME` or `NAME>=NUMBER` says."""
        name, bounded, number = (part.strip() for part in text.partition(">="))
        try:
            least = float(number) if bounded else None
        except ValueError:
            least = math.nan
        if not name or (least is not None and not math.isfinite(least)):
            raise UsageError(f"--set success takes NAME or NAME>=NUMBER, not {text!r}.")
        if name == "reward" and least is None:
            raise UsageError("--set success=reward needs a bound, such as success=reward>=1.")
        if name == "terminated" and least is not None:
            raise UsageError("--set success=terminated takes no bound: it is true or false.")
        return cls(name, least)

    def __str__(self) -> str:
        """Return it as a report words it: "info['success']"."""
        where = self.name if self.name in _OWN else f"info[{self.name!r}]"
        return where if self.least is None else f"{where} >= {self.least:g}"

    def read(self, *, reward: float, terminated: bool, info: Mapping[str, Any]) -> bool | None:
        """Return whether a step was a success; None when `info` has no such key.

        Raises:
            HarnessFault: What is there is neither true, false nor a number that can be compared.
        """
        if self.name == "terminated":
            return terminated
        if self.name != "reward" and self.name not in info:
            return None
        value = reward if self.name == "reward" else _number(info[self.name])
        if value is not None and self.least is not None:
            return value >= self.least
        if value in (0.0, 1.0):
            return bool(value)
        raise HarnessFault(
            f"{self} is {info[self.name]!r}, neither true nor false: a number needs a bound, "
            f"--set success={self.name}>=NUMBER."
        )


def find_flag(named: str, infos: list[Mapping[str, Any]], label: str) -> Flag:
    """Return the flag that is named, or else the first of `KEYS` that an `info` has.

    Args:
        named: What the user said; empty to look.
        infos: What a reset and a step told.
        label: What the environment is called.

    Raises:
        UsageError: There is none to be found; says what was.
    """
    if named:
        return Flag.of(named)
    found = sorted({str(key) for info in infos for key in info})
    for key in KEYS:
        if key in found:
            return Flag(key)
    raise UsageError(
        f"{label} says nothing of success: `info` has {_listed(found)} after a step, and neither "
        f"'success' nor 'is_success'. Name what tells it: --set success=KEY, KEY>=NUMBER, "
        "reward>=NUMBER or terminated."
    )


def _number(value: Any) -> float | None:  # noqa: ANN401 - whatever an environment says
    """Return a number or a truth value as a finite float; None for anything else."""
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        return None
    number = float(array.reshape(()))
    return number if math.isfinite(number) else None


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names) if names else "no keys"
