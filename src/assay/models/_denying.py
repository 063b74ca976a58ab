"""Tell what a text says from what it denies: "not A" is no A."""

from __future__ import annotations

import re

__all__ = ["denied", "taken_back"]

_NOT = (
    r"not|never|neither|nor|cannot|hardly|unlikely|impossible|wrong\w*|incorrect\w*|\w+n['\u2019]t"
)
_NUMBER = re.compile(rf"\b(?:{_NOT})\b", re.IGNORECASE)
# "No movement, 10 %" denies no number, but with "no" anything can be said of an option.
_OPTION = re.compile(
    rf"\b(?:{_NOT}|no|none|without|doubt\w*|instead|rather|except)\b", re.IGNORECASE
)
# A reason may deny what it likes: "-1 because the block has not moved".
_SENTENCE = re.compile(r"[.!?](?=\s|$)|\n|\b(?:because|since)\b", re.IGNORECASE)
_CLAUSE = re.compile(rf"{_SENTENCE.pattern}|[,;:](?=\s|$)", re.IGNORECASE)
_FAR = 500  # characters: no sentence goes on for longer, and texts without end are read in time
_VERB = re.compile(
    r"(?:is|was|isn|wasn|would|wouldn|can|could|couldn|cannot|does|doesn|did|didn|seems|looks|must"
    r"|should|shouldn)\b",
    re.IGNORECASE,
)


def denied(text: str, start: int, end: int, *, number: bool = False) -> bool:
    """Tell whether a negation stands near `text[start:end]`.

    Near is the same sentence, for a number the same clause: "it has not moved, 10 %" is 10 %.

    Args:
        text: The text, in which other mentions should be blanked: an option may be called "no".
        start: Where the mention begins.
        end: Where it ends.
        number: Whether it is a number, else an option.
    """
    ends = _CLAUSE if number else _SENTENCE
    before = ends.split(text[max(0, start - _FAR) : start])[-1]
    after = ends.split(text[end : end + _FAR], maxsplit=1)[0]
    return (_NUMBER if number else _OPTION).search(f"{before} {after}") is not None


def taken_back(rest: str) -> bool:
    """Tell whether `rest`, which follows an answer, denies it: "A. is not the answer"."""
    told = rest.lstrip(" \t\n.,;:!)")
    return _VERB.match(told) is not None and denied(told, 0, 0)
