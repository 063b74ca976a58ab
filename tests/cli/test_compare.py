"""assay compare: four forms of one table, exit codes, and one sentence for what is wrong."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from assay.cli._app import run
from assay.reports import compare_tables
from compared_made import A, B, policy_run
from human_made import ENDS, audited, scores


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with two audits and the scores of three raters."""
    root = tmp_path_factory.mktemp("compare")
    audited(root, "images", beside=("ramp",))
    audited(root, "both", ends={name: end**2 for name, end in ENDS.items()})
    rows = [
        (name, round(100 * min(1.0, 0.9 * end + 0.05 * k)), f"r{k}")
        for k in range(3)
        for name, end in ENDS.items()
    ]
    scores(root / "scores.csv", rows, "episode,score,rater")
    return root


def ask(folder, *more):
    runs = [f"{name}={folder / name}" for name in ("images", "both")]
    return ["compare", *runs, "--human", folder / "scores.csv", "--out", folder / "out", *more]


def test_every_form_tells_the_same(folder, capfd):
    assert code_of(*ask(folder, "--json")) == 0
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert out == (folder / "out" / "compare.json").read_text()
    assert f"Report: {folder / 'out' / 'index.html'}" in err
    names = [(row["judge"], row["setting"]) for row in document["rows"]]
    assert names == [("recorded", "images"), ("ramp", "images"), ("recorded", "both")]
    assert code_of(*ask(folder, "--format", "md")) == 0
    out = capfd.readouterr().out
    assert "| recorded · images | 6 | " in out
    assert "ICC(1) of a single score" in out
    assert code_of(*ask(folder, "--format", "csv")) == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    value = document["rows"][2]["pearson"]["value"]
    found = [r for r in rows if (r["setting"], r["figure"]) == ("both", "pearson")]
    assert [float(r["value"]) for r in found] == [value]
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(compare_tables.to_terminal(document))
    text = console.export_text()
    assert "Of the judges, recorded · images goes with them best" in text
    assert text.index("recorded · both") < text.index("ramp · images")


def test_exit_1_tells_what_is_missing(folder, tmp_path, capfd):
    lost = scores(tmp_path / "s.csv", [("a", 10), ("b", 20), ("zz", 90)])
    given = ["compare", folder / "images", "--human", lost, "--out", tmp_path / "out"]
    assert code_of(*given) == 1
    assert "No run has 1 of the episodes that people scored" in capfd.readouterr().err


def test_exit_2_says_what_to_do(folder, tmp_path, capfd):
    out = ["--out", tmp_path / "out"]
    assert code_of("compare", folder / "images", *out) == 2
    assert "--human FILE" in capfd.readouterr().err
    doubt = scores(tmp_path / "s.csv", [("a", 0), ("b", 1)])
    assert code_of("compare", folder / "images", "--human", doubt, *out) == 2
    assert "--scale 1 or --scale 100" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def policies(tmp_path_factory):
    """Return a folder with audits of two policies in six common scenes, and of one with a gap."""
    root = tmp_path_factory.mktemp("policies")
    policy_run(root, "a", A)
    policy_run(root, "b", B)
    policy_run(root, "c", (*B[:5], None))
    return root


def ask_policies(folder, *more, names="ab"):
    runs = [f"{name}={folder / f'run-{name}'}" for name in names]
    return ["compare", *runs, "--metric", "mp", "--out", folder / f"out-{names}", *more]


def test_policies_in_every_form(policies, capfd):
    assert code_of(*ask_policies(policies, "--json")) == 0
    out = capfd.readouterr().out
    document = json.loads(out)
    assert out == (policies / "out-ab" / "compare.json").read_text()
    assert (document["kind"], document["schema"]) == ("policies", "assay.compare/1")
    assert code_of(*ask_policies(policies, "--format", "md")) == 0
    out = capfd.readouterr().out
    # By hand: .2 higher in six scenes, and 2 of 64 ways to flip the signs are as far out.
    assert out.startswith("a gets further than b: MP 20.0 points higher [")
    assert "6 paired scenes, p = 0.031." in out
    assert "| MP | a less b | all | +20.0 [" in out
    assert code_of(*ask_policies(policies, "--format", "csv")) == 0
    (row,) = csv.DictReader(io.StringIO(capfd.readouterr().out))
    assert (row["a"], row["b"], row["separable"]) == ("a", "b", "True")
    assert float(row["value"]) == pytest.approx(0.2)
    assert code_of("show", policies / "out-ab") == 0
    assert "a gets further than b" in " ".join(capfd.readouterr().out.split())


def test_policies_exit_codes(policies, tmp_path, capfd):
    assert code_of(*ask_policies(policies, names="ac")) == 1
    assert "c: 1 of 6 episodes have no mp; left out, not 0." in capfd.readouterr().err
    out = ["--out", tmp_path / "out"]
    given = ["compare", policies / "run-a", policies / "run-b", *out]
    for more, said in (
        (["--metric", "mpl"], "There is no metric named 'mpl'. Did you mean"),
        (["--pair", "scen"], "There is no way to --pair named 'scen'. Did you mean 'scene'?"),
        (["--level", "2"], "--level is a share from 0.5 to below 1, not 2."),
        (["--metric", "mp", "--human", "x.csv"], "Choose one: --metric compares policies"),
    ):
        assert code_of(*given, *more) == 2
        assert said in " ".join(capfd.readouterr().err.split())
    assert not (tmp_path / "out").exists()
