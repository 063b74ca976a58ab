"""Make the table of docs/metrics.md that says how often every interval held the truth.

    python tests/proof/coverage_table.py --measure --write

Every campaign writes its figures to a file of tests/proof/measured; --measure runs them all, or
those that are named, one after the other. Without --write the table is only compared with the one
in the documentation; it fails where they differ, or where an interval has no figures, or where
coverage is off and no remark says why.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from proof._cells import SIZES
from proof._intervals import INTERVALS, Interval

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "metrics.md"
MEASURED = Path(__file__).resolve().parent / "measured"
BEGIN, END = "<!-- coverage: begin, made by a script -->", "<!-- coverage: end -->"
LEAST, MOST = 0.93, 0.97
FROM = 20  # what the bounds hold for
_MOST_NAMED = 2

Cell = Mapping[str, str | int | float]


def measured(folder: Path = MEASURED) -> dict[str, list[dict[str, str | int | float]]]:
    """Return the cells of each interval, each with the campaign that it comes from."""
    found: dict[str, list[dict[str, str | int | float]]] = {}
    for path in sorted(folder.glob("*.json")):
        for cell in json.loads(path.read_text()):
            found.setdefault(str(cell["interval"]), []).append({**cell, "campaign": path.stem})
    return found


def table(cells: Mapping[str, Sequence[Cell]]) -> str:
    """Return the table in Markdown."""
    heads = ["interval", "function", "shown in", "method", *map(str, SIZES), "campaign", "remark"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [_row(interval, cells.get(interval.key, ())) for interval in INTERVALS]
    return "\n".join(lines)


def _row(interval: Interval, cells: Sequence[Cell]) -> str:
    by = ", ".join(f"`{name}`" for name in dict.fromkeys(str(cell["campaign"]) for cell in cells))
    sizes = [_range([float(cell["held"]) for cell in cells if cell["n"] == n]) for n in SIZES]
    remark = " ".join(part for part in (_low_words(cells), interval.remark) if part)
    parts = [interval.title, f"`{interval.function}`", interval.shown, interval.method]
    return f"| {' | '.join([*parts, *sizes, by, remark])} |"


def _range(held: Sequence[float]) -> str:
    """Word the least and the largest coverage in percent."""
    if not held:
        return "none"
    low, high = f"{100 * min(held):.1f}", f"{100 * max(held):.1f}"
    return low if low == high else f"{low} to {high}"


def _low_words(cells: Sequence[Cell]) -> str:
    """Name the populations for which coverage is below the bound, the lowest first."""
    low = sorted(
        (cell for cell in cells if cell["n"] >= FROM and cell["held"] < LEAST),
        key=lambda cell: cell["held"],
    )
    worst: dict[str, str] = {}
    for cell in low:
        worst.setdefault(str(cell["case"]), f"{100 * float(cell['held']):.1f} at {cell['n']}")
    named = [f"{case} {word}" for case, word in list(worst.items())[:_MOST_NAMED]]
    rest = len(worst) - len(named)
    more = [f"{rest} other population{'s' if rest > 1 else ''}"] if rest else []
    return f"Below 93: {', '.join([*named, *more])}." if named else ""


def faults(cells: Mapping[str, Sequence[Cell]]) -> list[str]:
    """Return what is missing: figures, functions, remarks, rows."""
    found = [f"{key}: measured, and in no row" for key in cells.keys() - _keys()]
    for interval in INTERVALS:
        own = cells.get(interval.key, ())
        if {cell["n"] for cell in own} < {*SIZES} - {*interval.none}:
            found.append(f"{interval.title}: not measured at every n")
        if not interval.remark and any(_is_off(cell) for cell in own):
            found.append(f"{interval.title}: coverage is off, and no remark says why")
        if not hasattr(*_resolved(interval.function)):
            found.append(f"{interval.title}: there is no {interval.function}")
    return sorted(found)


def _keys() -> set[str]:
    return {interval.key for interval in INTERVALS}


def _is_off(cell: Cell) -> bool:
    return int(cell["n"]) >= FROM and not LEAST <= float(cell["held"]) <= MOST


def _resolved(function: str) -> tuple[object, str]:
    """Return the module of `metrics.kappa.cohen_kappa` and the name in it."""
    module, _, name = function.rpartition(".")
    return importlib.import_module(f"assay.{module}"), name


def section(text: str) -> str:
    """Return what stands between the markers of the page."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def measure(names: Sequence[str]) -> None:
    """Run the campaigns, each as a script of its own, and keep their figures."""
    here = Path(__file__).resolve().parent
    scripts = {path.stem.removesuffix("_coverage"): path for path in here.glob("*coverage.py")}
    for name in names or scripts:
        stored = MEASURED / f"{name}.json"
        print(f"{name}", flush=True)
        stored.unlink(missing_ok=True)  # cells of a population that is no more would stay in it
        subprocess.run([sys.executable, scripts[name], "--json", stored], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", nargs="*", metavar="CAMPAIGN", help="run these, or all")
    parser.add_argument("--write", action="store_true", help="write the table into docs/metrics.md")
    options = parser.parse_args()
    if options.measure is not None:
        measure(options.measure)
    cells = measured()
    made, text = table(cells), PAGE.read_text()
    print(made)
    if options.write:
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}")
    elif section(text) != made:
        print("\nThe table of docs/metrics.md is another one: run this with --write.")
        return 1
    for fault in faults(cells):
        print(fault)
    return int(bool(faults(cells)))


if __name__ == "__main__":
    sys.exit(main())
