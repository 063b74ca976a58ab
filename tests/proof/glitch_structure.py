"""What the structure of gaze makes of a model with known rates of error: a simulation.

    python tests/proof/glitch_structure.py [--share 1.0] [--write]

A server on this machine answers like an imperfect model (tests/glitch_vlm.py). Every figure that
`assay diagnose` and `assay bench glitches` come to stands beside its value in closed form, and must
lie within its interval of it. With --write the table of docs/diagnose.md is made anew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.jobs.bench_glitches import GlitchBenchSettings, bench_glitches
from assay.jobs.diagnose import DiagnoseSettings, diagnose
from assay.judges import make_judge
from assay.models.session import ModelSettings
from glitch_closed_form import expected
from glitch_vlm import SimulatedModel, simulated_clips, write_simulated
from model_server import ModelServer

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "diagnose.md"
MARKS = "<!-- structure: begin -->\n", "<!-- structure: end -->\n"
PARTS = ("task_memory", "scene_memory", "segmentation", "router", "verifier")
ABLATED = ("gaze", *(f"gaze without {part}" for part in PARTS))
BASELINES = ("vanilla", "stepwise", "vanilla-3", "vanilla-taxonomy")
MAIN, OTHERS = 0.5, (0.0, 0.9)
COMPARED = ("gaze", "vanilla", "vanilla-3")
FIGURES = {
    "f1": "F1",
    "miou": "IoU",
    "f1_iou": "F1 x IoU",
    "severity_within_1": "Severity within 1",
    "clean_accuracy": "Clean clips",
}
LEVEL = 0.999  # some hundred figures are looked at together


def measure(folder, system, clips, references, rho):
    """Return the bench document of a system and what it asked, against a server of its own."""
    name, _, left = system.partition(" without ")
    options = {"side": 16, **({"without": left} if left else {})}
    with ModelServer(SimulatedModel(clips, rho), keep=True) as server:
        judge = make_judge(name, {"model": f"openai:simulated@{server.url}", **options})
        settings = DiagnoseSettings(
            folder / f"{system} {rho:g}".replace(" ", "-"),
            judge,
            video="none",
            models=ModelSettings(ledger=folder / f"{system} {rho:g}.sqlite", in_flight=8),
        )
        run = diagnose([folder / "clips"], settings)
    assert run.ok, run.problems()
    scored = bench_glitches(
        {system: run.out / "reports.jsonl"}, references, GlitchBenchSettings(level=LEVEL)
    )
    return scored.document, run.document["asking"]


def rows(folder, share):
    """Yield system, correlation, figures, what was asked, and the closed form."""
    clips = simulated_clips(0, share)
    references = write_simulated(folder / "clips", clips)
    wanted = [(system, MAIN) for system in (*ABLATED, *BASELINES)]
    wanted += [(system, rho) for rho in OTHERS for system in COMPARED]
    for system, rho in wanted:
        found, asking = measure(folder, system, clips, references, rho)
        yield system, rho, found, asking, expected(system, clips, rho)


def outside(system, rho, found, asking, closed, slack=0.35):
    """Return a line for each figure whose interval does not hold the closed form."""
    said = []
    for name in FIGURES:
        value, wanted = found[name], getattr(closed, name)
        if not value["low"] - 1e-9 <= wanted <= value["high"] + 1e-9:
            said.append(f"{system}, rho {rho:g}: {name} {value} does not hold {wanted:.3f}")
    said += [
        f"{system}, rho {rho:g}: {name} {asking[name]['mean']:.2f}"
        for name in ("calls", "rounds")
        if abs(asking[name]["mean"] - getattr(closed, name)) > slack
    ]
    return said


def line(system, rho, found, asking, closed):
    """Return the row of the table: each figure, its interval and the closed form."""
    cells = []
    for name in FIGURES:
        value = found[name]
        low, high = (100 * value[end] for end in ("low", "high"))
        wanted = 100 * getattr(closed, name)
        cells.append(f"{100 * value['value']:.1f} [{low:.1f}, {high:.1f}] / {wanted:.1f}")
    cells += [f"{asking[n]['mean']:.2f} / {getattr(closed, n):.2f}" for n in ("calls", "rounds")]
    return f"| {system} | {rho:g} | {' | '.join(cells)} |"


def main() -> int:
    """Run the simulation, print the table, and fail where a figure is off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the paper's 382 clips")
    parser.add_argument("--write", action="store_true", help="write the table of the page")
    options = parser.parse_args()
    heads = ("system", "correlation", *FIGURES.values(), "calls", "rounds")
    table = [f"| {' | '.join(heads)} |", "|---|---:" + "|---:" * (len(heads) - 2) + "|"]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder), options.share):
            table.append(line(*row))
            wrong += outside(*row)
            print(table[-1], flush=True)
    print("\n".join(wrong) or "every figure within its interval of the closed form")
    if options.write and not wrong:
        text = PAGE.read_text(encoding="utf-8")
        before, rest = text.split(MARKS[0])
        shown = "\n".join(["", *table, "", ""])
        PAGE.write_text(before + MARKS[0] + shown + MARKS[1] + rest.split(MARKS[1])[1])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
