"""The table of coverage in the documentation is what the campaigns have measured."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from assay.reports import _difference_methods, _human_methods, _rank_methods, _real_words
from assay.reports._held import HELD
from assay.reports._held import held as held_words
from proof._cells import Cells
from proof._intervals import INTERVALS
from proof.coverage_table import PAGE, faults, measured, section, table


def test_the_documentation_has_what_was_measured() -> None:
    cells = measured()
    assert section(PAGE.read_text()) == table(cells)
    assert faults(cells) == []


def test_no_interval_stands_twice() -> None:
    keys = [interval.key for interval in INTERVALS]
    assert len(set(keys)) == len(keys)


def test_a_cell_goes_to_the_table_and_back(tmp_path: Path) -> None:
    cells = Cells(tmp_path / "deep" / "some.json", 500)
    for n, held in ((10, 0.91), (20, 0.9), (50, 0.94), (200, 0.95)):
        cells.add("share", "rare", n, held)
    cells.add("share", "half", 20, 0.96004)
    cells.add("share", "nothing", 20, float("nan"))
    cells.write()
    assert json.loads((tmp_path / "deep" / "some.json").read_text())[-1] == {
        "interval": "share",
        "case": "half",
        "n": 20,
        "held": 0.96,
        "studies": 500,
    }
    # Cells that are not measured anew stay, and those that are take their place.
    again = Cells(tmp_path / "deep" / "some.json", 900)
    again.add("share", "rare", 50, 0.94)
    again.write()
    kept = json.loads((tmp_path / "deep" / "some.json").read_text())
    assert [(row["n"], row["studies"]) for row in kept] == [
        *((10, 500), (20, 500), (200, 500), (20, 500), (50, 900)),
    ]
    found = measured(tmp_path / "deep")
    row = next(line for line in table(found).splitlines() if line.startswith("| share |"))
    assert "| 91.0 | 90.0 to 96.0 | 94.0 | 95.0 | `some` | Below 93: rare 90.0 at 20." in row
    # Nothing else was measured, which does not go unnoticed.
    assert "median: not measured at every n" in faults(found)
    assert faults({"tea leaves": []})[-1] == "tea leaves: measured, and in no row"


def test_the_lines_of_methods_say_what_was_measured() -> None:
    cells = measured()
    for name, (least, most, where) in HELD.items():
        held = [100 * cell["held"] for cell in cells[name] if cell["n"] in (20, 50, 200)]
        assert (least, most) == (round(min(held), 1), round(max(held), 1)), name
        assert bool(where) == (least < 93), name


def test_a_line_names_the_weakest_of_its_intervals() -> None:
    (one, first), (two, second) = sorted(HELD.items(), key=lambda item: item[1][0])[:2]
    assert first[0] < second[0]
    said = held_words(two, one)
    assert said.startswith(f"Of nominal 95 %, {first[0]:.1f} to {max(first[1], second[1]):.1f} %")
    assert first[2] in said


def test_every_line_names_a_function_that_there_is() -> None:
    for module in (_difference_methods, _human_methods, _rank_methods, _real_words):
        for key, method in module.METHODS.items():
            name, _, function = method.function.rpartition(".")
            assert callable(getattr(importlib.import_module(f"assay.{name}"), function)), key
