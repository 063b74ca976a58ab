"""Find the answer in what a model said, without ever guessing.

A number counts only if it is the only one that can be meant: scales ("0-100"), denominators
("/10", "out of 10") and the numbers of a list are no answers, and of several others none is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from assay.records import Status

__all__ = ["LABELS", "Unusable", "json_in", "marked", "number_in", "plain", "pointed"]

# What models call their answer.
LABELS = ("answer", "score", "progress", "value", "rating", "result", "completion", "choice")

_VALUE = (
    r"(?<![\w.,+-])[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\w]|[.,]\d)"
    r"|(?<![\w/])(?:nan|[+-]?inf(?:inity)?)(?![\w/])"
)
_SIGNED = r"[+-]?\d+(?:\.\d+)?\s*%?"
_SPAN = re.compile(
    rf"(?<![\w.]){_SIGNED}\s*(?:-|\.\.+|\b(?:to|through|and|or)\b)\s*{_SIGNED}(?![\w.])"
    rf"|\[\s*{_SIGNED}\s*,\s*{_SIGNED}\s*\]",
    re.IGNORECASE,
)
_FOUND = re.compile(
    rf"(?P<value>{_VALUE})"
    r"(?:\s*(?P<percent>%|per\s?cent\b)"
    r"|\s*/\s*(?P<whole>\d+(?:\.\d+)?)(?![\w/])"
    r"|\s+out\s+of\s+(?P<of>\d+(?:\.\d+)?)(?![\w/])(?P<things>\s+[a-z]+)?)?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?m)^\s*(?:\(?\d+[.)]|#\d+)\s+(?=\S)")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(answer|score|result|value)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_FENCE = re.compile(r"```\w*\s(.*?)```", re.DOTALL)
_BROKEN = re.compile(r"[{\[]\s*[\"']")
# Other dashes and wide signs, as models write them.
_SIGNS = {0x2212: "-", 0x2013: "-", 0x2014: "-", 0x2011: "-", 0xFF05: "%", 0xFF1A: ":"}


class Unusable(ValueError):  # noqa: N818 - a fault of the answer, caught where it was asked for
    """An answer that can't be used, in one sentence that is fed back to the model.

    Args:
        sentence: What is wrong with the answer.
        status: "unparsed" when no value was found, "invalid_value" when one is not allowed.
    """

    def __init__(self, sentence: str, status: Status = "unparsed") -> None:
        super().__init__(sentence)
        self.status: Status = status


def plain(text: str) -> str:
    """Return `text` without thoughts and emphasis, with one sign for each kind of dash."""
    kept = _THOUGHT.sub("", text).translate(_SIGNS)
    return re.sub(r"\*{1,3}|`+", "", kept).strip()


def json_in(text: str) -> Any:  # noqa: ANN401 - JSON can be anything
    """Return the JSON in `text`: all of it, in a fence, or the last object in prose; else None.

    Raises:
        Unusable: There is a beginning of JSON that can't be read, such as one cut short.
    """
    kept = _THOUGHT.sub("", text).strip()
    for candidate in (kept, *reversed(_FENCE.findall(kept))):
        try:
            return json.loads(candidate)
        except ValueError:
            continue
    objects = list(_objects(kept))
    if not objects and _BROKEN.search(kept):
        raise Unusable("Its JSON can't be read.")
    return objects[-1] if objects else None


def _objects(text: str) -> Iterator[Any]:
    """Yield every outermost JSON object in `text`."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            yield found
        at = text.find("{", end)


def marked(text: str) -> str:
    """Return what stands in the answer's own brackets (`<answer>..</answer>`), else all of it."""
    found = [content for _, content in _TAG.findall(text)] or _BOXED.findall(text)
    return found[-1].strip() if found else text


def pointed(text: str, names: tuple[str, ...] = LABELS) -> list[str]:
    """Return what follows each "name:", "name =" or "name is" on its line.

    Where some of them are called final, only those count.
    """
    label = "|".join(re.escape(name) for name in names)
    wanted = re.compile(
        rf"\b(?P<final>final\s+)?(?:{label})\b\s*(?:\([^()\n]*\)|\[[^\[\]\n]*\])?\s*"
        r"(?:[:=]+|\bis\b:?)\s*(?=(?P<rest>[^\n]*))",
        re.IGNORECASE,
    )
    found = [(m["final"] is not None, m["rest"].strip()) for m in wanted.finditer(text)]
    final = [rest for said, rest in found if said and rest]
    return final or [rest for _, rest in found if rest]


def number_in(text: str, low: float, high: float) -> float:
    """Return the one number that `text` can mean on the scale `low`..`high`; it may be outside.

    A labelled number ("score: 85"), or one alone on the last line, goes before all others.

    Args:
        text: Cleaned by `plain`.
        low: Lower end of the scale.
        high: Upper end.

    Raises:
        Unusable: There is no number, or more than one.
    """
    said = marked(text)
    found = [value for rest in pointed(said) for value in _leading(rest, low, high)]
    last = said.splitlines()[-1] if said else ""
    if alone := _FOUND.fullmatch(last.strip().rstrip(".")):
        found += _meant(alone, low, high)
    found = found or _values(said, low, high)
    if not found:
        raise Unusable("It holds no number that can be the answer.")
    if any(value != found[0] for value in found[1:]):
        shown = ", ".join(f"{value:g}" for value in dict.fromkeys(found))
        raise Unusable(f"It holds several numbers ({shown}) and does not say which is meant.")
    return found[0]


def _leading(text: str, low: float, high: float) -> list[float]:
    """Return the number that `text` begins with, else all of its numbers."""
    kept = _SPAN.sub(" ", text).strip(" ()[]:\"'")
    first = _FOUND.match(kept)
    return _meant(first, low, high) if first else _values(kept, low, high)


def _values(text: str, low: float, high: float) -> list[float]:
    """Return every number in `text` that is neither a scale nor the number of a list's item."""
    kept = _SPAN.sub(" ", _ITEM.sub(" ", text))
    return [value for found in _FOUND.finditer(kept) for value in _meant(found, low, high)]


def _meant(found: re.Match[str], low: float, high: float) -> list[float]:
    """Return a found number on the scale `low`..`high`; none if it counts things ("3 out of 4")."""
    value, whole = float(found["value"]), found["whole"] or found["of"]
    if found["things"]:
        return []
    if found["percent"]:
        whole = "100"
    if whole is None or float(whole) == high:
        return [value]
    # Where the scale begins is known only if it is 0, or if both signs reach equally far.
    if low not in (0.0, -high) or float(whole) == 0:
        raise Unusable(f"It answers on another scale ({found[0].strip()}).")
    return [value / float(whole) * high]
