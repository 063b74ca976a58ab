"""Judges against people: figures by hand, unscored is not zero, and what is refused."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError, RunError, UnknownNameError, UsageError
from assay.jobs.compare import CompareSettings, compare
from assay.reports.compare_tables import to_markdown
from human_made import ENDS, audited, scores


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with two audits: `run`, with a clock beside, and `gaps`, with a gap in f."""
    root = tmp_path_factory.mktemp("human")
    audited(root, "run", beside=("ramp", "constant"))
    audited(root, "gaps", missing=("f",), beside=("ramp",))
    return root


def compared(folder, tmp_path, rows, *, runs=("run",), header="episode,score", **settings):
    path = scores(tmp_path / "scores.csv", rows, header)
    asked = [f"{name}={folder / name}" if len(runs) > 1 else folder / name for name in runs]
    return compare(asked, CompareSettings(tmp_path / "out", path, **settings))


def row(result, judge, setting=""):
    found = [r for r in result.document["rows"] if (r["judge"], r["setting"]) == (judge, setting)]
    assert len(found) == 1
    return found[0]


def test_a_judge_that_says_what_people_say(folder, tmp_path):
    # The last 30 % of 10 moments are 3, all at the end value; people say the same, half a point
    # of ten lower on the scale: score 100 * (0.8 * end + 0.1).
    rows = [(name, 100 * (0.8 * end + 0.1)) for name, end in ENDS.items()]
    result = compared(folder, tmp_path, rows)
    own = row(result, "recorded")
    # judge = end, people = .8 end + .1: end = 1.25 people - .125. |end - people| = |.2 end - .1|:
    # .1 .06 .02 .02 .06 .1, mean .06; the signs cancel.
    assert own["pearson"]["value"] == pytest.approx(1.0)
    assert own["slope"]["value"] == pytest.approx(1.25)
    assert own["intercept"]["value"] == pytest.approx(-0.125)
    assert own["error"]["value"] == pytest.approx(0.06)
    assert own["bias"]["value"] == pytest.approx(0.0, abs=1e-12)
    assert (own["n"], own["status"]) == (6, {"ok": 6})
    assert result.ok
    assert json.loads(result.text) == result.document


def test_null_judges_stand_beside(folder, tmp_path):
    result = compared(folder, tmp_path, [(name, 100 * end) for name, end in ENDS.items()])
    # Clocks of equal length end alike: neither null tells the episodes apart.
    assert [r["null"] for r in result.document["rows"]] == [False, True, True]
    assert row(result, "ramp")["pearson"]["why"] == "the judge's score never changes"
    assert row(result, "ramp")["slope"]["value"] == pytest.approx(0.0, abs=1e-12)
    assert result.document["best_null"] is None
    assert row(result, "recorded")["lift"] is None


def test_what_an_audit_says_of_a_passport_is_carried_on(folder, tmp_path):
    result = compared(folder, tmp_path, [(name, 100 * end) for name, end in ENDS.items()])
    audit = json.loads((folder / "run" / "audit.json").read_text())
    known = {one["judge"]["name"]: one["judge"]["passport"] for one in audit["beside"]}
    assert known["ramp"]["warnings"]
    assert row(result, "ramp")["passport"] == known["ramp"]
    assert row(result, "recorded")["passport"] is None
    page = (result.out / "index.html").read_text()
    assert known["ramp"]["summary"] in page
    hint = "- recorded: no passport: run `assay certify recorded --out passport`."
    assert hint in to_markdown(result.document)


def test_the_lift_over_a_clock_at_moments(folder, tmp_path):
    # People score moments as the recording has them, so its correlation is 1.
    rows = [(n, end * min(t, 6) / 6, t) for n, end in ENDS.items() for t in (0, 3, 6, 9)]
    result = compared(folder, tmp_path, rows, header="episode,score,time")
    own, clock = row(result, "recorded"), row(result, "ramp")
    assert (own["n"], own["points"]) == (6, 24)
    assert own["pearson"]["value"] == pytest.approx(1.0)
    assert 0 < clock["pearson"]["value"] < 1
    assert own["lift"]["over"] == result.document["best_null"] == "ramp"
    assert own["lift"]["value"] == pytest.approx(1 - clock["pearson"]["value"])
    assert own["lift"]["low"] < own["lift"]["value"] < own["lift"]["high"]


