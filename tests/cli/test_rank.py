"""assay rank: four forms of one table, exit codes, and one sentence for what is wrong."""

from __future__ import annotations

import csv
import io
import json

import pytest

from assay.cli._app import run
from votes_made import counted, write

GAMES = {("x|1", "y"): (30, 10, 5), ("y", "z"): (12, 8, 0), ("z", "x|1"): (4, 9, 1)}


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


@pytest.fixture
def votes(tmp_path):
    rows = [(*row, f"t{k % 2}", f"r{k % 8}") for k, row in enumerate(counted(GAMES))]
    return write(tmp_path / "votes.csv", rows, "a,b,outcome,task,rater")


def test_every_form_tells_the_same(votes, tmp_path, capfd):
    out = tmp_path / "out"
    asked = ["rank", votes, "--by", "task", "--cluster", "rater", "--out", out]
    assert code_of(*asked, "--json") == 0
    said, err = capfd.readouterr()
    document = json.loads(said)
    assert said == (out / "rank.json").read_text()
    assert f"Report: {out / 'index.html'}" in err
    assert document["schema"] == "assay.rank/1"
    best = document["policies"][0]
    assert code_of(*asked, "--format", "md") == 0
    assert "| x\\|1 | 1 | " in capfd.readouterr().out
    assert code_of(*asked, "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    assert [row["task"] for row in rows] == [*[""] * 3, *["t0"] * 3, *["t1"] * 3]
    assert (rows[0]["name"], float(rows[0]["beta"])) == ("x|1", best["beta"])
    assert code_of(*asked) == 0
    text = capfd.readouterr().out
    assert f"{best['beta']:+.2f} [{best['low']:+.2f}, {best['high']:+.2f}]" in text
    assert "The next vote tells most on" in text


def test_without_out_there_is_an_answer_and_no_file(votes, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert code_of("rank", votes, "--json") == 0
    said, err = capfd.readouterr()
    assert (len(json.loads(said)["policies"]), err) == (3, "")
    assert sorted(tmp_path.iterdir()) == [votes]


def test_exit_1_explains_what_has_no_strength(tmp_path, capfd):
    path = write(tmp_path / "v.csv", counted({**GAMES, ("king", "y"): (6, 0, 0)}))
    assert code_of("rank", path, "--json") == 1
    said, err = capfd.readouterr()
    king = json.loads(said)["policies"][-1]
    assert (king["name"], king["beta"]) == ("king", None)
    assert "king won all 6 decisive votes against others" in err
    assert code_of("rank", path, "--regularise", "--json") == 0
    assert json.loads(capfd.readouterr().out)["policies"][0]["beta"] is not None


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("x,x,a\n", "", "v.csv, row 2: a and b are both 'x'"),
        ("x,y,a\nx,y,\n", "", "v.csv, row 3: 'outcome' is empty; allowed: a, b, tie."),
        ("", "", "v.csv: has no votes."),
        ("x,y,a\n", "", "v.csv: has one vote; a ranking needs at least 2."),
        ("x,y,tie\nx,y,tie\n", "", "v.csv: all 2 votes are ties"),
        ("pi0,act,a\npi0,act,b\n", "--policies pi0,atc", "named 'atc'. Did you mean 'act'?"),
        ("x,y,a\nx,y,b\n", "--cluster ratre", "Did you mean 'rater'?"),
    ],
)
def test_exit_2_is_one_sentence(tmp_path, capfd, text, more, said):
    path = tmp_path / "v.csv"
    path.write_text("a,b,outcome\n" + text)
    assert code_of("rank", path, "--out", tmp_path / "out", *more.split()) == 2
    out, err = capfd.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)
    assert not (tmp_path / "out").exists()
