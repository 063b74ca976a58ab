"""`assay audit --beside` on the command line."""

import csv
import io

import pytest

from assay.cli._app import run
from curve_files import write_csv


@pytest.fixture
def curves(tmp_path):
    return write_csv(
        tmp_path / "curves.csv",
        {(f"{p}-{i}", "lift", p): [0, i / 5] for p in ("pi0", "act", "vla") for i in range(6)},
    )


def assay(*arguments):
    """Run a command; return its exit code."""
    with pytest.raises(SystemExit) as caught:
        run([str(a) for a in arguments])
    return caught.value.code or 0


def test_the_table_of_other_judges_follows_the_summary(curves, tmp_path, capsys):
    beside = ("--beside", "ramp", "--beside", "last-frame")
    assert assay("audit", curves, "--out", tmp_path / "run", "--jobs", 1, *beside) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "judge task policies tau-b swapped tied" in printed
    assert "ramp lift 3 n/a 0 of 3" in printed
    assert "No tau-b or no interval: recorded tells no two policies apart." in printed


def test_csv_has_the_figures_of_every_judge(curves, tmp_path, capsys):
    form = ("--beside", "constant", "--format", "csv")
    assert assay("audit", curves, "--out", tmp_path / "run", "--jobs", 1, *form) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = {(row["policy"], row["metric"]): row["value"] for row in rows}
    assert found["pi0", "beside:constant:mp"] == "0.5"
    assert float(found["pi0", "mp"]) == pytest.approx(0.5)  # (0 + .2 + .4 + .6 + .8 + 1) / 6
    assert ("pi0", "beside:constant:success_end") not in found


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--judge", "ramp", "--beside", "ramp"), "The judge ramp was asked for twice"),
        (("--beside", "ramp", "--beside", "ramp"), "The judge ramp was asked for twice"),
        (("--beside", "last-fram"), "Did you mean 'last-frame'?"),
        (("--beside", "math:nothing"), "math"),
    ],
)
def test_bad_judges_are_one_sentence_and_nothing_is_run(curves, tmp_path, capsys, asked, said):
    assert assay("audit", curves, "--out", tmp_path / "run", *asked) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)
    assert not (tmp_path / "run").exists()
