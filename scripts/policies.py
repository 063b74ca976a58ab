"""Rebuild the policies that ship, from nothing, and write their figures into docs/policies.md.

    make policies           all of it, about half an hour on two cores

Three steps, each taken up where it was broken off: demonstrations of lift-block by an expert that
is knocked about, two trainings on them, and attempts on fresh seeds beside two nulls. The folder
of the work can be deleted afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.jobs.rollout import RolloutSettings, rollout
from assay.jobs.train_policy import PolicyTrainSettings, train_policy
from assay.reports import words
from assay.worlds.policies._cloned.card import CARD, GRAPH, INPUTS
from assay.worlds.policies.base import Policy
from assay.worlds.policies.cloned import Cloned
from assay.worlds.policies.frozen import Frozen
from assay.worlds.policies.replayed import Replayed

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "src" / "assay" / "worlds" / "policies" / "weights"
PAGE = ROOT / "docs" / "policies.md"
BEGIN, END = "<!-- figures: written by scripts/policies.py -->", "<!-- end of figures -->"
TASK = "lift-block"
LEARN = "12000:12300"  # one in ten is held out by the training, and named in the card
FRESH = "1000:1050"
VIEWS = ("overhead", "wrist")
DEMOS = "demos-lift"
NULLS: Mapping[str, Policy] = {"frozen": Frozen(), "replayed": Replayed(DEMOS)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the policies and the table of the page."""
    asked = _arguments(arguments)
    asked.work.mkdir(parents=True, exist_ok=True)
    # Runs are known by the names they were asked for: the same ones wherever the work lies.
    with contextlib.chdir(asked.work):
        tables = dict(_made(asked.only or INPUTS, asked.jobs))
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{_page(tables)}\n{END}{after}", encoding="utf-8")


def _made(wanted: Sequence[str], jobs: int | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what came of the attempts of each policy, which is copied to where it ships."""
    begun = time.monotonic()
    rollout(
        RolloutSettings(
            *(Path(DEMOS), TASK, ("knocked",), LEARN), fps=20, views=VIEWS, size=64, jobs=jobs
        )
    )
    _say("demonstrations recorded", begun)
    for inputs in wanted:
        trained = train_policy([DEMOS], PolicyTrainSettings(inputs, inputs=inputs, jobs=jobs))
        _say(f"{inputs}: trained, {trained.document['stopped']}", begun)
        tried = rollout(
            RolloutSettings(
                Path(f"tried-{inputs}"),
                TASK,
                {"cloned": Cloned(inputs), **(NULLS if inputs == "state" else {})},
                FRESH,
                views=VIEWS[-1:] if inputs == "pixels" else (),  # it may look at all of them
                size=64,
                jobs=jobs,
            )
        )
        _say(f"{inputs}: tried", begun)
        _ship(Path(inputs), SHIPPED / inputs, tried.document)
        yield inputs, {"training": trained.document, "tried": tried.document}


def _ship(trained: Path, place: Path, tried: Mapping[str, Any]) -> None:
    """Copy graph and card, which gets the success rates and the way to make it anew."""
    place.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(trained / GRAPH, place / GRAPH)
    card = json.loads((trained / CARD).read_text(encoding="utf-8"))
    card["name"] = f"cloned-{trained.name}"
    card["about"]["rebuild"] = "make policies"
    card["about"]["tried"] = {
        "seeds": FRESH,
        "success": {row["policy"]: row["success"] for row in tried["policies"]},
    }
    text = json.dumps(card, indent=1, sort_keys=True, ensure_ascii=False)
    (place / CARD).write_text(text + "\n", encoding="utf-8")


def _page(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of the page as Markdown."""
    lines = [
        "| policy | looks at | success on fresh seeds, % | mean time | joint error, rad | graph |",
        "|---|---|---|---|---|---|",
    ]
    for inputs, found in tables.items():
        rows = {row["policy"]: row for row in found["tried"]["policies"]}
        training = found["training"]
        error = words.amount(training["figures"]["cloned"]["joints_rad"])
        size = f"{training['graph_bytes'] / 1000:.0f} kB"
        lines.append(
            f"| `cloned`, {inputs} | {inputs} | {_told(rows['cloned'])} | {error} | {size} |"
        )
    nulls = {row["policy"]: row for found in tables.values() for row in found["tried"]["policies"]}
    lines += [f"| `{n}` | nothing | {_told(row)} | | |" for n, row in nulls.items() if n in NULLS]
    counts = next(iter(tables.values()))["training"]["episodes"]
    told = (
        f"{counts['trained']} demonstrations to learn from and {counts['held_out']} held out, of"
        f" `knocked` at {TASK} on seeds {LEARN.replace(':', ' to ')} (the end left out;"
        f" {counts['failed']} that failed are left out too). Fresh seeds: {FRESH}, n = 50 each,"
        " Wilson intervals. The joint error is that on held-out demonstrations. `pixels` was tried"
        " with pictures of 64 pixels, as in its demonstrations; larger ones are shrunk to that."
    )
    return "\n".join([*lines, "", told]) + "\n"


def _told(row: Mapping[str, Any]) -> str:
    return f"{words.number(row['success'])} | {row['mean_time_s']:.1f} s"


def _say(text: str, begun: float) -> None:
    sys.stdout.write(f"==> {(time.monotonic() - begun) / 60:5.1f} min  {text}\n")
    sys.stdout.flush()


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=ROOT / "policies-work")
    parser.add_argument("--only", action="append", choices=INPUTS, help="one of the two policies")
    parser.add_argument("--jobs", type=int, default=None)
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
