"""Answers in JSON: what they must look like, checked field by field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.models.answers import Unusable, json_in

__all__ = [
    "TEXT",
    "TEXTS",
    "Schema",
    "Shaped",
    "check_shape",
    "listed",
    "number",
    "one_of",
    "record",
]

Schema: TypeAlias = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
_KINDS: Mapping[str, type[Any] | tuple[type[Any], ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": (int, float),
}


def record(**fields: Schema) -> Schema:
    """Return the schema of an object that has all of `fields`."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def listed(items: Schema, least: int = 0, most: int | None = None) -> Schema:
    """Return the schema of a list."""
    ends = {"minItems": least, **({} if most is None else {"maxItems": most})}
    return {"type": "array", "items": items, **ends}


def one_of(names: Sequence[str]) -> Schema:
    """Return the schema of a text that is one of `names`."""
    return {"type": "string", "enum": list(names)}


def number(low: float | None = None, high: float | None = None, *, whole: bool = False) -> Schema:
    """Return the schema of a number in `low`..`high`."""
    ends = {"minimum": low, "maximum": high}
    return {
        "type": "integer" if whole else "number",
        **{name: end for name, end in ends.items() if end is not None},
    }


@dataclass(frozen=True)
class Shaped:
    """Read JSON of a schema; what else the model adds is left out of sight."""

    schema: Schema

    def __call__(self, text: str) -> dict[str, Any]:
        """Return the object, or raise `Unusable` with the first fault."""
        found = json_in(text)
        check_shape(found, self.schema, "The answer")
        answer: dict[str, Any] = found
        return answer


def check_shape(value: object, schema: Schema, name: str) -> None:
    """Raise `Unusable` at the first place where a value does not keep a schema.

    Args:
        value: Decoded JSON.
        schema: Of the kinds that this file makes.
        name: What the value is called in the sentence.
    """
    kind = schema["type"]
    if isinstance(value, bool) or not isinstance(value, _KINDS[kind]):
        raise Unusable(f"{name} is no {kind}.")
    if isinstance(value, dict):
        for field, inner in schema.get("properties", {}).items():
            if field not in value:
                raise Unusable(f"{name} has no field {field!r}.")
            check_shape(value[field], inner, field)
    elif isinstance(value, list):
        _check_count(value, schema, name)
        for place, one in enumerate(value, start=1):
            check_shape(one, schema["items"], f"Entry {place} of {name}")
    elif isinstance(value, str):
        if value not in schema.get("enum", (value,)):
            said = f"{name} is {value[:60]!r}; allowed: {', '.join(schema['enum'])}."
            raise Unusable(said, "invalid_value")
    elif isinstance(value, int | float):
        _check_number(_float(value), schema, name)


def _float(value: float) -> float:
    """Return a number; a whole one of JSON that is too large for one is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _check_count(value: Sequence[object], schema: Schema, name: str) -> None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not least <= len(value) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise Unusable(f"{name} has {len(value)} entries, not {wanted}.")


def _check_number(value: float, schema: Schema, name: str) -> None:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not (math.isfinite(value) and low <= value <= high):
        raise Unusable(f"{name} is {value:g}, outside {low:g}..{high:g}.", "invalid_value")
    if schema["type"] == "integer" and not value.is_integer():
        raise Unusable(f"{name} is {value:g}, not a whole number.", "invalid_value")