def test_moments_between_and_beyond(folder, tmp_path):
    # f rises by 1/6 a second: at 1.5 s it is .25. One step past the end the last value holds,
    # and 2 s past it nothing is known.
    rows = [("f", 0.25, 1.5), ("f", 1, 10), ("f", 0.5, 11)]
    result = compared(folder, tmp_path, rows, header="episode,score,time")
    table = pq.read_table(tmp_path / "out" / "points.parquet").to_pylist()
    own = [r for r in table if r["judge"] == "recorded"]
    assert [r["value"] for r in own] == [pytest.approx(0.25), 1.0, None]
    assert own[2]["status"] == "missing_frame"
    assert own[2]["detail"] == "the judge saw 0 to 9 s, people scored 11 s"
    assert not result.ok


def test_unscored_is_not_zero(folder, tmp_path):
    rows = [(name, 100 * end) for name, end in ENDS.items()]
    result = compared(folder, tmp_path, rows, runs=("run", "gaps"))
    whole, gaps = row(result, "recorded", "run"), row(result, "recorded", "gaps")
    assert gaps["status"] == {"missing_frame": 1, "ok": 5}
    assert (whole["n"], gaps["n"]) == (6, 5)
    # All five errors are 0; the sixth could be anything up to 1.
    assert gaps["error"]["value"] == pytest.approx(0.0)
    assert gaps["error"]["worst"] == pytest.approx(1 / 6)
    assert result.problems()[0].startswith("Not scored by recorded (gaps): 1 missing_frame")
    # The clock of both runs says the same: one row for both.
    assert [r["also"] for r in result.document["rows"] if r["judge"] == "ramp"] == [["gaps"]]


def test_a_run_that_filled_its_gaps_is_read_so(tmp_path):
    run = audited(tmp_path, "filled", missing=("f",), fill="previous")
    rows = [(name, 100 * end) for name, end in ENDS.items()]
    result = compared(run.parent, tmp_path, rows, runs=("filled",))
    assert (row(result, "recorded")["n"], row(result, "recorded")["fill"]) == (6, "previous")


@pytest.mark.parametrize(("how", "expected"), [("last30", 0.9), ("end", 0.7), ("max", 1.0)])
def test_three_ways_to_score_an_episode(tmp_path, how, expected):
    # b rises to 1 and falls at the last moment of ten: (1 + 1 + .7) / 3 = .9.
    source = tmp_path / "curves.csv"
    values = [0, 0.2, 0.4, 0.6, 0.8, 1, 1, 1, 1, 0.7]
    lines = [f"b,lift,act,{t},{v}" for t, v in enumerate(values)]
    source.write_text("\n".join(["episode,task,policy,t,progress", *lines]) + "\n")
    from assay.jobs.audit import AuditSettings, audit

    audit([source], AuditSettings(out=tmp_path / "fall", jobs=1, video="none"))
    compared(tmp_path, tmp_path, [("b", 50)], runs=("fall",), score=how)
    (point,) = pq.read_table(tmp_path / "out" / "points.parquet").to_pylist()
    assert point["value"] == pytest.approx(expected)


def test_raters_are_averaged_and_held_against_each_other(folder, tmp_path):
    rows = [(n, 100 * end, "ann") for n, end in ENDS.items()]
    rows += [(n, 100 * (0.5 * end + 0.25), "bob") for n, end in ENDS.items()]
    result = compared(folder, tmp_path, rows, header="episode,score,rater")
    human = result.document["human"]
    assert (human["raters"], human["scores"], human["points"]) == (["ann", "bob"], 12, 6)
    assert human["agreement"]["pairwise"] == pytest.approx(1.0)
    assert 0 < human["agreement"]["icc"]["value"] < 1  # bob uses half of the scale
    # The mean is .75 end + .125, so that the slope is 1 / .75.
    assert row(result, "recorded")["slope"]["value"] == pytest.approx(4 / 3)


