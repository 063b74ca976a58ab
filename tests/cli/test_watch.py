"""assay compare --watch: a line for each change, one table in every form, and exit codes."""

from __future__ import annotations

import csv
import io
import json

import pytest

from assay.cli._app import run
from assay.jobs import watch as job
from compared_made import policy_run
from watched_made import grow


def code_of(*arguments: object) -> int:
    """Run the command and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run([str(argument) for argument in arguments])
    return stopped.value.code or 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with finished audits of two policies in nine common scenes."""
    root = tmp_path_factory.mktemp("watch")
    policy_run(root, "a", [1.0] * 9)
    policy_run(root, "b", [0.1] * 9)
    return root


def ask(folder, *more):
    runs = [f"{name}={folder / f'run-{name}'}" for name in "ab"]
    return ["compare", "--watch", *runs, "--out", folder / "out", *more]


def test_every_form_tells_the_same(folder, capfd):
    assert code_of(*ask(folder)) == 0
    out, err = capfd.readouterr()
    lines = [line for line in out.splitlines() if line.startswith(("mp: ", "success_end: "))]
    assert [line.partition(":")[0] for line in lines] == ["mp", "success_end"]
    # Nine wins are just enough when the error is split over two streams.
    assert "success_end: a - b +100.0 [" in lines[1]
    assert lines[1].endswith("points after 9 pairs: stop, a has the higher share (decided after 9)")
    assert f"Report: {folder / 'out' / 'index.html'}" in err
    assert code_of(*ask(folder, "--json")) == 0
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert out == (folder / "out" / "watch.json").read_text()
    assert document["schema"] == "assay.watch/1"
    assert lines[1] in err
    assert code_of(*ask(folder, "--format", "md")) == 0
    assert "| success at the end | a less b | +100.0 [" in capfd.readouterr().out
    assert code_of(*ask(folder, "--format", "csv")) == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    assert [(row["metric"], row["verdict"]) for row in rows][1] == ("success_end", "above")


def test_ctrl_c_ends_politely_and_loses_nothing(folder, tmp_path, monkeypatch, capfd):
    one, two = grow(tmp_path, folder / "run-a", folder / "run-b")
    one.put(*(f"e{k}" for k in range(9)))
    looks = []

    def waited(seconds):
        looks.append(seconds)
        if len(looks) == 2:
            raise KeyboardInterrupt
        two.put(*(f"e{k}" for k in range(6)))

    monkeypatch.setattr(job.time, "sleep", waited)
    given = [one.path, two.path, "--metric", "mp", "--every", "3", "--out", tmp_path / "out"]
    assert code_of("compare", "--watch", *given) == 130
    out, err = capfd.readouterr()
    assert looks == [3.0, 3.0]
    # A line when it begins and one when pairs have come, and none for a look that shows the same.
    assert [line.split(":")[1].partition("after ")[2] for line in out.splitlines()] == [
        "0 pairs",
        "6 pairs",
    ]
    assert "stopped. Run the same command again to go on." in err
    assert json.loads((tmp_path / "out" / "watch.json").read_text())["streams"][0]["pairs"] == 6
    assert 'http-equiv="refresh"' in (tmp_path / "out" / "index.html").read_text()
    one.stop()
    two.stop()


def test_options_that_do_not_go_together(folder, capfd):
    for given, said in (
        (ask(folder, "--human", "x.csv"), "--watch goes with --metric"),
        (ask(folder, "--pair", "none"), "--watch goes with --metric"),
        (ask(folder, "--margin", "100"), "--margin is above 0 and below 100 points"),
        (ask(folder, "--metric", "duration_s"), "'duration_s' has no upper end"),
        (ask(folder, "--bets", "sign"), "There is no kind of --bets named 'sign'"),
        ([*ask(folder)[:1], *ask(folder)[2:], "--once"], "go with --watch"),
        ([*ask(folder)[:1], *ask(folder)[2:], "--bets", "mean"], "go with --watch"),
    ):
        assert code_of(*given) == 2
        assert said in " ".join(capfd.readouterr().err.split())
