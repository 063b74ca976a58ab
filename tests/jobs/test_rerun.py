"""The same folder again: another report, another try, another judge."""

import errno
import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.errors import RunError
from assay.jobs.audit import AuditSettings, audit
from assay.judges import make_judge
from assay.judges.base import Bound
from assay.records import Curve
from curve_files import write_csv

CURVES = {(name, "t", "p"): [0, 0.5, 1] for name in "abc"}


@dataclass(frozen=True)
class Counted:
    """A fixture: take the recorded values, note each episode, and do as `odd` says with "b"."""

    log: str  # not a Path: what a path holds is part of the judge
    odd: str = "fine"
    weights: tuple[float, ...] = (1.0,)

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress"})
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return episode.signals["progress"].times

    def progress(self, episode, times):
        with Path(self.log).open("a") as log:
            log.write(episode.id)
        values, status = episode.signals["progress"].values, np.full(len(times), "ok")
        if (
            episode.id == "b"
            and self.odd == "server down"
            and not Path(self.log).with_name("up").exists()
        ):
            raise ConnectionError("nobody answers")
        if episode.id == "b" and self.odd == "too high":
            values = values + 1.0
        if episode.id == "b" and self.odd == "nan":
            values = values * np.nan
        return Curve(times, values, status)


@pytest.fixture
def source(tmp_path):
    return write_csv(tmp_path / "curves.csv", CURVES)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log.txt"


def run(source, log, odd="fine", **settings):
    out = source.parent / "run"
    return audit([source], AuditSettings(out=out, judge=Counted(str(log), odd), jobs=1, **settings))


def test_another_report_of_the_same_run_judges_nothing_again(source, log):
    first = run(source, log)
    again = run(source, log, by=("policy",), epsilon=0.6, success_at=1.0)
    assert log.read_text() == "abc"
    assert [cell["group"] for cell in again.document["cells"]] == [{"policy": "p"}]
    # both steps of every curve are .5: below .6, above the .01 assumed at first
    assert (
        first.document["cells"][0]["str"]["value"],
        again.document["cells"][0]["str"]["value"],
    ) == (0, 1)
    assert json.loads((again.out / "run.json").read_text())["settings"]["epsilon"] == 0.6


def test_a_report_made_anew_has_the_bytes_of_one_made_at_once(source, log, tmp_path):
    run(source, log)
    run(source, log, by=("policy",))
    other = tmp_path / "other"
    audit([source], AuditSettings(out=other, judge=Counted(str(log)), jobs=1, by=("policy",)))
    for name in ("audit.json", "episodes.parquet", "curves.parquet", "index.html", "run.json"):
        assert (tmp_path / "run" / name).read_bytes() == (other / name).read_bytes(), name


def test_failures_are_tried_again_on_request_and_nothing_else_is(source, log):
    assert run(source, log, "server down").document["cells"][0]["status"] == {
        "invalid_value": 1,
        "ok": 2,
    }
    log.with_name("up").touch()
    assert not run(source, log, "server down").ok  # a finished run is not done again by itself
    again = run(source, log, "server down", retry=True)
    assert again.ok
    assert log.read_text() == "abcb"


@pytest.mark.parametrize("odd", ["too high", "nan"])
def test_a_judge_that_breaks_its_contract_costs_its_episode(source, log, odd):
    result = run(source, log, odd)
    rows = {r["episode"]: r for r in pq.read_table(result.out / "episodes.parquet").to_pylist()}
    assert {name: row["status"] for name, row in rows.items()} == {
        "a": "ok",
        "b": "invalid_value",
        "c": "ok",
    }
    assert "the judge breaks its contract" in rows["b"]["detail"]


def test_options_that_json_writes_otherwise_are_still_the_same_run(source, log):
    # a tuple comes back from run.json as a list
    assert run(source, log).document == run(source, log).document


def test_an_edited_judge_is_another_judge(source, tmp_path, monkeypatch):
    module = tmp_path / "edited_judge.py"
    text = "def judge(frames, instruction):\n    return [0.5] * len(frames)\n"
    module.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    judge = make_judge("edited_judge:judge", outside=True)
    settings = AuditSettings(out=tmp_path / "run", judge=judge, jobs=1)
    audit([source], settings)
    module.write_text(text.replace("0.5", "0.7"))
    with pytest.raises(RunError, match="settings differ in judge"):
        audit([source], settings)


def test_leftovers_of_a_finished_run_do_no_harm(source, log):
    result = run(source, log)
    (result.out / "journal.sqlite.lock").touch()
    assert run(source, log).document == result.document


def test_a_full_disk_is_one_sentence_and_loses_nothing(source, log, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("assay.jobs._tables.write_file", full)
        with pytest.raises(RunError, match=r"The disk of .* is full\. What was finished is kept"):
            run(source, log)
    assert run(source, log).ok
    assert log.read_text() == "abc"


@pytest.mark.parametrize("fault", [errno.EACCES, errno.EROFS])
def test_a_folder_that_can_not_be_written_is_one_sentence(source, log, monkeypatch, fault):
    def refuse(self, *arguments, **options):
        raise OSError(fault, "no")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(RunError, match="can't be written: no"):
        run(source, log)