def test_ids_that_no_run_has_are_told(folder, tmp_path):
    rows = [*((name, 100 * end) for name, end in ENDS.items()), ("aa", 50)]
    result = compared(folder, tmp_path, rows[2:])
    matching = result.document["matching"]
    assert (matching["matched"], matching["unrated"]) == (4, 2)
    assert matching["unmatched"] == {"count": 1, "first": [{"episode": "aa", "nearest": ["a"]}]}
    assert result.problems() == [
        "No run has 1 of the episodes that people scored, the first is 'aa' (nearest: 'a')."
    ]
    page = (tmp_path / "out" / "index.html").read_text()
    assert "No run has 1 of the scored episodes: aa (nearest: a)." in page


def test_the_same_again_does_nothing_and_another_is_refused(folder, tmp_path):
    rows = [(name, 100 * end) for name, end in ENDS.items()]
    compared(folder, tmp_path, rows)
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "out").iterdir()}
    compared(folder, tmp_path, rows)
    assert {p.name: p.stat().st_mtime_ns for p in (tmp_path / "out").iterdir()} | {
        "run.json": 0
    } == before | {"run.json": 0}
    with pytest.raises(RunError, match="holds another run"):
        compared(folder, tmp_path, rows, score="max")


def test_twice_gives_the_same_bytes(folder, tmp_path):
    rng = np.random.default_rng(3)
    rows = [(name, round(100 * v, 3)) for name, v in zip(ENDS, rng.random(6), strict=True)]
    written = []
    for _ in range(2):
        compared(folder, tmp_path, rows)
        files = sorted(p for p in (tmp_path / "out").rglob("*") if p.is_file())
        written.append({p.name: p.read_bytes() for p in files if p.name != "log.jsonl"})
        shutil.rmtree(tmp_path / "out")
    assert written[0] == written[1]
    assert {"compare.json", "points.parquet", "index.html", "run.json"} <= written[0].keys()


def test_what_is_refused(folder, tmp_path):
    rows = [("x1", 50), ("x2", 60)]
    with pytest.raises(InputError, match=r"row 2: none of its 2 episodes is in the runs, such as"):
        compared(folder, tmp_path, rows)
    with pytest.raises(UnknownNameError, match="way to --score"):
        CompareSettings(tmp_path, "scores.csv", score="last3")
    with pytest.raises(UsageError, match="Choose one: --metric compares policies"):
        CompareSettings(tmp_path, "scores.csv", metrics=("mp",))
    with pytest.raises(UsageError, match="--scale and --score go with people's scores"):
        CompareSettings(tmp_path, score="max")
    with pytest.raises(UsageError, match="--pair and --level don't go with --human"):
        CompareSettings(tmp_path, "scores.csv", pair="none")
    with pytest.raises(UsageError, match="nothing to compare"):
        compare([], CompareSettings(tmp_path / "out", "scores.csv"))
    with pytest.raises(UsageError, match="Two runs are called 'run'"):
        compare([folder / "run"] * 2, CompareSettings(tmp_path / "out", "scores.csv"))
    with pytest.raises(RunError, match="is no run directory"):
        compare([tmp_path], CompareSettings(tmp_path / "out", "scores.csv"))
    half = shutil.copytree(folder / "run", tmp_path / "half")
    (half / "audit.json").unlink()
    with pytest.raises(RunError, match="not finished"):
        compare([half], CompareSettings(tmp_path / "out", "scores.csv"))
    assert not (tmp_path / "out").exists()


def test_only_audits_are_compared(folder, tmp_path):
    rolled = tmp_path / "rolled"
    rolled.mkdir()
    (rolled / "run.json").write_text('{"verb": "rollout"}')
    (rolled / "rollout.json").write_text('{"schema": "assay.rollout/1"}')
    with pytest.raises(
        RunError, match="holds a run of 'rollout': compare takes runs of assay audit"
    ):
        compare([rolled], CompareSettings(tmp_path / "out", "scores.csv"))
