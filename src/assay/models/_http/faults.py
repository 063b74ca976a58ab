"""What went wrong on the way, whether waiting can help, and what to do about it in one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assay.models.base import Request

__all__ = ["Fault", "fault_of", "retry_after"]

_MOST_WORDS = 240  # characters of an endpoint's own words
_PASSING = {408, 409, 425, 429}
_LASTING = {501, 505}
_BY_STATUS: dict[int, tuple[str, str | None]] = {
    401: ("The key is not accepted: check the environment variable that holds it", ""),
    402: ("The account has no money left: top it up, or use another key", ""),
    403: ("The key may not use this model: ask for access, or use another model or key", ""),
    404: ("There is no such model or path: check the model's name and the url", ""),
    413: ("The request is too large: use fewer or smaller pictures", None),
}
# What a refused request stops, words that tell, and what to do; the first that fits counts.
_BY_WORDS: tuple[tuple[str | None, tuple[str, ...], str], ...] = (
    (
        None,
        (
            *("context length", "context_length", "context window", "context size"),
            *("too many tokens", "prompt is too long", "token count", "max_model_len"),
        ),
        "The request is longer than the model's context: use fewer or smaller pictures",
    ),
    (
        "pictures",
        ("image", "vision", "multimodal"),
        "The model takes no pictures, or not so many: use a model that does",
    ),
    ("options", ("logprob",), "The endpoint gives no log-probabilities: use one that does"),
    (
        "schema",
        ("schema", "response_format", "guided", "grammar"),
        "The endpoint takes no answer schema: use one that does",
    ),
)
_NO_MONEY = ("insufficient_quota", "exceeded your current quota", "credit balance")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no answer.

    Attributes:
        sentence: What happened and what to do.
        again: Whether the same request may do better later.
        wait: How long the endpoint asks to wait [s]; None when it does not say.
        crowded: Whether the endpoint has too much to do, so that all should wait.
        billed: Whether the answer may have been made, and charged, and then lost.
        stops: What no other request can do either: "" is anything at all, "pictures", "schema" and
            "options" are requests that have them; None stops nothing.
    """

    sentence: str
    again: bool = False
    wait: float | None = None
    crowded: bool = False
    billed: bool = False
    stops: str | None = None


def fault_of(status: int, headers: Mapping[str, str], words: str, request: Request) -> Fault:
    """Return the fault in an answer whose status is not 200.

    Args:
        status: The HTTP status.
        headers: Of the answer, names in lower case.
        words: The body as text, keys already hidden.
        request: What had been asked.
    """
    said = _said(words)
    short = f" It says: {said}" if said else ""
    if status == 429 and any(mark in words for mark in _NO_MONEY):
        return Fault(f"The account has no money left (429).{short}", stops="")
    if status in _PASSING or (status >= 500 and status not in _LASTING):
        what = "is asked too often" if status == 429 else "failed"
        return Fault(
            f"The endpoint {what} ({status}).{short}",
            again=True,
            wait=retry_after(headers.get("retry-after", "")),
            crowded=status in {429, 503, 529},
        )
    sentence, stops = _hopeless(status, words.casefold(), headers, request)
    return Fault(f"{sentence} ({status}).{short}", stops=stops)


def _hopeless(
    status: int, words: str, headers: Mapping[str, str], request: Request
) -> tuple[str, str | None]:
    """Return what to do about a request that can't get better, and what else it stops."""
    if 300 <= status < 400:
        to = headers.get("location", "elsewhere")
        return f"The endpoint sends on to {to}: give that address", ""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    has = {
        None: True,
        "pictures": bool(request.pictures),
        "options": bool(request.options),
        "schema": request.schema is not None,
    }
    for stops, marks, sentence in _BY_WORDS:
        if has[stops] and any(mark in words for mark in marks):
            return sentence, stops
    return "The endpoint does not take the request", None


def retry_after(text: str, now: datetime | None = None) -> float | None:
    """Return how long to wait [s] by a Retry-After header, given in seconds or as an HTTP date.

    Args:
        text: The header; anything that is neither gives None.
        now: The time that a date is counted from; by default the present.
    """
    try:
        seconds = float(text)
    except ValueError:
        try:
            then = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # no date, or one of a year that no calendar has
            return None
        if then.tzinfo is None:  # "-0000" is UTC too, and comes without a zone
            then = then.replace(tzinfo=UTC)
        seconds = (then - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _said(words: str) -> str:
    """Return the endpoint's own words on one short line: its message, else all it sent."""
    try:
        found = json.loads(words)
    except (ValueError, RecursionError):
        found = words
    for name in ("error", "message", "detail"):
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, dict) and name in found:
            found = found[name]
    line = " ".join((found if isinstance(found, str) else words).split())
    return line if len(line) <= _MOST_WORDS else f"{line[:_MOST_WORDS].rstrip()}..."
