"""assay compare --real and few labels: every form tells the same, and one sentence on faults."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from assay.cli._app import run
from assay.reports import compare_tables
from human_made import audited, scores
from real_made import REAL, SIM, side_run

MANY = {f"e{k:02d}": round(0.05 * k, 2) for k in range(20)}


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with audits of simulation and reality, and labels of half of a third."""
    root = tmp_path_factory.mktemp("real")
    side_run(root, "sim", SIM)
    side_run(root, "real", REAL)
    audited(root, "run", ends=MANY, beside=("ramp",))
    rows = [
        (name, round(100 * (0.1 + 0.5 * end), 2), who)
        for name, end in list(MANY.items())[::2]
        for who in ("ann", "bob")
    ]
    scores(root / "scores.csv", rows, "episode,score,rater")
    return root


def ask(folder, *more):
    given = ["--real", folder / "real", "--metric", "mp", "--out", folder / "out"]
    return ["compare", folder / "sim", *given, *more]


def test_simulation_against_reality_in_every_form(folder, capfd):
    assert code_of(*ask(folder, "--json")) == 0
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert out == (folder / "out" / "compare.json").read_text()
    assert f"Report: {folder / 'out' / 'index.html'}" in err
    assert document["kind"] == "sim-real"
    assert code_of(*ask(folder, "--format", "md")) == 0
    out = capfd.readouterr().out
    # By hand in tests/jobs/test_compare_real.py: rho .5, MMRV .2 / 3.
    assert out.startswith("Simulation puts 3 policies in another order than reality by MP")
    assert "| MP | all | 3 | " in out
    assert "MMRV 6.7 [" in out
    assert "| MP | all | b | 40.0 [" in out
    assert code_of(*ask(folder, "--format", "csv")) == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    figures = {row["figure"]: float(row["value"]) for row in rows if not row["policy"]}
    assert figures["spearman"] == pytest.approx(0.5)
    assert figures["mmrv"] == pytest.approx(0.2 / 3)
    assert len(rows) == 4 + 3 * 2
    assert code_of("show", folder / "out") == 0
    assert "Simulation puts 3 policies in another order" in plain(capfd.readouterr().out)


def test_exit_2_in_one_sentence(folder, tmp_path, capfd):
    out = ["--out", tmp_path / "out"]
    sim, real = folder / "sim", folder / "real"
    for given, said in (
        ([sim, "--real", sim], "stands on both sides: give the real one to --real alone."),
        ([sim, "--real", real, "--metric", "mpp"], "There is no metric named 'mpp'. Did you mean"),
        ([sim, "--real", real, "--human", "x.csv"], "Choose one: --human compares judges"),
        ([sim, "--real", real, "--pair", "none"], "a simulated episode has no real twin."),
        ([sim, "--real", tmp_path], "is no run directory"),
        ([sim, "--real", folder / "run"], "Simulation and reality share no policy, and 2"),
    ):
        assert code_of("compare", *given, *out) == 2
        assert said in plain(capfd.readouterr().err)
    assert not (tmp_path / "out").exists()


def labelled(folder, *more):
    given = ["--human", folder / "scores.csv", "--out", folder / "people", *more]
    return ["compare", folder / "run", *given]


def test_few_labels_in_every_form(folder, capfd):
    assert code_of(*labelled(folder, "--json")) == 0
    document = json.loads(capfd.readouterr().out)
    own, clock = document["assisted"]
    # By hand in tests/jobs/test_compare_labels.py: .3375 with the judge, .325 without.
    assert own["mean"]["value"] == pytest.approx(0.3375)
    assert (clock["judge"], clock["is_informative"]) == ("ramp", False)
    assert code_of(*labelled(folder, "--format", "md")) == 0
    out = capfd.readouterr().out
    assert "With recorded's scores of 10 other episodes, 10 labels are worth 20 " in out
    assert "no null judge shows a gain." in out
    assert "| progress | recorded | 10 | 10 | 33.8 [" in out
    assert "| progress | ramp | 10 | 10 | 32.5 [" in out
    assert "| no gain | 1.00 | The judge carries no information" in out
    assert "- Raters: Krippendorff's alpha, ordinal: 1 [" in out
    assert "- Raters: One rater against the others: 1 " in out
    assert code_of(*labelled(folder, "--format", "csv")) == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    found = [
        r
        for r in rows
        if (r["judge"], r["figure"], r["metric"]) == ("recorded", "alone", "progress")
    ]
    assert [float(r["value"]) for r in found] == [pytest.approx(0.325)]
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(compare_tables.to_terminal(document))
    text = console.export_text()
    assert "Judge alone, biased" in text
    assert text.index("no gain") > text.index("progress  ramp")


def test_a_label_that_cant_be_meant(folder, tmp_path, capfd):
    path = scores(tmp_path / "s.csv", [("e00", 80, "high")], "episode,score,mp")
    given = ["compare", folder / "run", "--human", path, "--out", tmp_path / "out"]
    assert code_of(*given) == 2
    assert "row 2: mp is 'high', which is not a number." in plain(capfd.readouterr().err)
    assert not (tmp_path / "out").exists()
