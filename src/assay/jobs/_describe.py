"""Describe a judge as plain data, for run.json and the report's heading.

A learned judge has a `card`: a mapping of plain data, or None. Reports read of it `completion` (the
completion level c), `sigma` (noise), `novelty` (above which a picture counts as novel),
`novel_limit` (the share of novel moments above which figures are no evidence), `look` (the version
of the worlds' look that it was trained on) and `trained_on` (in words).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.benchmarks.passport.identity import identify, name_of, options_of
from assay.errors import UsageError
from assay.judges.base import Judge

__all__ = ["card_of", "check_ready", "describe_judge"]


def describe_judge(judge: Judge) -> dict[str, Any]:
    """Return the judge's name, options, bound and noise, and hashes of its code and files.

    A judge of ours is known by its version. Of any other judge the module's text counts too, and
    of every path among the options what it holds: an edited judge is another judge.
    """
    name, options = name_of(judge), options_of(judge)
    weights = options.get("weights")
    if isinstance(weights, Path):  # the same network trained otherwise is another judge
        name = f"{name}:{weights.absolute().name}"
    card = card_of(judge)
    found = {
        "name": name,
        "settings": {k: str(v) if isinstance(v, Path) else v for k, v in options.items()},
        "bound": judge.bound,
        "noise": judge.noise,
        "files": identify(judge)["files"],
        **({} if card is None else {"card": card}),
    }
    plain: dict[str, Any] = json.loads(json.dumps(found))  # as it will be read back
    return plain


def check_ready(judge: Judge) -> None:
    """Raise what would stop the judge at every episode, such as weights that can't be read.

    A judge says so in a method `check`, if it has one.
    """
    check = getattr(judge, "check", None)
    if callable(check):
        check()


def card_of(judge: Judge) -> dict[str, Any] | None:
    """Return what a learned judge says of itself, None for any other judge.

    Raises:
        UsageError: It is no plain data.
    """
    card = getattr(judge, "card", None)
    if card is None:
        return None
    try:
        json.dumps(card, allow_nan=False)
        return dict(card)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{type(judge).__name__}.card must be plain data: {error}.") from error
