"""Write docs/findings.md: what an audit finds out about policies whose flaws are known.

    .venv/bin/python scripts/findings.py [--seeds 1100:1150] [--tasks stack-blocks] [--out docs]

Rolls out every policy without pictures, audits the attempts by their exact progress, and computes
every sentence of the page from the audit. Exits with 1 if one of the four findings does not show.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from assay.jobs.audit import AuditSettings, audit
from assay.jobs.rollout import RolloutSettings, rollout
from assay.metrics.intervals import estimate_mean, estimate_share
from assay.metrics.results import Estimate
from assay.worlds.policies.backtracker import Backtracker
from assay.worlds.policies.dropper import Dropper
from assay.worlds.policies.early_stopper import EarlyStopper
from assay.worlds.policies.expert import Expert
from assay.worlds.policies.hesitant import Hesitant
from assay.worlds.policies.jittery import Jittery
from assay.worlds.policies.near_miss import NearMiss
from assay.worlds.policies.wrong_object import WrongObject

ROOT = Path(__file__).parent.parent
PICTURE = "findings.png"
POLICIES = {
    "expert": Expert(),
    "hesitant": Hesitant(),
    "dropper": Dropper(strength=1.0),
    "backtracker": Backtracker(strength=1.0),
    "early-stopper": EarlyStopper(),
    "near-miss": NearMiss(),
    "jittery": Jittery(),
    "wrong-object": WrongObject(strength=0.5),
}
INTRODUCTION = """\
What can an audit find out that a success rate can't? Here are policies whose flaws are known,
because we built them, acting in the simulated [world](worlds.md), audited by its exact progress.
Every figure is computed; figures are on the scale 0 to 100, with 95 % intervals. The findings are
of the four kinds that the audit paper reports for learned policies.
"""
SEEDS = """\
They served no other purpose. `wrong-object` takes the wrong thing in half of the attempts;
`dropper` and `backtracker` have strength 1.
"""
MILESTONES = (0.0, 0.25, 0.5, 0.75, 1.0, math.inf)  # done, then undone, is past the last
BETWEEN = ("0 to 25 %", "25 to 50 %", "50 to 75 %", "75 to 100 %", "after the end, undone")


@dataclass(frozen=True)
class Rows:
    """Episodes of an audit, a row each, that can be narrowed down."""

    rows: Sequence[dict[str, Any]]

    def __post_init__(self) -> None:
        """Refuse rows without a score: the oracle has one for every attempt."""
        if any(row["mp"] is None for row in self.rows):
            raise ValueError("An attempt was not scored.")

    def where(self, keep: Callable[[dict[str, Any]], bool]) -> Rows:
        """Return the rows that `keep` says yes to."""
        return Rows([row for row in self.rows if keep(row)])

    def of(self, policy: str) -> Rows:
        """Return the rows of one policy."""
        return self.where(lambda row: row["policy"] == policy)

    def failures(self) -> Rows:
        """Return the attempts that did not end in success."""
        return self.where(lambda row: not row["success_end"])

    def successes(self) -> Rows:
        """Return the attempts that did."""
        return self.where(lambda row: bool(row["success_end"]))

    def mean(self, metric: str) -> Estimate:
        """Return the mean of a metric with its interval."""
        return estimate_mean(np.array([row[metric] for row in self.rows]))

    def share(self, holds: Callable[[dict[str, Any]], bool]) -> Estimate:
        """Return the share of rows for which something holds."""
        return estimate_share(sum(map(holds, self.rows)), len(self.rows))


def told(estimate: Estimate) -> str:
    """Return an estimate with interval and n, on the scale 0..100."""
    if estimate.value is None:
        return f"none (n = {estimate.n})"
    interval = (
        f" [{100 * estimate.low:.0f}, {100 * estimate.high:.0f}]"
        if estimate.low is not None and estimate.high is not None
        else ""
    )
    return f"{100 * estimate.value:.0f}{interval} (n = {estimate.n})"


def apart(low: Estimate, high: Estimate) -> bool:
    """Tell whether all of one interval lies below all of the other."""
    return low.high is not None and high.low is not None and low.high < high.low


def success(rows: Rows) -> Estimate:
    """Return the share of attempts that end in success."""
    return rows.share(lambda row: bool(row["success_end"]))


def concentrate(rows: Rows) -> tuple[bool, str]:
    """Say between which milestones each policy's failures stop."""
    lines, sharp = [], 0
    for policy in POLICIES:
        failed = rows.of(policy).failures()
        if len(failed.rows) < 5:
            continue
        stops = [
            failed.share(lambda row, a=a, b=b: a <= row["mp"] < b) for a, b in pairwise(MILESTONES)
        ]
        worst = max(range(len(stops)), key=lambda i: stops[i].value or 0.0)
        sharp += (stops[worst].low or 0.0) > 0.5
        lines.append(
            f"| {policy} | {len(failed.rows)} | {BETWEEN[worst]} | {told(stops[worst])} % |"
        )
    table = [
        "| policy | failures | most stop between | share of its failures |",
        "|---|---|---|---|",
    ]
    return sharp >= 2, "\n".join([*table, *lines])


