"""The audit from files to figures, each value derived by hand."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import assay
from assay.errors import InputError, RunError, UnknownNameError, UsageError
from assay.jobs.audit import AuditSettings, audit
from assay.reports.document import check_audit
from curve_files import write_csv

FALL = [0, 1, 0, 0, 0]
RISE = [0, 1, 0, 1, 1]


def run(tmp_path, curves, *, success=None, name="run", **settings):
    source = write_csv(tmp_path / f"{name}.csv", curves, success=success)
    result = audit([source], AuditSettings(out=tmp_path / name, jobs=1, **settings))
    check_audit(json.loads(result.text), result.out / "audit.json")
    return result


def rows_of(result):
    return {r["episode"]: r for r in pq.read_table(result.out / "episodes.parquet").to_pylist()}


def test_the_published_curves_give_the_published_metrics(tmp_path):
    # GOLDEN: (0,1,0,0,0) has PPL 0, CRA .6, STR .5; (0,1,0,1,1) has 1/3, .2, .25 (delta 1e-8)
    result = run(tmp_path, {("fall", "t", "p"): FALL, ("rise", "t", "p"): RISE})
    rows = rows_of(result)
    assert [rows["fall"][m] for m in ("mc", "mp", "ppl", "cra", "str")] == [1, 1, 0, 0.6, 0.5]
    assert rows["rise"]["ppl"] == pytest.approx(1 / 3, abs=1e-8)
    assert [rows["rise"][m] for m in ("cra", "str")] == [0.2, 0.25]
    cell = result.document["cells"][0]
    assert cell["cra"]["value"] == pytest.approx(0.4)
    assert cell["mc"]["100"]["value"] == 1.0
    assert (cell["n"], cell["status"]) == (2, {"ok": 2})


def test_fewer_than_five_episodes_have_no_interval_and_say_why(tmp_path):
    cell = run(tmp_path, {("a", "t", "p"): FALL}).document["cells"][0]
    assert cell["mp"]["low"] is None
    assert "fewer than 5" in cell["mp"]["why"]


def test_an_unscored_episode_is_not_zero(tmp_path):
    # one of two curves has a hole: MP is that of the other, with 0 or 1 put in as bounds
    result = run(tmp_path, {("a", "t", "p"): [0, 0.6], ("b", "t", "p"): [0, None]})
    cell = result.document["cells"][0]
    assert cell["status"] == {"missing_frame": 1, "ok": 1}
    assert (cell["mp"]["value"], cell["mp"]["worst"], cell["mp"]["best"]) == (0.6, 0.3, 0.8)
    assert (cell["cra"]["value"], cell["cra"]["worst"], cell["cra"]["best"]) == (0, 0.5, 0)
    assert rows_of(result)["b"]["mp"] is None
    assert not result.ok


def test_gaps_are_filled_only_by_name(tmp_path):
    curves = {("a", "t", "p"): [0, None, 1.0]}
    assert run(tmp_path, curves, fill="linear", name="l").document["cells"][0]["ppl"]["value"] == (
        pytest.approx(1.0, abs=1e-6)
    )
    assert run(tmp_path, curves, fill="previous", name="p").ok
    assert not run(tmp_path, curves, name="n").ok


def test_a_value_outside_costs_its_episode_alone(tmp_path):
    result = run(tmp_path, {("a", "t", "p"): [0, 1.2], ("b", "t", "p"): [0, 1.0]})
    rows = rows_of(result)
    assert rows["a"]["status"] == "invalid_value"
    assert "progress 1.2 at moment 1" in rows["a"]["detail"]
    assert rows["b"]["status"] == "ok"


def test_one_moment_has_no_stagnation(tmp_path):
    result = run(tmp_path, {("a", "t", "p"): [0.5]})
    assert result.ok
    cell = result.document["cells"][0]
    assert (cell["mp"]["value"], cell["str"]["value"]) == (0.5, None)
    assert cell["str"]["why"]


def test_success_once_held_and_at_the_end(tmp_path):
    # at 1 Hz the last 0.5 s hold only the last row: held equals end here
    result = run(
        tmp_path,
        {("a", "t", "p"): FALL, ("b", "t", "p"): RISE},
        success={"a": [0, 1, 0, 0, 0], "b": [0, 1, 0, 1, 1]},
    )
    rates = result.document["cells"][0]["success"]
    assert [rates[k]["value"] for k in ("once", "held", "end")] == [1.0, 0.5, 0.5]
    assert result.document["success_source"] == "recorded"


def test_progress_alone_is_never_success(tmp_path):
    result = run(tmp_path, {("a", "t", "p"): RISE})
    assert result.document["cells"][0]["success"] == {
        "once": None,
        "held": None,
        "end": None,
        "why": "no success labels",
    }
    assert result.document["success_source"] is None
    assert result.document["fingerprints"] == []


def test_progress_is_success_when_asked(tmp_path):
    curves = {("a", "t", "p"): FALL, ("b", "t", "p"): RISE}
    result = run(tmp_path, curves, success_at=1.0)
    rates = result.document["cells"][0]["success"]
    assert [rates[k]["value"] for k in ("once", "end")] == [1.0, 0.5]
    assert result.document["success_source"] == "progress >= 1"


def test_a_label_says_only_how_it_ended(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("episode,policy,success\na,pi0,1\n")
    result = run(tmp_path, {("a", "t", "p"): RISE}, labels=labels)
    cell = result.document["cells"][0]
    assert cell["policy"] == "pi0"
    assert cell["success"]["end"]["value"] == 1.0
    assert cell["success"]["once"] is None
    assert result.document["success_source"] == "labels"


def test_a_label_that_matches_nothing_stops_everything(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("episode,success\nepsiode_1,1\n")
    with pytest.raises(InputError, match=r"labels.csv, row 2: .*nearest: 'episode_1'"):
        run(tmp_path, {("episode_1", "t", "p"): RISE}, labels=labels)
    assert not (tmp_path / "run").exists()


def test_a_limit_takes_the_first_of_each_source_and_labels_may_name_the_rest(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("episode,policy\na,x\nb,x\n")
    curves = {("a", "t", "p"): FALL, ("b", "t", "p"): RISE}
    assert list(rows_of(run(tmp_path, curves, labels=labels, limit=1))) == ["a"]


def test_epsilon_given(tmp_path):
    # steps of .1: with epsilon .2 all stand still, with .05 none
    curves = {("a", "t", "p"): [0, 0.1, 0.2]}
    wide = run(tmp_path, curves, epsilon=0.2, name="w").document
    assert wide["epsilon"] == {"value": 0.2, "source": "given", "sigma": None}
    assert wide["cells"][0]["str"]["value"] == 1.0
    assert run(tmp_path, curves, epsilon=0.05, name="n").document["cells"][0]["str"]["value"] == 0


def test_epsilon_assumed_is_said_and_shown_beside_others(tmp_path):
    # steps .002, .005, .02, .05: below .01 two, below .003 one, below .03 three of four
    document = run(tmp_path, {("a", "t", "p"): [0, 0.002, 0.007, 0.027, 0.077]}).document
    assert document["epsilon"]["source"] == "assumed"
    cell = document["cells"][0]
    assert cell["str"]["value"] == 0.5
    assert cell["str_at"]["0.003"]["value"] == 0.25
    assert cell["str_at"]["0.03"]["value"] == 0.75


def test_epsilon_from_a_still_segment(tmp_path):
    # sd of (.10, .12, .08) is .02; epsilon = sqrt(2) * .02 * 2.575829 = .0728553
    labels = tmp_path / "labels.csv"
    labels.write_text("episode,still_start_s,still_end_s\na,0,2\n")
    curves = {("a", "t", "p"): [0.10, 0.12, 0.08, 0.5, 1.0]}
    document = run(tmp_path, curves, labels=labels, success={"a": 1}).document
    assert document["success_source"] == "recorded"
    epsilon = document["epsilon"]
    assert epsilon["source"] == "still segment"
    assert epsilon["sigma"] == pytest.approx(0.02)
    assert epsilon["value"] == pytest.approx(0.0728553, abs=1e-6)


def test_groups_follow_by(tmp_path):
    curves = {("a", "t", "p"): FALL, ("b", "u", "p"): RISE}
    cells = run(tmp_path, curves, by=("policy",)).document["cells"]
    assert [(c["group"], c["task"], c["n"]) for c in cells] == [({"policy": "p"}, None, 2)]


def test_reach_falls_exactly_where_episodes_stop(tmp_path):
    # peaks .5, .5 and 1: all reach .5, a third reaches anything above
    curves = {("a", "t", "p"): [0, 0.5], ("b", "t", "p"): [0.5, 0], ("c", "t", "p"): [0, 1]}
    reach = run(tmp_path, curves).document["cells"][0]["reach"]
    assert reach == [[0.0, 1.0], [0.5, 1.0], [1.0, pytest.approx(1 / 3)]]


def test_an_unknown_group_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"'polcy'. Did you mean 'policy'"):
        AuditSettings(out="x", by=("polcy",))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"fps": 0.0}, "--fps must be above 0"),
        ({"fps": float("inf")}, "--fps must be above 0"),
        ({"limit": 10**30}, "--limit must be above 0"),
        ({"limit": -1}, "--limit must be above 0"),
        ({"jobs": 0}, "--jobs must be above 0"),
        ({"success_at": 2.0}, "--success-at must lie in"),
        ({"epsilon": 0.0}, "--epsilon must lie between"),
    ],
)
def test_settings_that_can_not_be_meant(settings, sentence):
    with pytest.raises(UsageError, match=sentence):
        AuditSettings(out="x", **settings)


def test_the_same_run_twice_gives_the_same_bytes(tmp_path):
    curves = {(f"e{i}", "t", "p"): list(np.linspace(0, i / 10, 9)) for i in range(10)}
    source = write_csv(tmp_path / "c.csv", curves)
    for name in ("one", "two"):
        audit([source], AuditSettings(out=tmp_path / name, jobs=1))
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def files_of(folder):
    """Every file that promises to be identical, by name."""
    outside = {"timing.json", "log.jsonl"}
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in outside
    }


def test_a_finished_run_is_not_done_again(tmp_path):
    first = run(tmp_path, {("a", "t", "p"): FALL})
    before = (first.out / "index.html").stat().st_mtime_ns
    again = run(tmp_path, {("a", "t", "p"): FALL})
    assert again.document == first.document
    assert (first.out / "index.html").stat().st_mtime_ns == before


def test_another_run_is_never_overwritten(tmp_path):
    run(tmp_path, {("a", "t", "p"): FALL})
    with pytest.raises(RunError, match=r"holds another run \(settings differ in fps\)"):
        run(tmp_path, {("a", "t", "p"): FALL}, fps=2.0)


def test_changed_data_is_another_run(tmp_path):
    run(tmp_path, {("a", "t", "p"): FALL})
    with pytest.raises(RunError, match="fingerprints differ"):
        run(tmp_path, {("a", "t", "p"): RISE})


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("x")
    with pytest.raises(RunError, match=r"holds no run \(it has 'thesis.tex'\)"):
        run(tmp_path, {("a", "t", "p"): FALL})


def test_the_report_may_not_lie_in_its_own_source(tmp_path):
    (tmp_path / "data").mkdir()
    write_csv(tmp_path / "data" / "progress.csv", {("a", "t", "p"): FALL})
    with pytest.raises(UsageError, match="lies inside"):
        audit([tmp_path / "data"], AuditSettings(out=tmp_path / "data" / "run"))


def test_python_reaches_the_audit_lazily(tmp_path):
    assert assay.audit is audit
    assert assay.AuditSettings is AuditSettings


def test_documents_hold_no_nan(tmp_path):
    result = run(tmp_path, {("a", "t", "p"): [None, None]})
    text = (result.out / "audit.json").read_text()
    json.loads(text, parse_constant=pytest.fail)
    assert result.document["cells"][0]["mp"] == {
        "value": None, "low": None, "high": None, "n": 0, "worst": 0.0, "best": 1.0,
        "method": "", "why": "no scored episode",
    }  # fmt: skip


def test_diagnostics_are_shown_by_name(tmp_path):
    # GOLDEN: RR of (0,1,0,0,0) is 1, PTI is .2
    cell = run(tmp_path, {("a", "t", "p"): FALL}, diagnostics=("rr", "pti")).document["cells"][0]
    assert cell["diagnostics"]["rr"]["value"] == 1.0
    assert cell["diagnostics"]["pti"]["value"] == pytest.approx(0.2)


def test_diagnostics_have_intervals(tmp_path):
    curves = {(f"e{i}", "t", "p"): [0, i / 10, 0] for i in range(8)}
    found = run(tmp_path, curves, diagnostics=("rr",)).document["cells"][0]["diagnostics"]["rr"]
    # RR of (0, i/10, 0) is i/10: the mean of 0 .. .7 is .35
    assert found["value"] == pytest.approx(0.35)
    assert 0.1 < found["low"] < 0.35 < found["high"] < 0.6


def test_a_bad_expert_stops_before_anything_is_judged(tmp_path):
    experts = write_csv(tmp_path / "experts.csv", {("x", "t", "p"): [0, 2]})
    with pytest.raises(InputError, match=r"experts.csv: the expert 'x' has the progress 2"):
        run(tmp_path, {("a", "t", "p"): FALL}, diagnostics=("grdtw",), experts=experts)
    assert not (tmp_path / "run").exists()


def test_curves_are_kept_with_their_statuses(tmp_path):
    result = run(tmp_path, {("a", "t", "p"): [0, None, 1]})
    table = pq.read_table(result.out / "curves.parquet").to_pylist()
    assert [r["value"] for r in table] == [0.0, None, 1.0]
    assert [r["status"] for r in table] == ["ok", "missing_frame", "ok"]
