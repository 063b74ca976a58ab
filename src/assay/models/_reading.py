"""Find the answer in what a model said, without ever guessing.

A number counts only if it is the only one that can be meant: scales ("0-100"), denominators
("/10", "out of 10") and the numbers of a list are no answers, and of several others none is taken.
Nor is one that is denied ("not 85") or that counts things ("3 of 4 steps", "2 blocks").
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from assay.models._denying import denied
from assay.records import Status

__all__ = ["LABELS", "Unusable", "brief", "json_in", "marked", "number_in", "plain", "pointed"]

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
# Words that may follow a number which is an answer; any other tells what it counts.
_AFTER = (
    r"as|because|but|due|given|if|overall|points?|progress|pts|since|so(?!\s+far)|stars?|though"
    r"|when|while"
)
_FOUND = re.compile(
    rf"(?P<value>{_VALUE})"
    r"(?:\s*(?P<percent>%|per\s?cent\b)"
    r"|(?:\s*/\s*(?P<whole>\d+(?:\.\d+)?)(?![\w/])"
    r"|\s+(?:out\s+)?of\s+(?:(?:the|all)\s+)?(?P<of>\d+(?:\.\d+)?)(?![\w/]))?"
    rf"(?P<things>[^\S\n]+(?!(?:{_AFTER})\b)[^\W\d_]+)?)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?m)^\s*(?:\(?\d+[.)]|#\d+)\s+(?=\S)")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(answer|score|result|value)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_FENCE = re.compile(r"```\w*\s(.*?)```", re.DOTALL)
_MOST_BROKEN = 200
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


def brief(value: object, most: int = 80) -> str:
    """Return what a model said on one short line, for a sentence that is fed back to it."""
    try:
        text = " ".join(str(value).split())
    except (RecursionError, ValueError):  # brackets, or digits, without end
        return f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[:most]}..."


def plain(text: str) -> str:
    """Return `text` without thoughts and emphasis, with one sign for each kind of dash."""
    kept = _THOUGHT.sub("", text).translate(_SIGNS)
    return re.sub(r"\*{1,3}|`+", "", kept).strip()


def json_in(text: str) -> Any:  # noqa: ANN401 - JSON can be anything
    """Return the JSON in `text`: all of it, in a fence, or the last object in prose; else None.

    Raises:
        Unusable: There is a beginning of JSON that can't be read, such as one cut short, or one
            that has more brackets within each other than anybody means.
    """
    kept = _THOUGHT.sub("", text).strip()
    try:
        for candidate in (kept, *reversed(_FENCE.findall(kept))):
            try:
                return json.loads(candidate)
            except ValueError:
                continue
        objects = list(_objects(kept))
    except RecursionError:
        raise Unusable("Its JSON has too many brackets within each other.") from None
    if not objects and _BROKEN.search(kept):
        raise Unusable("Its JSON can't be read.")
    return objects[-1] if objects else None


def _objects(text: str) -> Iterator[Any]:
    """Yield every outermost JSON object in `text`.

    Raises:
        Unusable: It begins too often and never ends; each beginning costs a look at all of it.
    """
    decoder, at, broken = json.JSONDecoder(), text.find("{"), 0
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except ValueError:
            end, broken = at + 1, broken + 1
            if broken > _MOST_BROKEN:
                raise Unusable("Its JSON can't be read.") from None
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
    alone = _FOUND.fullmatch(last.strip().rstrip("."))
    if alone and not alone["things"]:
        found.append(_meant(alone, low, high))
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
    return [_meant(first, low, high)] if first else _values(kept, low, high)


def _values(text: str, low: float, high: float) -> list[float]:
    """Return every number in `text` that is neither a scale nor the number of a list's item.

    Raises:
        Unusable: One of them is denied, or counts things.
    """
    kept = _SPAN.sub(" ", _ITEM.sub(" ", text))
    found = list(_FOUND.finditer(kept))
    if any(denied(kept, *one.span("value"), number=True) for one in found):
        raise Unusable("It says what the number is not: say what it is.")
    return [_meant(one, low, high) for one in found]


def _meant(found: re.Match[str], low: float, high: float) -> float:
    """Return a found number on the scale `low`..`high`.

    Raises:
        Unusable: It counts things ("3 out of 4 blocks"), or is on a scale of which it is not known
            where it begins.
    """
    value, whole = float(found["value"]), found["whole"] or found["of"]
    if found["things"]:
        raise Unusable(f"It counts things ({brief(found[0])}) where a number was asked for.")
    if found["percent"]:
        whole = "100"
    if whole is None or float(whole) == high:
        return value
    # Where the scale begins is known only if it is 0, or if both signs reach equally far.
    if low not in (0.0, -high) or not 0.0 < float(whole) < math.inf:
        raise Unusable(f"It answers on another scale ({brief(found[0])}).")
    return value / float(whole) * high
