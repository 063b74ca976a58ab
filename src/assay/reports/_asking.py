"""Write what models were asked as scripts: a file per episode, loaded when a reader wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.reports._markup import safe_json
from assay.reports.asked import usage_lines

__all__ = ["calls_script", "usage_script", "write_calls_script"]


def write_calls_script(assets: Path, place: int, calls: Sequence[Mapping[str, Any]]) -> None:
    """Write `calls-00012.js` for the episode at `place` of the list; none if nothing was asked."""
    path = assets / f"calls-{place:05d}.js"
    if calls:
        path.write_text(calls_script(place, calls), encoding="ascii")
    else:
        path.unlink(missing_ok=True)


def calls_script(place: int, calls: Sequence[Mapping[str, Any]]) -> str:
    """Return the script: judge, model, status, detail, prompt, pictures, reply, tokens of each.

    A picture is [view, time], both null for one that is no moment of the episode, such as a goal.
    """
    rows = [
        [
            *(call[name] for name in ("judge", "model", "status", "detail", "prompt")),
            [[picture["view"], picture["t"]] for picture in call["pictures"]],
            *(call[name] for name in ("reply", "input_tokens", "output_tokens")),
        ]
        for call in calls
    ]
    lines = ",\n".join(map(safe_json, rows))
    return f"window.assayCalls({place},[\n{lines}\n]);\n"


def usage_script(usage: Mapping[str, Any] | None) -> str:
    """Return `usage.js`: what the command that made the report sent, in words.

    It stands apart from the page because it differs between a run that paid for its answers and
    one that found them; all other files are the same.
    """
    return f"window.assayUsage({safe_json(usage_lines(usage))});\n"
