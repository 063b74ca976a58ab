"""Say what a trained judge can't see, from what it was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.reports import words

__all__ = ["blind_spots"]


def blind_spots(facts: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each limit that the training data sets.

    Args:
        facts: `train.json` as far as it is made: episodes, labels, tasks, views, targets and so on.
    """
    rules = (_evidence, _failures, _instructions, _origins, _views, _grain, _looks)
    return [sentence for rule in rules for sentence in rule(facts)]


def _evidence(facts: Mapping[str, Any]) -> Iterator[str]:
    held = facts["episodes"]["held_out"]
    if not held:
        yield (
            "Nothing was held out: the figures are of the episodes it learnt from, and no evidence."
        )
        return
    if held < SMALLEST_SAMPLE:
        yield f"Only {words.counted(held, 'episode')} held out: no interval is given."
    yield (
        "The held-out episodes also chose when training stopped and set the level of completion:"
        " their figures are a little kind. `assay certify` on other episodes is not."
    )


def _failures(facts: Mapping[str, Any]) -> Iterator[str]:
    if not facts["labels"]["failures"]:
        made = words.listing(f"{n} {kind}" for kind, n in facts["made"].items())
        yield (
            "It has seen no failure: a drop, a wrong object and an attempt that broke off are new"
            f" to it. What falls back was made from successes ({made})."
        )


def _instructions(facts: Mapping[str, Any]) -> Iterator[str]:
    told = facts["instructions"]
    if len(told) > 1:
        yield f"It knows {len(told)} instructions; any other says nothing to it."
    else:
        what = f"one instruction, {words.quoted(told[0])}" if told[0] else "no instruction"
        yield (
            f"It knows {what}: the words change nothing, and the right motion with a wrong object"
            " may look right to it."
        )


def _origins(facts: Mapping[str, Any]) -> Iterator[str]:
    timed, labelled = (facts["targets"].get(origin, 0) for origin in ("time", "label"))
    if timed:
        yield (
            f"In {words.counted(timed, 'episode')} progress is the elapsed time: pauses and detours"
            " of the demonstrations count as progress, and the ramp is right by definition there."
        )
    if labelled:
        yield (
            f"Of {words.counted(labelled, 'failure')} only the label is known: how far they got is"
            " a guess."
        )


def _views(facts: Mapping[str, Any]) -> Iterator[str]:
    views = facts["views"]
    yield (
        f"It has seen {words.counted(len(views), 'view')} ({words.listing(views)}): any other"
        " camera is new to it."
    )


def _grain(facts: Mapping[str, Any]) -> Iterator[str]:
    size, fps = facts["size"], facts["settings"]["fps"]
    yield (
        f"It sees {size} x {size} pixels, {fps:g} times a second: what is smaller than 1/{size} of"
        f" the picture, or gone within {1 / fps:.2g} s, is not there for it."
    )


def _looks(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["scenes"] is not None:
        yield f"It has seen {words.counted(facts['scenes'], 'scene')}."
    if not facts["perturbations"]:
        yield "No episode says that light, colours, background or camera were changed."
