"""Ask a model for a value, and again where its answer can't be used.

A reader says what an answer must look like (`schema`) and turns text into a value. It reads the
JSON that was asked for, or text that leaves no doubt; else it raises `Unusable`, and the model is
told why and asked again.
"""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from assay.errors import AssayError
from assay.models import recording, session
from assay.models._choosing import option_in
from assay.models._reading import LABELS, Unusable, brief, json_in, number_in, plain
from assay.models._series import series_in
from assay.models.address import parse
from assay.models.base import Reply, Request
from assay.records import Judged

__all__ = [
    "Answer",
    "Choice",
    "Choices",
    "Number",
    "Numbers",
    "Reader",
    "Reasoned",
    "Unusable",
    "ask_for",
    "ask_reply",
    "choice",
    "choices",
    "integer",
    "json_in",
    "number",
    "numbers",
    "with_reason",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_LOG = logging.getLogger("assay")
_QUOTED = 1500  # characters of a failed answer that are shown again


class Reader(Protocol[T_co]):
    """What turns the text of an answer into a value."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return the JSON schema to ask for."""
        ...

    def __call__(self, text: str) -> T_co:
        """Return the value in `text`, or raise `Unusable`."""
        ...


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value and all that was said on the way to it.

    Attributes:
        judged: The value, or why there is none; `calls` counts the questions, cached or not.
        replies: What came back, in order; the last one decided.
    """

    judged: Judged[T]
    replies: tuple[Reply, ...]


def ask_for(address: str, request: Request, read: Callable[[str], T], tries: int = 3) -> Answer[T]:
    """Ask a model until the text of its answer can be read; see `ask_reply`."""
    return ask_reply(address, request, lambda reply: read(reply.text), tries)


def ask_reply(
    address: str, request: Request, read: Callable[[Reply], T], tries: int = 3
) -> Answer[T]:
    """Ask a model until its answer can be read.

    Args:
        address: The model, as `provider:name[@url]`.
        request: The question.
        read: Turns an ok reply into a value, or raises `Unusable`.
        tries: How often to ask again, with the fault fed back.

    Returns:
        The value; or status "unparsed" or "invalid_value" after the last try; or the status of a
        reply that is not ok. A reader that raises anything else gives "unparsed" at once: that is
        a mistake in the reader, and asking again would cost more and change nothing.
    """
    where, asking, asked = parse(address), session.current(), request
    replies: list[Reply] = []
    while True:
        reply = asking.ask(where, asked)
        replies.append(reply)
        if reply.status != "ok":
            judged: Judged[T] = Judged(None, reply.status, reply.detail, len(replies))
            return Answer(judged, tuple(replies))
        try:
            return Answer(Judged(read(reply), calls=len(replies)), tuple(replies))
        except Unusable as found:
            fault, last = found, len(replies) > tries
        except AssayError:
            raise
        except Exception as error:  # noqa: BLE001 - what breaks its reader is no answer, and not kept as one
            _LOG.info("The reader of an answer failed.\n%s", traceback.format_exc())
            fault, last = Unusable(f"Its reader failed ({type(error).__name__}: {error})."), True
        recording.mark(fault.status, str(fault))
        if last:
            return _given_up(asking, tuple(replies), fault)
        # Every fault stays in the question: a question that was put before would get, from the
        # ledger, the answer that it had before.
        asked = replace(asked, parts=(*asked.parts, _fed_back(reply.text, fault)))


def _given_up(asking: session.Session, replies: tuple[Reply, ...], fault: Unusable) -> Answer[Any]:
    """Return the failure, and take the answers back, so that the next run asks again.

    Answers that led to a usable one in the end are kept: that way costs nothing a second time.
    """
    for reply in replies:
        if reply.key:
            asking.reject(reply, fault.status, str(fault))
    detail = f"{fault} The answer was: {_short(replies[-1].text, 200)}"
    return Answer(Judged(None, fault.status, detail, len(replies)), replies)


def _fed_back(text: str, fault: Unusable) -> str:
    return (
        f"\n\nYou answered: {_short(text, _QUOTED)}\nThat answer can't be used. {fault}"
        " Answer again, in exactly the form that was asked for and nothing else."
    )


def _short(text: str, most: int) -> str:
    kept = " ".join(text.split()) or "(nothing)"
    return kept if len(kept) <= most else f"{kept[:most]}..."


@dataclass(frozen=True, slots=True)
class Number:
    """Read a number in `low`..`high`, under `field` of a JSON object or in plain words."""

    low: float
    high: float
    field: str = "score"
    whole: bool = False

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return an object with the one field."""
        return _object(self.field, _number_schema(self.low, self.high, whole=self.whole))

    def __call__(self, text: str) -> float:
        """Return the number, or raise `Unusable`."""
        found = json_in(text)
        said = _entry(found, self.field) if isinstance(found, dict) else plain(text)
        return _checked(_as_number(said, self.low, self.high), self.low, self.high, self.whole)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Read `count` numbers in `low`..`high`: a JSON list, or lines such as "Frame 2: 40 %"."""

    count: int
    low: float
    high: float
    field: str = "scores"

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return an object with one list of the right length."""
        items = _number_schema(self.low, self.high, whole=False)
        return _object(self.field, _list_schema(items, self.count))

    def __call__(self, text: str) -> tuple[float, ...]:
        """Return the numbers in the order of the question, or raise `Unusable`."""
        said = _series(text, self.field, self.count)
        values = (_as_number(each, self.low, self.high) for each in said)
        return tuple(_checked(value, self.low, self.high) for value in values)


@dataclass(frozen=True, slots=True)
class Choice:
    """Read one of `options`, under `field` of a JSON object or in plain words."""

    options: tuple[str, ...]
    field: str = "answer"

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return an object whose one field is one of the options."""
        return _object(self.field, _option_schema(self.options))

    def __call__(self, text: str) -> str:
        """Return the option as it was given, or raise `Unusable`."""
        found = json_in(text)
        if isinstance(found, dict):
            return option_in(str(_entry(found, self.field)), self.options, whole=True)
        return option_in(plain(text), self.options)


@dataclass(frozen=True, slots=True)
class Choices:
    """Read one of `options` for each of `count` things: a JSON list, or lines such as "2. no".

    In JSON true stands for "yes" and false for "no".
    """

    count: int
    options: tuple[str, ...]
    field: str = "answers"

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return an object with one list of the right length."""
        return _object(self.field, _list_schema(_option_schema(self.options), self.count))

    def __call__(self, text: str) -> tuple[str, ...]:
        """Return the options in the order of the question, or raise `Unusable`."""
        said = _series(text, self.field, self.count)
        words = ({True: "yes", False: "no"}[s] if isinstance(s, bool) else str(s) for s in said)
        return tuple(option_in(word, self.options) for word in words)


@dataclass(frozen=True, slots=True)
class Reasoned(Generic[T]):
    """Read a value and the reason that is given before it; the reason may be missing."""

    value: Reader[T]

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return the schema of the value with a text "reason" in front."""
        inner = self.value.schema
        fields = {"reason": {"type": "string"}, **inner["properties"]}
        return {**inner, "properties": fields, "required": list(fields)}

    def __call__(self, text: str) -> tuple[T, str]:
        """Return value and reason, or raise `Unusable`."""
        value, found = self.value(text), json_in(text)
        reason = found.get("reason", "") if isinstance(found, dict) else ""
        return value, reason if isinstance(reason, str) else ""


def number(low: float, high: float, field: str = "score") -> Number:
    """Return a reader of a number in `low`..`high`."""
    return Number(low, high, field)


def integer(low: int, high: int, field: str = "score") -> Number:
    """Return a reader of a whole number in `low`..`high`, which it gives as a float."""
    return Number(low, high, field, whole=True)


def numbers(count: int, low: float, high: float, field: str = "scores") -> Numbers:
    """Return a reader of `count` numbers in `low`..`high`."""
    return Numbers(count, low, high, field)


def choice(options: Sequence[str], field: str = "answer") -> Choice:
    """Return a reader of one of `options`."""
    return Choice(tuple(options), field)


def choices(count: int, options: Sequence[str], field: str = "answers") -> Choices:
    """Return a reader of one of `options` for each of `count` things."""
    return Choices(count, tuple(options), field)


def with_reason(reader: Reader[T]) -> Reasoned[T]:
    """Return a reader that asks for the reason first, and gives value and reason."""
    return Reasoned(reader)


def _object(field: str, kind: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {field: kind},
        "required": [field],
        "additionalProperties": False,
    }


def _number_schema(low: float, high: float, *, whole: bool) -> Mapping[str, Any]:
    return {"type": "integer" if whole else "number", "minimum": low, "maximum": high}


def _option_schema(options: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(options)}


def _list_schema(items: Mapping[str, Any], count: int) -> Mapping[str, Any]:
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}


def _series(text: str, field: str, count: int) -> list[object]:
    """Return the `count` answers in `text`, still unread."""
    found = json_in(text)
    if isinstance(found, dict) and not _numbered(found):
        found = _entry(found, field)
    return series_in(found if isinstance(found, list | dict) else plain(text), count)


def _entry(found: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401 - JSON can be anything
    """Return the field of an answer: by its name, by a usual name, or the only one there is."""
    folded = {str(name).casefold(): value for name, value in found.items()}
    folded.pop("reason", None)
    for name in (field, *LABELS):
        if name in folded:
            return folded[name]
    if len(folded) == 1:
        return next(iter(folded.values()))
    raise Unusable(f"Its JSON has no field {field!r}.")


def _numbered(found: Mapping[str, Any]) -> bool:
    return bool(found) and all(any(c.isdigit() for c in name) for name in found)


def _as_number(said: object, low: float, high: float) -> float:
    if isinstance(said, str):
        return number_in(plain(said), low, high)
    if isinstance(said, bool) or not isinstance(said, int | float):
        raise Unusable(f"It gives {brief(said)} where a number was asked for.")
    try:
        return float(said)
    except OverflowError:
        raise Unusable("Its number has too many digits to be read.") from None


def _checked(value: float, low: float, high: float, whole: bool = False) -> float:  # noqa: FBT001, FBT002 - private
    if not (math.isfinite(value) and low <= value <= high):
        raise Unusable(f"The number {value:g} is outside {low:g}..{high:g}.", "invalid_value")
    if whole and not value.is_integer():
        raise Unusable(f"The number {value:g} is not a whole number.", "invalid_value")
    return value
