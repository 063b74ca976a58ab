"""Judges beside the main one: the same episodes, the same run, their own results."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.errors import EpisodeError, RunError, UnknownNameError, UsageError
from assay.jobs.audit import AuditSettings, audit
from assay.judges.base import Bound
from assay.judges.constant import Constant
from assay.judges.ramp import Ramp
from assay.records import Curve
from assay.reports.document import check_audit
from audit_killed import LAST, LOG, files_of, judged, make_source
from curve_files import write_csv
from killed import HOLD

# Each policy reaches one level in all its 5 episodes; the mirror judge turns the order round.
LEVELS = {"a": 0.9, "b": 0.6, "c": 0.2}
CURVES = {
    (f"{policy}{i}", "lift", policy): [0, level]
    for policy, level in LEVELS.items()
    for i in range(5)
}


@dataclass(frozen=True)
class Mirror:
    """A fixture: one minus the recorded progress; it fails on some episodes."""

    unseen: tuple[str, ...] = ()
    log: str = ""

    bound: ClassVar[Bound] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset({"progress"})
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return episode.signals["progress"].times

    def progress(self, episode, times):
        if self.log:
            with Path(self.log).open("a") as log:
                log.write(f"{episode.id} ")
        if episode.id in self.unseen and not Path(f"{self.log}.up").exists():
            raise EpisodeError("too dark to see", "refused")
        values = 1.0 - episode.signals["progress"].values
        return Curve(times, values, np.full(len(times), "ok"))


@dataclass(frozen=True)
class Distant(Mirror):
    """A fixture: the same judge behind a network."""

    bound: ClassVar[Bound] = "network"


@pytest.fixture
def source(tmp_path):
    return write_csv(tmp_path / "curves.csv", CURVES)


def run(source, *beside, name="run", **settings):
    settings = {"jobs": 1, **settings}
    out = source.parent / name
    result = audit([source], AuditSettings(out=out, beside=beside, **settings))
    check_audit(json.loads(result.text), out / "audit.json")
    return result


def rows_of(result, judge):
    rows = pq.read_table(result.out / "episodes.parquet").to_pylist()
    return {row["episode"]: row for row in rows if row["judge"] == judge}


def test_the_order_of_policies_by_hand(source):
    # MP by the recording .9 > .6 > .2; mirrored, every curve starts at 1, and that is its maximum:
    # all three are tied. Ramps end at 1 as well.
    result = run(source, Mirror(), "ramp")
    mirror, ramp = result.document["beside"]
    for beside in (mirror, ramp):
        (order,) = beside["orders"]
        assert (order["task"], order["by"], order["pairs"]) == ("lift", "mp", 3)
        assert [place["beside"] for place in order["policies"]] == [1, 1, 1]
        assert [place["main"] for place in order["policies"]] == pytest.approx([0.9, 0.6, 0.2])
        assert order["tied"] == [["a", "b"], ["a", "c"], ["b", "c"]]
        assert order["tau"]["value"] is None
    assert ramp["orders"][0]["tau"]["why"] == "ramp tells no two policies apart"
    assert (mirror["is_null"], ramp["is_null"]) == (False, True)


def test_swapped_pairs_are_named(source, tmp_path):
    # The mirror of .1 -> .2 is .9 -> .8: the lowest curve gets the highest MP.
    curves = {
        (f"{p}{i}", "lift", p): [start, start + 0.1]
        for p, start in (("a", 0.3), ("b", 0.2), ("c", 0.1))
        for i in range(5)
    }
    result = run(write_csv(tmp_path / "other.csv", curves), Mirror())
    (order,) = result.document["beside"][0]["orders"]
    # Five equal episodes may hide others, so that nothing of the order is settled.
    assert order["tau"] == {
        "value": -1.0,
        "low": -1.0,
        "high": 1.0,
        "n": 3,
        "method": "orders left open",
    }
    assert [swap["policies"] for swap in order["swapped"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert order["swapped"][0]["main"] == pytest.approx([0.4, 0.3])
    assert order["swapped"][0]["beside"] == pytest.approx([0.7, 0.8])


def test_the_difference_of_curves_by_hand(source):
    # [0, .9] against the ramp [0, 1]: moments differ by 0 and .1, so .05; b has .2 and c has .4.
    (ramp,) = run(source, "ramp").document["beside"]
    apart = [cell["difference"]["value"] for cell in ramp["cells"]]
    assert apart == pytest.approx([0.05, 0.2, 0.4])
    assert ramp["difference"]["value"] == pytest.approx((0.05 + 0.2 + 0.4) / 3)
    assert ramp["difference"]["n"] == 15


def test_a_judge_beside_says_what_it_says_alone(source):
    beside = run(source, "random", success_at=0.5, by=("policy",)).document["beside"][0]
    alone = run(source, judge="random", success_at=0.5, by=("policy",), name="alone").document
    for mine, other in zip(beside["cells"], alone["cells"], strict=True):
        shared = mine.keys() - {"difference"}
        assert {key: mine[key] for key in shared} == {key: other[key] for key in shared}
    assert beside["epsilon"] == alone["epsilon"]
    assert beside["judge"] == alone["judge"]


def test_the_main_judge_is_not_touched_by_those_beside_it(source):
    with_others, alone = run(source, "ramp", Mirror()), run(source, name="alone")
    for key in ("cells", "fingerprints", "judge", "epsilon", "success_source"):
        assert with_others.document[key] == alone.document[key]
    assert "beside" not in alone.document
    assert "beside" not in json.loads((alone.out / "run.json").read_text())["settings"]


def test_the_tables_hold_the_rows_of_all_judges(source):
    result = run(source, "ramp", "constant")
    curves = pq.read_table(result.out / "curves.parquet").to_pylist()
    found = [row["judge"] for row in curves]
    assert found == ["recorded"] * 30 + ["ramp"] * 30 + ["constant"] * 30
    assert [r["value"] for r in curves if (r["judge"], r["episode"]) == ("ramp", "b3")] == [0, 1]
    assert {row["mp"] for row in rows_of(result, "constant").values()} == {0.5}
    assert list(rows_of(result, "ramp")) == sorted(f"{p}{i}" for p in "abc" for i in range(5))


def test_an_episode_that_one_judge_can_not_score_is_scored_by_the_others(source):
    name = f"{Mirror.__module__}:Mirror"
    result = run(source, Mirror(unseen=("a0", "b1")), "ramp")
    assert not result.ok
    assert result.problems() == [
        f"Not scored by {name}, refused: 2 of 15 episodes, the first is a0: too dark to see"
    ]
    rows = rows_of(result, name)
    assert (rows["a0"]["status"], rows["a0"]["mp"]) == ("refused", None)
    assert rows_of(result, "recorded")["a0"]["status"] == "ok"
    mirror, ramp = result.document["beside"]
    first = mirror["cells"][0]
    assert first["status"] == {"ok": 4, "refused": 1}
    assert (first["mp"]["n"], first["mp"]["worst"]) == (4, 0.8)
    assert (first["difference"]["n"], mirror["difference"]["n"]) == (4, 13)
    # a policy with 4 episodes that both judges scored leaves no interval
    assert [place["n"] for place in mirror["orders"][0]["policies"]] == [4, 4, 5]
    assert ramp["cells"][0]["status"] == {"ok": 5}


def test_an_episode_that_nobody_can_score_leaves_no_order(source):
    everything = tuple(name for name, *_ in CURVES)
    (mirror,) = run(source, Mirror(unseen=everything)).document["beside"]
    (order,) = mirror["orders"]
    assert (order["policies"], order["pairs"], order["tau"]["n"]) == ([], 0, 0)
    assert mirror["difference"]["value"] is None
    assert (mirror["difference"]["worst"], mirror["difference"]["best"]) == (1, 0)


def test_a_judge_beside_is_tried_again_on_request_and_nothing_else_is(source, tmp_path):
    log = tmp_path / "log.txt"
    judge = Mirror(unseen=("a0", "b1"), log=str(log))
    assert not run(source, "ramp", judge).ok
    before = log.read_text()
    Path(f"{log}.up").touch()
    assert not run(source, "ramp", judge).ok  # a finished run is not done again by itself
    again = run(source, "ramp", judge, retry=True)
    assert again.ok
    assert log.read_text().removeprefix(before).split() == ["a0", "b1"]


def test_another_report_of_the_same_run_judges_nothing_again(source, tmp_path):
    log = tmp_path / "log.txt"
    judge = Mirror(log=str(log))
    run(source, judge, "ramp")
    again = run(source, judge, "ramp", by=("policy",))
    assert len(log.read_text().split()) == len(CURVES)
    at_once = run(source, judge, "ramp", by=("policy",), name="other")
    for name in ("audit.json", "episodes.parquet", "curves.parquet", "index.html", "run.json"):
        assert (again.out / name).read_bytes() == (at_once.out / name).read_bytes(), name


@pytest.mark.parametrize("others", [(), ("constant",), ("constant", "ramp"), ("ramp", "random")])
def test_other_judges_beside_are_another_run(source, others):
    run(source, "ramp", "constant")
    with pytest.raises(RunError, match="settings differ in beside"):
        run(source, *others)


@pytest.mark.parametrize(
    ("judge", "beside"),
    [
        ("ramp", ("ramp",)),
        ("recorded", ("ramp", Ramp())),
        ("recorded", (Constant(0.2), Constant(0.4))),
    ],
)
def test_the_same_judge_twice_is_refused(source, judge, beside):
    with pytest.raises(
        UsageError, match=r"The judge \S+ was asked for twice: name each judge once"
    ):
        run(source, *beside, judge=judge)
    assert not (source.parent / "run").exists()


def test_an_unknown_judge_beside_is_refused_with_the_nearest(source):
    with pytest.raises(UnknownNameError, match="Did you mean 'ramp'"):
        run(source, "rmp")


def test_judges_of_both_bounds_work_in_one_run(source):
    apart = run(source, Mirror(), Distant()).document["beside"]
    assert [beside["judge"]["bound"] for beside in apart] == ["cpu", "network"]
    assert apart[0]["cells"] == apart[1]["cells"]


def start(folder, source, hold=""):
    """Audit with a slow judge beside a quick one, in a process of its own."""
    command = [sys.executable, "-m", "assay", "audit", str(source), "--out", str(folder / "run")]
    judges = ["--judge", "ramp", "--beside", "audit_killed:Logged", "--beside", "constant"]
    tests = str(Path(__file__).parent.parent)
    return subprocess.Popen(
        [*command, *judges, "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": tests, LOG: str(folder / "judged.log"), HOLD: hold},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def stored(run, *, of):
    """The episodes that the journal has of the judge at a place."""
    journal = run / "journal.sqlite"
    if not journal.exists():
        return set()
    with closing(sqlite3.connect(journal)) as base:
        try:
            keys = [key for (key,) in base.execute("SELECT key FROM results")]
        except sqlite3.OperationalError:  # the table is not there yet
            return set()
    return {key.partition(":")[2] for key in keys if key.startswith(f"{of}:")}


def test_a_killed_run_goes_on_with_every_judge_where_it_was(tmp_path):
    source = make_source(tmp_path)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert start(whole, source).wait() == 0
    process = start(killed, source, hold=LAST)
    while process.poll() is None and not stored(killed / "run", of=1):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.3)  # workers notice that their parent is gone and end
    kept, before = stored(killed / "run", of=1), len(judged(killed))
    assert kept
    assert stored(killed / "run", of=0)
    assert start(killed, source).wait() == 0
    assert kept & set(judged(killed)[before:]) == set()
    assert files_of(killed / "run") == files_of(whole / "run")
