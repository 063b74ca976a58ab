"""The command line end to end: what it prints, where, and how it exits."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from assay import plugins
from assay.cli._app import run
from curve_files import write_csv

FALL = [0, 1, 0, 0, 0]


@pytest.fixture
def curves(tmp_path):
    return write_csv(
        tmp_path / "curves.csv",
        {(f"e{i}", "lift", policy): FALL for policy in ("pi0", "act") for i in range(3)}
        | {(f"{p}-{i}", "lift", p): [0, i / 5] for p in ("pi0", "act") for i in range(6)},
    )


@pytest.fixture
def curves_of_two(tmp_path):
    return write_csv(
        tmp_path / "curves.csv",
        {(f"{p}-{i}", "lift", p): [0, i / 5] for p in ("pi0", "act") for i in range(6)},
        success={f"{p}-{i}": i == 5 for p in ("pi0", "act") for i in range(6)},
    )


def assay(*arguments):
    """Run a command; return its exit code."""
    with pytest.raises(SystemExit) as caught:
        run([str(a) for a in arguments])
    return caught.value.code or 0


def test_an_audit_prints_its_table_and_says_where_the_report_is(curves_of_two, tmp_path, capsys):
    assert assay("audit", curves_of_two, "--out", tmp_path / "run", "--jobs", 1) == 0
    printed = capsys.readouterr()
    assert "pi0" in printed.out
    assert f"Report: {tmp_path / 'run' / 'index.html'}" in printed.err


def test_json_is_one_document_and_the_one_in_the_folder(curves_of_two, tmp_path, capsys):
    assert assay("audit", curves_of_two, "--out", tmp_path / "run", "--jobs", 1, "--json") == 0
    printed = capsys.readouterr().out
    assert printed == (tmp_path / "run" / "audit.json").read_text()
    assert json.loads(printed)["schema"] == "assay.audit/1"


def test_tables_as_csv_hold_the_numbers_of_the_document(curves_of_two, tmp_path, capsys):
    assay("audit", curves_of_two, "--out", tmp_path / "run", "--jobs", 1, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = {(r["policy"], r["metric"]): r["value"] for r in rows}
    # the mean of 0, .2, .4, .6, .8, 1
    assert float(found["act", "mp"]) == pytest.approx(0.5)


def test_tables_as_markdown(curves_of_two, tmp_path, capsys):
    assay("audit", curves_of_two, "--out", tmp_path / "run", "--jobs", 1, "--format", "md")
    assert "| lift | act |" in capsys.readouterr().out


def test_show_prints_a_finished_run_again(curves_of_two, tmp_path, capsys):
    assay("audit", curves_of_two, "--out", tmp_path / "run", "--jobs", 1, "--json")
    first = capsys.readouterr().out
    assert assay("show", tmp_path / "run", "--json") == 0
    assert capsys.readouterr().out == first


def test_show_of_no_run_is_one_sentence(tmp_path, capsys):
    assert assay("show", tmp_path) == 2
    assert (
        capsys.readouterr().err == f"assay: {tmp_path} is no run directory: it has no run.json.\n"
    )


@pytest.mark.parametrize("text", ['{"schema": "assay.audit/1"}', '{"a": NaN}', "[" * 100_000, "{"])
def test_show_of_a_tampered_run_is_one_sentence(curves_of_two, tmp_path, capsys, text):
    assay("audit", curves_of_two, "--out", tmp_path / "run", "--jobs", 1, "--json")
    capsys.readouterr()
    (tmp_path / "run" / "audit.json").write_text(text)
    assert assay("show", tmp_path / "run") == 2
    assert capsys.readouterr().err.count("\n") == 1


def finished_run(folder, verb, **document):
    """Write a run directory of a verb, with what is given in its document."""
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"verb": verb}))
    (folder / f"{verb}.json").write_text(json.dumps({"schema": f"assay.{verb}/1", **document}))
    return folder


@pytest.mark.parametrize("verb", ["certify", "train", "build", "bench"])
def test_show_prints_the_document_of_every_verb_and_doubts_a_broken_one(verb, tmp_path, capsys):
    run = finished_run(tmp_path / "run", verb, odd=1)
    assert assay("show", run, "--json") == 0
    assert json.loads(capsys.readouterr().out)["odd"] == 1
    assert assay("show", run) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"assay: {run}/{verb}.json is not whole (")
    assert told.count("\n") == 1


@pytest.mark.parametrize("verb", ["build", "bench"])
def test_show_doubts_a_broken_document_of_the_benchmark_of_glitches(verb, tmp_path, capsys):
    run = finished_run(tmp_path / "run", verb, settings={"benchmark": "glitches"})
    assert assay("show", run) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"assay: {run}/{verb}.json is not whole (")
    assert told.count("\n") == 1


def test_a_path_too_long_is_one_sentence(capsys):
    assert assay("show", "x" * 5000) == 2
    assert "File name too long" in capsys.readouterr().err


def test_doctor_in_a_folder_that_can_not_be_written_says_so(monkeypatch, capsys):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    assert assay("doctor") == 1
    assert "FAIL  database" in capsys.readouterr().out


def test_an_unscored_episode_exits_1_and_the_rest_finish(tmp_path, capsys):
    source = write_csv(tmp_path / "c.csv", {("a", "t", "p"): [0, 2], ("b", "t", "p"): [0, 1]})
    assert assay("audit", source, "--out", tmp_path / "run", "--jobs", 1, "--json") == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["cells"][0]["status"] == {"invalid_value": 1, "ok": 1}
    assert "Not scored, invalid_value: 1 of 2 episodes, the first is a: progress 2" in printed.err


def test_duplicate_ids_stop_before_anything_is_written(curves, tmp_path, capsys):
    assert assay("audit", curves, "--out", tmp_path / "run") == 2
    error = capsys.readouterr().err
    assert error.startswith("assay: ")
    assert error.count("\n") == 1
    assert "'e0'" in error
    assert not (tmp_path / "run").exists()


BAD_INPUT = {
    "missing column": (
        "episode,task,policy,time,progress\na,t,p,0,1\n",
        "the column 't' is missing",
    ),
    "wrong type": ("episode,task,policy,t,progress\na,t,p,0,high\n", "row 2"),
    "no rows": ("episode,task,policy,t,progress\n", "has no rows"),
    "empty file": ("", ""),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_a_bad_table_is_one_sentence_and_exit_2(name, tmp_path, capsys):
    text, sentence = BAD_INPUT[name]
    source = tmp_path / "curves.csv"
    source.write_text(text)
    assert assay("audit", source, "--out", tmp_path / "run") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert str(source) in error
    assert sentence in error
    assert not (tmp_path / "run").exists()


def test_an_unknown_judge_names_the_nearest(curves_of_two, tmp_path, capsys):
    assert assay("audit", curves_of_two, "--judge", "recordd", "--out", tmp_path / "run") == 2
    assert "Did you mean 'recorded'" in capsys.readouterr().err


def test_a_goal_is_refused_by_a_judge_that_takes_none(curves_of_two, tmp_path, capsys):
    assert assay("audit", curves_of_two, "--goal", "x.png", "--out", tmp_path / "run") == 2
    assert "--goal is for judges that compare with a goal, and recorded does not" in (
        capsys.readouterr().err
    )


def test_a_missing_path_names_the_nearest(curves_of_two, tmp_path, capsys):
    assert assay("audit", tmp_path / "curvs.csv", "--out", tmp_path / "run") == 2
    assert "curves.csv" in capsys.readouterr().err


def test_list_shows_every_kind(capsys):
    assert assay("list") == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("last-frame", "lerobot", "video-folder", "pti"))


def test_list_of_an_unknown_kind_names_the_nearest(capsys):
    assert assay("list", "judge") == 2
    assert "Did you mean 'judges'" in capsys.readouterr().err


def test_a_plugin_that_cannot_be_loaded_does_not_hide_the_others(monkeypatch, capsys):
    class Point:
        name, value = "mine", "nowhere:Mine"

        def load(self):
            raise ImportError("no module")

    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [Point()] * (group == "assay.judges")
    )
    assert assay("list", "judges", "--json") == 0
    printed = json.loads(capsys.readouterr().out)["judges"]
    assert "can't be loaded: no module" in printed["mine"]
    assert printed["ramp"]


def test_doctor_finds_this_machine_fit(capsys):
    assert assay("doctor") == 0
    assert "H.264 decoding" in capsys.readouterr().out


def test_init_writes_the_command_that_works(curves_of_two, capsys):
    assert assay("init", curves_of_two) == 0
    printed = capsys.readouterr().out
    assert "12 episodes" in printed
    assert f"assay audit {curves_of_two} --judge recorded --out report" in printed


def test_every_verb_has_help_with_an_example(capsys):
    for verb in ("demo", "audit", "rollout", "init", "show", "list", "doctor"):
        assert assay(verb, "--help") == 0
        assert f"Example: assay {verb}" in " ".join(capsys.readouterr().out.split())


def test_version(capsys):
    assert assay("--version") == 0
    assert capsys.readouterr().out.startswith("assay 0.")


def test_the_installed_command_runs_on_its_own(curves_of_two, tmp_path):
    command = [sys.executable, "-m", "assay", "audit", str(curves_of_two)]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "run"), "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        check=False,
    )
    assert (done.returncode, done.stderr.splitlines()[:-1]) == (0, [])
    assert json.loads(done.stdout)["cells"][0]["n"] == 6


@pytest.mark.parametrize("verb", ["list", "doctor"])
def test_every_verb_prints_json_on_request(verb, capsys):
    assert assay(verb, "--json") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == f"assay.{verb}/1"


def test_init_prints_json_on_request(curves_of_two, capsys):
    assert assay("init", curves_of_two, "--json") == 0
    assert json.loads(capsys.readouterr().out)["command"].startswith("assay audit ")


def test_a_reader_that_goes_away_is_no_traceback(curves_of_two, tmp_path):
    command = f"{sys.executable} -m assay audit {curves_of_two} --out {tmp_path / 'run'} --json"
    done = subprocess.run(f"{command} | head -c 1", shell=True, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert done.stdout == b"{"


def test_a_bug_is_told_apart_from_a_finished_run(monkeypatch, capsys):
    def broken():
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("assay.jobs.doctor.examine", broken)
    assert assay("doctor") == 3
    assert "this is a bug" in capsys.readouterr().err
