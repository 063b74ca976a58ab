"""Log-probabilities of the options, from those of the first token."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.models.base import Reply, Request

__all__ = ["LISTED", "of_options", "pairs", "with_options"]

LISTED = 20
"""How many of the likeliest tokens endpoints list at most."""


def pairs(listed: Iterable[Mapping[str, Any]], token: str, value: str) -> list[tuple[str, float]]:
    """Return tokens and log-probabilities from what an endpoint lists."""
    found = [(entry.get(token), entry.get(value)) for entry in listed]
    return [
        (text, float(number))
        for text, number in found
        if isinstance(text, str) and isinstance(number, int | float) and not math.isnan(number)
    ]


def with_options(request: Request, text: str, tokens: Sequence[tuple[str, float]]) -> Reply:
    """Return a reply with the log-probabilities of the request's options.

    They are None when the endpoint lists no token at all: then it offers none.
    """
    return Reply(text, logprobs=of_options(request.options, tokens) if tokens else None)


def of_options(options: Sequence[str], tokens: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the log-probability of each option that a listed token begins.

    White space and capitals don't count: " Yes" and "yes" add up. A token that is no option by
    itself counts for the one option that it begins; when it begins several, it tells them not
    apart and counts for none.

    Args:
        options: What the model may say first.
        tokens: The likeliest first tokens and their natural log-probabilities.
    """
    exact = {_folded(option): option for option in options}
    chances: dict[str, float] = {}
    for token, logarithm in tokens:
        said = _folded(token)
        begun = [option for text, option in exact.items() if said and text.startswith(said)]
        option = exact.get(said) or (begun[0] if len(begun) == 1 else None)
        if option is not None:
            chances[option] = chances.get(option, 0.0) + math.exp(min(logarithm, 0.0))
    return {option: math.log(chance) for option, chance in chances.items() if chance > 0.0}


def _folded(text: str) -> str:
    return text.strip().casefold()
