"""Examine the judges that ship, keep their passports, and write docs/passports.md.

    .venv/bin/python scripts/passports.py [--keep DIR] [--only JUDGE ...] [--page-only]

Passports go to src/assay/judges/passports, from where reports take them; DIR holds the runs, and a
second call goes on there. `--only` examines some judges and leaves the passports of the others as
they are; `--page-only` examines none. The page is written from all of them. `prm-mini, goal` is a
short run with a goal, for the checks that ask for one: reports carry it where the judge has a goal.
All are examined on the same tasks, all of the worlds, so that the columns can be compared.
"""

from __future__ import annotations

import argparse
import json
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.benchmarks.footage.draws import TASKS
from assay.benchmarks.passport.lines import WORLDS
from assay.jobs.certify import CertifySettings, certify
from assay.reports.passport import cells

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "src" / "assay" / "judges" / "passports"
AIMED = "prm-mini, goal"
GOALS = {"similarity-image": "worlds", AIMED: "worlds"}
SHORT = {AIMED: 1}  # scenes of each kind and task; else as many as `assay certify` takes
JUDGES = (
    *("prm-mini", AIMED, "similarity-image"),
    *("pixel-change", "ramp", "last-frame", "random", "constant"),
    "oracle",
)
MARKS = {"pass": "", "fail": "**fails** ", "stated": ""}
HEAD = """\
# Passports of the judges that ship

<!-- Written by scripts/passports.py; change the script, not this page. -->

What [`assay certify`](certify.md) says of them on the simulated worlds: seeds 700 to 999, on which
nothing was learned or chosen. A bold **fails** marks what misses its limit. `ramp`, `last-frame`,
`random`, `constant` and `pixel-change` are null judges: they know nothing of the task, and the
checks say so in different ways. `oracle` is told the truth. `similarity-image` compares with how
experts end (`--goal worlds`), and so does `prm-mini` in its second column, a shorter run, which
reports carry where `--goal` was given. Values are on the scale of 0 to 100 unless a unit stands
beside them, with intervals that hold 95 %. n counts attempts, scenes or pairs of moments; it is a
range where judges differ in what could be measured, in the pairs that were drawn, or in the length
of the run.
"""
FOOT = """
A check that is "not run" is not for this judge. One that is "not measured" was tried and gave no
value:

"""


def document_of(judge: str, keep: Path) -> Mapping[str, Any]:
    """Examine a judge and return its passport, which is kept."""
    name, _, _ = judge.partition(", ")
    seeds = SHORT.get(judge, CertifySettings.seeds)
    goal, out = GOALS.get(judge), keep / file_of(judge)
    found = certify(CertifySettings(out, name, goal=goal, tasks=TASKS, seeds=seeds))
    shutil.copyfile(found.out / "certify.json", KEPT / f"{file_of(judge)}.json")
    return found.document


def file_of(judge: str) -> str:
    """Return what the files of a column are called: reports look for them by the judge's name."""
    return judge.replace(", ", "-with-")


def page(documents: Mapping[str, Mapping[str, Any]]) -> str:
    """Return one table, checks down and judges across, and why values are missing in it."""
    rows: dict[str, dict[str, Mapping[str, Any]]] = {}
    for judge, document in documents.items():
        for line in document["checks"]:
            rows.setdefault(line["title"], {})[judge] = line
    table = [
        f"| check | limit | n | {' | '.join(documents)} |",
        "|---" * (3 + len(documents)) + "|",
        *(_row(title, told, list(documents)) for title, told in rows.items()),
    ]
    why = [
        f"- {judge}, {title}: {line['why']}."
        for title, told in rows.items()
        for judge, line in told.items()
        if line["verdict"] == "not measured"
    ]
    told = [*table, *([FOOT.rstrip("\n"), "", *why] if why else [])]
    return "\n".join([HEAD, *examined(documents), "", *told]) + "\n"


def examined(documents: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say on which tasks the judges were examined: columns of other tasks can't be compared."""
    rests: dict[str, list[str]] = {}
    for judge, document in documents.items():
        rests.setdefault(_tasks(document), []).append(judge)
    if len(rests) == 1:
        return textwrap.wrap(
            f"All were examined on {next(iter(rests))}.", 100, break_on_hyphens=False
        )
    told = [f"- {', '.join(judges)}: {tasks}." for tasks, judges in rests.items()]
    return [
        "Not all were examined on the same tasks, so that columns can't be compared:",
        "",
        *told,
    ]


def _tasks(document: Mapping[str, Any]) -> str:
    """Word the tasks of a passport; older ones name theirs only where they were asked for."""
    about = document.get("domains", {}).get(WORLDS, {})
    tasks = about.get("tasks") or document.get("settings", {}).get("tasks") or ()
    if tasks:
        return f"{len(tasks)} tasks: {', '.join(tasks)}"
    return f"{about.get('subjects', 'some')} scenes of tasks that their passports don't name"


def _row(title: str, told: Mapping[str, Mapping[str, Any]], judges: Sequence[str]) -> str:
    """Return the row of one check."""
    limit = cells(next(iter(told.values())))[3]
    counts = [line["value"]["n"] for line in told.values() if line["value"] is not None]
    few, many = min(counts, default=0), max(counts, default=0)
    n = str(many) if few == many else f"{few} to {many}"
    texts = [_cell(told[judge]) if judge in told else "not asked" for judge in judges]
    return f"| {title} | {limit} | {n} | {' | '.join(texts)} |"


def _cell(line: Mapping[str, Any]) -> str:
    mark = MARKS.get(line["verdict"])
    return str(line["verdict"]) if mark is None else f"{mark}{cells(line)[2]}"


def main() -> None:
    """Write passports and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, default=ROOT / "out" / "passports")
    parser.add_argument("--only", choices=JUDGES, nargs="+", default=JUDGES)
    parser.add_argument("--page-only", action="store_true")
    asked = parser.parse_args()
    documents = {}
    for judge in JUDGES:
        file = KEPT / f"{file_of(judge)}.json"
        if not asked.page_only and judge in asked.only:
            documents[judge] = document_of(judge, asked.keep)
        elif file.is_file():
            documents[judge] = json.loads(file.read_text(encoding="utf-8"))
    (ROOT / "docs" / "passports.md").write_text(page(documents), encoding="utf-8")


if __name__ == "__main__":
    main()
