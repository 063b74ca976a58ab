"""Examine the judges that ship, keep their passports, and write docs/passports.md.

    .venv/bin/python scripts/passports.py [--keep DIR] [--page-only]

Passports go to src/assay/judges/passports, from where reports take them; DIR holds the runs, and a
second call goes on there. `--page-only` writes the page from what is kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.jobs.certify import CertifySettings, certify
from assay.reports.passport import cells

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "src" / "assay" / "judges" / "passports"
GOALS = {"similarity-image": "worlds"}
JUDGES = (
    *("prm-mini", "similarity-image"),
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
experts end (`--goal worlds`). Values are on the scale of 0 to 100 unless a unit stands beside them.

"""


def document_of(judge: str, keep: Path) -> Mapping[str, Any]:
    """Examine a judge and return its passport, which is kept."""
    found = certify(CertifySettings(keep / judge, judge, goal=GOALS.get(judge)))
    shutil.copyfile(found.out / "certify.json", KEPT / f"{judge}.json")
    return found.document


def page(documents: Mapping[str, Mapping[str, Any]]) -> str:
    """Return one table: checks down, judges across."""
    lines = [
        f"| check | limit | {' | '.join(documents)} |",
        "|---" * (2 + len(documents)) + "|",
    ]
    rows: dict[str, dict[str, tuple[str, str]]] = {}
    for judge, document in documents.items():
        for line in document["checks"]:
            title, _, value, limit, *_ = cells(line)
            mark = MARKS.get(line["verdict"])
            told = line["verdict"] if mark is None else f"{mark}{value}"
            rows.setdefault(title, {})[judge] = (limit, told)
    for title, told in rows.items():
        limit = next(iter(told.values()))[0]
        texts = [told.get(judge, ("", "not asked"))[1] for judge in documents]
        lines.append(f"| {title} | {limit} | {' | '.join(texts)} |")
    return HEAD + "\n".join(lines) + "\n"


def main() -> None:
    """Write passports and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, default=ROOT / "out" / "passports")
    parser.add_argument("--page-only", action="store_true")
    asked = parser.parse_args()
    documents = {}
    for judge in JUDGES:
        if asked.page_only:
            documents[judge] = json.loads((KEPT / f"{judge}.json").read_text(encoding="utf-8"))
        else:
            documents[judge] = document_of(judge, asked.keep)
    (ROOT / "docs" / "passports.md").write_text(page(documents), encoding="utf-8")


if __name__ == "__main__":
    main()
