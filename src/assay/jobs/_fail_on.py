"""When a data pipeline should stop: rules such as `severity>=4` on the events of a clip."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.episodes.glitches.taxonomy import LEAST, MOST, taxonomy
from assay.errors import UnknownNameError, UsageError
from assay.records import Event

__all__ = ["Rule", "rule_of"]

_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_NUMBERS: Final = {"severity": (LEAST, MOST), "confidence": (0.0, 1.0)}
_NAMES: Final = ("type", "dimension")
_FORM: Final = re.compile(r"\s*(\w+)\s*(>=|<=|==|!=|>|<)\s*([\w.-]+)\s*")
_ALLOWED: Final = (
    "--fail-on takes severity or confidence with >=, >, <=, <, == or !=, and type or dimension"
    " with == or !=, such as 'severity>=4' or 'dimension==visual_quality'"
)


@dataclass(frozen=True)
class Rule:
    """One condition on an event."""

    field: str
    sign: str
    value: float | str

    def __str__(self) -> str:
        shown = self.value if isinstance(self.value, str) else f"{self.value:g}"
        return f"{self.field}{self.sign}{shown}"

    def meets(self, event: Event) -> bool:
        """Tell whether an event is one that the rule is about; an unknown number is not."""
        found = getattr(event, self.field)
        return found is not None and _OPERATORS[self.sign](found, self.value)


def rule_of(text: str) -> Rule:
    """Return the rule that a text says.

    Raises:
        UsageError: It is none, or names what there is not.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise UsageError(f"{_ALLOWED}; not {text!r}.")
    field, sign, value = found.groups()
    if field in _NUMBERS:
        return Rule(field, sign, _number(field, value, text))
    if field not in _NAMES:
        raise UnknownNameError("field for --fail-on", field, [*_NUMBERS, *_NAMES])
    if sign not in {"==", "!="}:
        raise UsageError(f"{_ALLOWED}; not {text!r}.")
    known = taxonomy().types if field == "type" else taxonomy().dimensions
    if value not in known:
        raise UnknownNameError(f"{field} for --fail-on", value, known)
    return Rule(field, sign, value)


def _number(field: str, value: str, text: str) -> float:
    low, high = _NUMBERS[field]
    try:
        number = float(value)
    except ValueError:
        raise UsageError(f"{_ALLOWED}; not {text!r}.") from None
    if not low <= number <= high:
        raise UsageError(f"--fail-on {text}: {field} lies in {low:g}..{high:g}.")
    return number