def zero_success(rows: Rows) -> tuple[bool, str]:
    """Tell two policies apart that never succeed."""
    near, early = rows.of("near-miss"), rows.of("early-stopper")
    text = (
        f"Success of `near-miss` is {told(success(near))} %, of `early-stopper` "
        f"{told(success(early))} %: by success they are the same. The furthest progress is "
        f"{told(near.mean('mp'))} against {told(early.mean('mp'))}, and "
        f"{told(near.share(lambda row: row['mp'] >= 0.75))} % against "
        f"{told(early.share(lambda row: row['mp'] >= 0.75))} % of the attempts get to three "
        "quarters. One needs a better last centimetre, the other a reason to go on."
    )
    both_zero = not success(near).value and not success(early).value
    return both_zero and apart(early.mean("mp"), near.mean("mp")), text


def narrow(rows: Rows) -> tuple[bool, str]:
    """Find a policy that succeeds seldom, but then cleanly."""
    clean, rough = rows.of("wrong-object"), rows.of("jittery")
    good, poor = clean.successes().mean("ppl"), rough.successes().mean("ppl")
    text = (
        f"`wrong-object` succeeds in {told(success(clean))} % of the attempts, `jittery` in "
        f"{told(success(rough))} %. Yet when they succeed, the path efficiency of the first is "
        f"{told(good)} and of the second {told(poor)}: narrow but efficient against wide but "
        "wasteful. The first has to learn which object is meant, the second how to move."
    )
    return apart(success(clean), success(rough)) and apart(poor, good), text


def kinds(rows: Rows) -> tuple[bool, str]:
    """Tell failures by standing still from failures by undoing."""
    still = rows.of("hesitant").failures()
    undone = rows.where(lambda row: row["policy"] in ("dropper", "backtracker")).failures()
    text = (
        "Failures only: those of `hesitant` stand still in "
        f"{told(still.mean('str'))} % of the steps (STR) and have a regret (CRA) of "
        f"{told(still.mean('cra'))}; those of `dropper` and `backtracker` have STR "
        f"{told(undone.mean('str'))} and CRA {told(undone.mean('cra'))}. The first fail by "
        "stagnation, the others by regret: more time would help only the first."
    )
    held = apart(undone.mean("str"), still.mean("str")) and apart(
        still.mean("cra"), undone.mean("cra")
    )
    return held, text


FINDINGS = (
    ("Where failures concentrate", concentrate),
    ("Two policies with no success, told apart", zero_success),
    ("Narrow but efficient success", narrow),
    ("Failing by standing still, failing by undoing", kinds),
)


def attempts(work: Path, tasks: Sequence[str], seeds: str) -> Path:
    """Roll out all policies at all tasks and audit them; return the run directory."""
    for task in tasks:
        rollout(
            RolloutSettings(out=work / task, task=task, policies=POLICIES, seeds=seeds, views=())
        )
    settings = AuditSettings(out=work / "audit", judge="oracle", beside=("ramp",))
    return audit([work / task for task in tasks], settings).out


def page(rows: Rows, tasks: Sequence[str], seeds: str) -> tuple[bool, str]:
    """Return whether every finding shows, and the whole page."""
    parts = [
        "# Four findings\n",
        "<!-- Written by scripts/findings.py; change the script, not this page. -->\n",
        INTRODUCTION,
        f"Tasks: {', '.join(f'`{task}`' for task in tasks)}, pooled. Seeds {seeds}.\n{SEEDS}",
        "```sh\n.venv/bin/python scripts/findings.py   # makes this page anew\n```\n",
    ]
    shown = True
    for title, find in FINDINGS:
        holds, text = find(rows)
        shown &= holds
        verdict = "" if holds else "\n\n**This does not show here.**"
        parts.append(f"## {title}\n\n{text}{verdict}\n")
    parts.append(
        "## What a clock would have said\n\n"
        "The null judge `ramp` gives every attempt a straight line from 0 to 1, so it tells none\n"
        "of these policies apart: all of the above comes from looking at what happened. The\n"
        "report of this audit shows it beside the truth, for every episode.\n\n"
        f"![Reachability of every policy, and the fingerprints of their failures](images/{PICTURE})"
    )
    return shown, "\n".join(parts) + "\n"


def photograph(report: Path, target: Path) -> None:
    """Take a picture of the reachability curves and the fingerprints."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as name:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        view = browser.new_page(viewport={"width": 1100, "height": 900}, reduced_motion="reduce")
        view.goto((report / "index.html").as_uri())
        shots = []
        for part in ("reach", "failures"):
            file = Path(name) / f"{part}.png"
            view.locator(f"section#{part}").screenshot(path=file)
            shots.append(Image.open(file).convert("RGB"))
        browser.close()
    joined = Image.new("RGB", (shots[0].width, sum(shot.height for shot in shots)), "white")
    top = 0
    for shot in shots:
        joined.paste(shot, (0, top))
        top += shot.height
    joined.quantize(64).save(target, optimize=True)


def main() -> int:
    """Write the page and the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1100:1150")
    parser.add_argument("--tasks", nargs="+", default=["place-in-basket", "stack-blocks"])
    parser.add_argument("--out", type=Path, default=ROOT / "docs")
    parser.add_argument("--work", type=Path, help="keep the attempts here, and take them up again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run = attempts(options.work or Path(name), options.tasks, options.seeds)
        rows = Rows(
            [
                row
                for row in pq.read_table(run / "episodes.parquet").to_pylist()
                if row["judge"] == "oracle"
            ]
        )
        shown, text = page(rows, options.tasks, options.seeds)
        (options.out / "images").mkdir(parents=True, exist_ok=True)
        (options.out / "findings.md").write_text(text, encoding="utf-8")
        photograph(run, options.out / "images" / PICTURE)
    sys.stdout.write(text)
    return 0 if shown else 1


if __name__ == "__main__":
    sys.exit(main())
