"""Runs are followed while they grow: in order, to their first verdict, and left as they are."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, RunError, UnknownNameError, UsageError
from assay.jobs._watch_followed import Followed, Planned
from assay.jobs._watch_journal import read_entries
from assay.jobs._watch_passports import passport_so_far
from assay.jobs._watch_plan import goals_of
from assay.jobs._watch_streams import Following, Goal, Rounds, rounds_of
from assay.jobs.watch import WatchSettings, watch
from assay.metrics.deciding import decide
from assay.reports.watch_tables import to_markdown
from compared_made import HALF, MP, case, cases, policy_run, rewritten
from curve_files import write_csv
from human_made import curve
from killed import start
from watched_made import attempt, begun_rollout, grow

TASK = ("lift",)


def goal(names=("a", "b"), tasks=TASK, metric=MP, **more) -> Goal:
    return Goal(metric, names, tasks, more.pop("level", 0.95), **more)


def mixed(*pairs):
    """Return episodes of a and b, scene by scene, with these values."""
    found = zip(cases("a", [a for a, _ in pairs]), cases("b", [b for _, b in pairs]), strict=True)
    return [one for pair in found for one in pair]


def test_pairs_come_in_the_order_of_their_second_episode():
    a, b = cases("a", [0.9, 0.8, 0.7]), cases("b", [0.1, 0.2, 0.3])
    # a did scenes 0, 1, 2; b comes to 2, then 0; scene 1 has no pair yet.
    found = rounds_of(goal(), [*a, b[2], b[0]])
    assert found.values == pytest.approx((0.4, 0.8))
    assert (found.waiting, found.unscored, found.repeats) == (0, {}, 0)
    # Another policy, another task and an episode without a scene are nobody's pairs.
    others = [case("c", 0, 1.0), case("b", 1, 1.0, task="stack"), case("b", 1, 1.0, scene=None)]
    assert rounds_of(goal(), [*a, *others]).values == ()


def test_what_has_no_value_is_counted_and_a_scene_counts_once():
    a, b = cases("a", [0.9, None, 0.7]), cases("b", [0.1, 0.2, 0.3])
    again = [case("a", 0, 0.0), case("b", 0, 1.0)]
    found = rounds_of(goal(), [*a, *b, *again])
    assert found.values == pytest.approx((0.8, 0.4))
    assert (dict(found.unscored), found.repeats) == ({"missing_frame": 1}, 2)


def test_a_round_has_a_pair_of_every_task():
    # Lift: .2, .4, .6; stack: -.2, 0. Rounds: (.2 - .2) / 2 and (.4 + 0) / 2; the third waits.
    lift = mixed((0.5, 0.3), (0.5, 0.1), (0.9, 0.3))
    tops = ((0.1, 0.3), (0.5, 0.5))
    stack = [
        case(name, k, pair[place], task="stack")
        for k, pair in enumerate(tops)
        for place, name in enumerate("ab")
    ]
    found = rounds_of(goal(tasks=("lift", "stack")), [*lift, *stack])
    assert found.values == pytest.approx((0.0, 0.2))
    assert found.waiting == 1
    # One task after the other, or in turns: the same rounds.
    turns = [*stack[:2], *lift[:2], *stack[2:], *lift[2:]]
    assert rounds_of(goal(tasks=("lift", "stack")), turns) == found


def test_a_policy_alone_needs_no_scenes():
    own = [case("a", k, 0.5, scene=None) for k in range(6)]
    found = Following(goal(names=("a",)))
    found.update(own)
    row = found.as_json()
    assert (row["pairs"], row["value"], row["verdict"], row["b"]) == (6, 0.5, None, None)
    assert (row["e_value"], row["more"], found.advice()) == (None, None, None)
    assert row["low"] < 0.5 < row["high"]


def test_a_verdict_is_made_at_the_first_crossing_and_stays():
    # Wins all along: the gambler's wealth is the mean of (1 + c)^n over the arcsine law, which is
    # 2^(n/2) P_n(1.5 / sqrt 2) with Legendre's polynomials: 39.84 after 7 and 74.1 after 8. Two
    # gamblers at level .95 need 40: 8 wins. With the error split over two streams it is 80: 9.
    wins = mixed(*[(1.0, 0.0)] * 12)
    for level, needed in ((0.95, 8), (0.975, 9)):
        stream = Following(goal(level=level))
        stream.update(wins[: 2 * needed - 2])
        assert stream.verdict is None
        assert stream.advice().action == "continue"
        stream.update(wins[: 2 * needed])
        assert (stream.verdict, stream.decided_at) == ("above", needed)
    # As many losses take the wealth back, and the verdict with its moment stays.
    losses = [case(name, 12 + k, top) for k in range(40) for name, top in (("a", 0.0), ("b", 1.0))]
    stream.update([*wins, *losses])
    row = stream.as_json()
    assert (row["verdict"], row["better"], row["decided_at"], row["pairs"]) == ("above", "a", 9, 52)
    assert row["value"] < 0
    assert stream.advice() is None


def test_a_small_lead_is_a_verdict_by_signs_and_the_mean_may_follow():
    # 12 points ahead in every scene: nine pairs by signs (tests/metrics/test_deciding.py), 50 and
    # more by the mean, whose interval has half of the error: the level is 0.975.
    came = mixed(*[(0.52, 0.4)] * 60)
    stream = Following(goal())
    stream.update(came[:30])
    row = stream.as_json()
    assert (row["verdict"], row["by"], row["decided_at"], row["better"]) == (
        "above",
        "signs",
        9,
        "a",
    )
    assert (row["mean_verdict"], row["low"] < 0, row["p_value"] < 0.05) == (None, True, True)
    assert (row["signs"], row["interval_level"]) == (True, pytest.approx(0.975))
    stream.update(came)
    row = stream.as_json()
    assert (row["by"], row["decided_at"], row["mean_verdict"]) == ("signs", 9, "above")
    assert 9 < row["mean_decided_at"] <= 60
    assert row["low"] > 0
    # On the mean alone all of the error is its own, and it decides sooner than its half does.
    alone = Following(goal(mean_only=True))
    alone.update(came)
    other = alone.as_json()
    assert (other["by"], other["signs"], other["interval_level"]) == ("mean", False, 0.95)
    assert 9 < other["decided_at"] < row["mean_decided_at"]
    # Of shares both are the same bets, so that the mean has all of the error.
    share = Following(goal(metric=HALF))
    share.update(mixed(*[(1.0, 0.0)] * 8))
    assert (share.verdict, share.by, share.decided_at) == ("above", "mean", 8)


def test_less_than_the_margin_is_a_verdict_too():
    near = mixed(*[(0.50, 0.51), (0.51, 0.50)] * 60)
    stream = Following(goal(margin=0.2))
    stream.update(near)
    assert stream.verdict == "alike"
    low, high = stream.points[stream.decided_at - 1][2:]
    assert -0.2 < low < high < 0.2
    before = stream.points[stream.decided_at - 2][2:]
    assert not -0.2 < before[0] < before[1] < 0.2
    without = Following(goal())
    without.update(near)
    assert without.verdict is None


VALUES = st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(0, 1)), max_size=12)


@given(VALUES, st.lists(st.integers(0, 24), max_size=5))
def test_however_it_is_cut_into_looks_it_says_the_same(pairs, cuts):
    came = mixed(*pairs)
    whole, stepwise = Following(goal()), Following(goal())
    whole.update(came)
    for end in [*sorted(cuts), len(came)]:
        stepwise.update(came[:end])
    assert (stepwise.rounds, stepwise.points) == (whole.rounds, whole.points)
    assert (stepwise.verdict, stepwise.decided_at) == (whole.verdict, whole.decided_at)
    known = [a - b for a, b in pairs if b is not None]
    assert whole.rounds == Rounds(tuple(known), 0, whole.rounds.unscored, 0)
    assert sum(whole.rounds.unscored.values()) == len(pairs) - len(known)
    found = decide(known)
    assert (whole.verdict, whole.by) == (found.verdict, found.by)
    assert whole.decided_at == found.decided_at


def test_the_error_is_split_over_all_that_is_planned():
    class Fixed(Followed):
        def __init__(self, plan):
            self.plan = plan

        _growing = _is_over = _over = None

    plan = [
        Planned(name, "lift", f"s{k}" if name != "d" else None, is_labelled=True)
        for name in "abcd"
        for k in range(3)
    ]
    asked = {"level": 0.95, "margin": 5.0, "seed": 0}
    found = goals_of([MP, HALF], [Fixed(plan)], **asked)
    # Three pairs among a, b and c, two metrics: .05 / 6 each. d names no scene.
    assert [(one.metric.name, *one.names) for one in found][:3] == [
        ("mp", "a", "b"),
        ("mp", "a", "c"),
        ("mp", "b", "c"),
    ]
    assert {one.level for one in found} == {1 - 0.05 / 6}
    assert found[0].margin == 0.05
    with pytest.raises(UsageError, match="a and d have no scene in common within a task"):
        goals_of([MP], [Fixed([one for one in plan if one.policy in "ad"])], **asked)
    (alone,) = goals_of([MP], [Fixed(plan[:3])], **asked)
    assert (alone.names, alone.tasks, alone.level) == (("a",), ("lift",), 0.95)


# Twelve scenes: a finishes all, b stays at .1, so that MP differs by .9 and success always.
@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    root = tmp_path_factory.mktemp("audits")
    return [policy_run(root, "a", [1.0] * 12), policy_run(root, "b", [0.1] * 12)]


def looked(growing, out, *, metrics=("success_end",), **more):
    paths = [getattr(one, "path", one) for one in growing]
    runs = [f"{name}={path}" for name, path in zip("ab", paths, strict=True)]
    lines: list[str] = []
    settings = WatchSettings(out, metrics=metrics, once=True, **more)
    return watch(runs, settings, lines.append).document, lines


def test_a_growing_audit_is_followed_step_by_step(audits, tmp_path):
    one, two = grow(tmp_path, *audits)
    document, lines = looked((one, two), tmp_path / "out")
    few = "continue (fewer than 5 values: nothing to look ahead from)"
    assert lines == [f"success_end: a - b n/a after 0 pairs: {few}"]
    names = [f"e{k}" for k in range(12)]
    one.put(*names[:10])
    two.put(*reversed(names[:7]))
    document, lines = looked((one, two), tmp_path / "out")
    (row,) = document["streams"]
    assert (row["pairs"], row["value"], row["verdict"]) == (7, 1.0, None)
    assert [(run["arrived"], run["planned"]) for run in document["runs"]] == [(10, 12), (7, 12)]
    assert not document["done"]
    assert lines[0].startswith("success_end: a - b +100.0 [")
    assert lines[0].endswith("points after 7 pairs: continue, about 1 more [1, 1]")
    two.put("e9")
    document, lines = looked((one, two), tmp_path / "out")
    (row,) = document["streams"]
    assert (row["verdict"], row["better"], row["decided_at"]) == ("above", "a", 8)
    assert lines[0].endswith("after 8 pairs: stop, a has the higher share (decided after 8)")
    assert (document["decided"], document["done"], document["finished"]) == (True, True, False)
    assert document["order"][10:] == [[1, f"e{k}"] for k in (6, 5, 4, 3, 2, 1, 0, 9)]
    assert {path.name for path in one.path.iterdir()} == {
        *("run.json", "journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"),
        "journal.sqlite.lock",
    }
    one.stop()
    two.stop()


def test_a_watch_that_is_begun_again_says_the_same(audits, tmp_path):
    one, two = grow(tmp_path, *audits)
    one.put(*(f"e{k}" for k in range(12)))
    two.put(*(f"e{k}" for k in (11, 3, 7, 5, 0, 1, 2, 4, 6)))
    first, _ = looked((one, two), tmp_path / "out", metrics=("mp", "success_end"))
    again, _ = looked((one, two), tmp_path / "out", metrics=("mp", "success_end"))
    assert again == first
    two.put("e8", "e9", "e10")
    one.finish()
    two.finish()
    # The finished tables are sorted by name; the order of coming is kept in the result.
    last, _ = looked((one, two), tmp_path / "out", metrics=("mp", "success_end"))
    came = [episode for place, episode in last["order"] if place == 1]
    assert came[:9] == ["e11", "e3", "e7", "e5", "e0", "e1", "e2", "e4", "e6"]
    assert last["streams"][1]["decided_at"] == first["streams"][1]["decided_at"] == 9
    assert (last["finished"], last["streams"][1]["pairs"]) == (True, 12)
    fresh, _ = looked((one, two), tmp_path / "other", metrics=("mp", "success_end"))
    assert [row["value"] for row in fresh["streams"]] == pytest.approx([0.9, 1.0])
    assert [path.name for path in two.path.iterdir() if "journal" in path.name] == []


def test_a_run_that_was_stopped_is_read_as_it_stands(audits, tmp_path):
    (one,) = grow(tmp_path, audits[0])
    one.put("e0", "e1")
    one.stop()
    before = sorted(path.name for path in one.path.iterdir())
    found = read_entries(one.path / "journal.sqlite", 0)
    assert [key for key, _ in found.found] == ["e0", "e1"]
    assert sorted(path.name for path in one.path.iterdir()) == before
    assert read_entries(one.path / "journal.sqlite", 2).found == ()
    # A journal that was thrown away and has begun anew is read from its beginning.
    assert len(read_entries(one.path / "journal.sqlite", 9).found) == 2
    assert read_entries(one.path / "nothing.sqlite", 0) is None
    (one.path / "journal.sqlite").write_bytes(b"no database at all, but long enough to look at")
    with pytest.raises(RunError, match="can't be read"):
        read_entries(one.path / "journal.sqlite", 0)


RAMP = {"metrics": ("mp",)}


@pytest.fixture
def ramps(tmp_path):
    """Two finished audits by ramp, which comes with a passport that warns."""
    tops = [0.5, 0.6, 0.7, 0.5, 0.6, 0.7]
    return [policy_run(tmp_path, name, tops, judge="ramp") for name in ("a", "b")]


def rewritten_json(path, **changes):
    """Give the judge of a finished audit other fields."""
    document = json.loads(path.read_text())
    document["judge"] |= changes
    path.write_text(json.dumps(document))
    return document["judge"]


def test_the_passport_of_the_judge_is_carried(ramps, tmp_path):
    document, _ = looked(ramps, tmp_path / "out", **RAMP)
    told = json.loads((ramps[0] / "audit.json").read_text())["judge"]["passport"]
    assert told["warnings"]
    (judge,) = document["judge"]["described"]
    assert (judge["as"], judge["name"], judge["passport"]) == ("ramp", "ramp", told)
    for text in (to_markdown(document), (tmp_path / "out" / "index.html").read_text()):
        assert told["summary"] in html.unescape(text)
        assert told["warnings"][0] in html.unescape(text)
    assert '<section id="passports"' in (tmp_path / "out" / "index.html").read_text()


def test_the_passport_is_carried_before_the_audit_has_ended(ramps, tmp_path):
    told = json.loads((ramps[0] / "audit.json").read_text())["judge"]["passport"]
    one, two = grow(tmp_path / "growing", *ramps)
    one.put("e0")
    (judge,) = looked((one, two), tmp_path / "out", **RAMP)[0]["judge"]["described"]
    assert judge["passport"] == told
    # Another passport than the audit found, or none that can be found: it is told at the end.
    record = json.loads((one.path / "run.json").read_text())
    record["settings"]["passports"]["ramp"] = "0" * 64
    (one.path / "run.json").write_text(json.dumps(record))
    (judge,) = looked((one, two), tmp_path / "other", **RAMP)[0]["judge"]["described"]
    assert judge["passport"]["summary"] == "told when the audit has ended"
    one.finish()
    two.stop()
    (judge,) = looked((one, two), tmp_path / "over", **RAMP)[0]["judge"]["described"]
    assert judge["passport"] == told


def test_code_of_ones_own_is_not_called_for_its_passport(ramps):
    record = json.loads((ramps[0] / "run.json").read_text())
    record["settings"]["judge"]["name"] = "nowhere:judge"
    assert passport_so_far(ramps[0], record) is None  # as the audit noted
    record["settings"]["passports"] = {"nowhere:judge": "0" * 64}
    assert passport_so_far(ramps[0], record)["summary"] == "told when the audit has ended"


def test_scenes_that_the_judge_has_not_seen_are_told_first(ramps, tmp_path):
    novel = {"value": 0.9, "low": 0.8, "high": 1.0, "n": 6, "worst": 0.9, "best": 0.9}
    for run in ramps:
        rewritten_json(run / "audit.json", novel=novel, card={"novel_limit": 0.2})
    document, _ = looked(ramps, tmp_path / "out", **RAMP)
    (alarm,) = document["warnings"]
    assert alarm.startswith("ramp has not seen such scenes")
    assert alarm in html.unescape((tmp_path / "out" / "index.html").read_text())


def test_a_finished_run_without_a_verdict_says_so(tmp_path):
    tops = [0.5, 0.6, 0.7, 0.5, 0.6, 0.7]
    runs = [policy_run(tmp_path, n, [t + d for t in tops]) for n, d in (("a", 0.0), ("b", 0.02))]
    lines: list[str] = []
    found = watch(runs, WatchSettings(tmp_path / "out", metrics=("mp",)), lines.append)
    (row,) = found.document["streams"]
    assert (row["verdict"], found.document["done"], found.ok) == (None, True, True)
    assert "points after 6 pairs: not decided" in lines[0]
    assert (row["more"] is None) == ("not decided; about" not in lines[0])
    page = (tmp_path / "out" / "index.html").read_text()
    assert 'http-equiv="refresh"' not in page
    assert found.text == (tmp_path / "out" / "watch.json").read_text()


def test_one_policy_has_nothing_to_be_compared_with(audits, tmp_path):
    lines: list[str] = []
    found = watch(audits[:1], WatchSettings(tmp_path / "out", metrics=("mp",)), lines.append)
    assert lines[0].startswith("mp: a 100.0 [")
    assert lines[0].endswith("points after 12 episodes: nothing to compare yet")
    assert (found.document["done"], found.document["decided"]) == (True, False)


def test_the_lower_the_better_for_regret(tmp_path):
    runs = [policy_run(tmp_path, n, [t] * 30) for n, t in (("a", 0.9), ("b", 0.1))]
    for run in runs:
        value = 0.9 if run.name == "run-a" else 0.0
        rewritten(run, {f"e{k}": {"cra": value, "str": value} for k in range(30)})
    found = watch(runs, WatchSettings(tmp_path / "out", metrics=("cra", "str")))
    assert [(row["verdict"], row["better"]) for row in found.document["streams"]] == [
        ("above", "b"),
        ("above", "b"),
    ]


def test_unscored_pairs_are_left_out_and_told(tmp_path):
    runs = [policy_run(tmp_path, "a", [1.0] * 9), policy_run(tmp_path, "b", [0.1] * 8 + [None])]
    found = watch(runs, WatchSettings(tmp_path / "out", metrics=("mp",)))
    (row,) = found.document["streams"]
    assert (row["pairs"], row["unscored"]) == (8, {"missing_frame": 1})
    assert found.problems() == [
        "mp, a and b: 1 pair without a value, left out and not 0 (1 missing_frame)."
    ]
    page = (tmp_path / "out" / "index.html").read_text()
    assert "The guarantee is then for scenes that get a value" in page


def test_rollouts_are_followed_by_their_exact_progress(tmp_path):
    journal = begun_rollout(tmp_path / "run", ["expert", "frozen"], "0:12")
    for seed in range(12):
        journal.put([(f"{seed:06d} expert {seed}", attempt("expert", seed, [0.0, 0.4, 1.0]))])
    for number, seed in enumerate([3, 0, 5, 1, 2, 4, 6, 7, 8]):
        key = f"{12 + number:06d} frozen {seed}"
        journal.put([(key, attempt("frozen", seed, [0.0, 0.2, 0.0]))])
    settings = WatchSettings(tmp_path / "out", once=True)
    document = watch([tmp_path / "run"], settings).document
    dense, success = document["streams"]
    assert (dense["metric"], success["metric"]) == ("mp", "success_end")
    assert dense["value"] == pytest.approx(0.8)
    assert (success["value"], success["verdict"], success["decided_at"]) == (1.0, "above", 9)
    assert document["judge"]["name"] == "exact progress"
    assert document["judge"]["described"] == []  # it is no judge, and can have no passport
    assert "passport" not in to_markdown(document)
    with pytest.raises(UsageError, match=r"holds 2 policies: the label 'x' would make one"):
        watch([f"x={tmp_path / 'run'}"], settings)
    with pytest.raises(UsageError, match="STR can't be watched"):
        watch([tmp_path / "run"], WatchSettings(tmp_path / "no", metrics=("str",)))
    failures = [{"policy": "frozen", "seed": 11, "status": "policy_fault", "detail": "it raised"}]
    result = {"dataset": {"episodes": 0}, "failures": failures, "task": "lift"}
    (tmp_path / "run" / "rollout.json").write_text(json.dumps({**result, "perturbation": None}))
    document = watch([tmp_path / "run"], settings).document
    assert (document["finished"], document["streams"][0]["unscored"]) == (True, {"policy_fault": 1})
    journal.close()


def test_what_is_refused(audits, tmp_path):
    def refused(error, match, runs=audits, **more):
        with pytest.raises(error, match=match):
            watch(runs, WatchSettings(more.pop("out", tmp_path / "out"), once=True, **more))

    open_end = r"values in 0..1: mc, mp, .*'duration_s' has no upper end"
    refused(UsageError, open_end, metrics=("duration_s",))
    refused(UnknownNameError, r"no metric to --watch named 'mpp'", metrics=("mpp",))
    refused(UnknownNameError, "named 'success_end@5'", metrics=("success_end@5",))
    refused(UsageError, "above 0 and up to 100 stands behind the @", metrics=("mc@0",))
    refused(UsageError, "one training of a policy", runs=[f"a/1={audits[0]}"])
    refused(UsageError, "A run is given twice", runs=[audits[0], f"x={audits[0]}"])
    refused(UsageError, "nothing to watch", runs=[])
    refused(UsageError, "lies inside", out=audits[0] / "out")
    (tmp_path / "empty").mkdir()
    refused(RunError, "it has no run.json. Start its run first", runs=[tmp_path / "empty"])
    done = watch(audits, WatchSettings(tmp_path / "done", once=True)).out
    refused(RunError, "holds a run of 'watch'", runs=[done])
    refused(RunError, "holds another run", runs=audits[:1], out=done)
    refused(UsageError, "--every is above 0 s", every=0.0)
    refused(UsageError, "--margin is above 0", margin=-1.0)
    refused(UsageError, "--level is a share", level=95)
    refused(UnknownNameError, "no kind of --bets named 'means'.*Did you mean 'mean'", bets="means")
    refused(UsageError, "--seed must be 0 or more", seed=-1)
    other = policy_run(tmp_path, "d", [0.5] * 6, judge="ramp")
    refused(UsageError, r"different judges \(recorded and ramp\)", runs=[audits[0], other])
    bare = policy_run(tmp_path, "e", [0.5] * 6, scenes=False)
    refused(UsageError, "a and e have no scene in common", runs=[audits[0], bare])
    assert not (tmp_path / "out").exists()
    told = watch([audits[0], other], WatchSettings(tmp_path / "2", once=True, across_judges=True))
    assert told.document["warnings"][0].startswith("The runs were judged by different judges")


def test_what_changes_under_the_watch_is_told(audits, tmp_path):
    one, two = grow(tmp_path, *audits)
    # Standing still is read off the whole run, so that STR has no fixed values yet.
    with pytest.raises(UsageError, match="STR can't be watched"):
        looked((one, two), tmp_path / "out", metrics=("str",))
    source = Path(json.loads((one.path / "run.json").read_text())["settings"]["sources"][0])
    kept = source.read_text()
    source.write_text(kept.replace("lift", "lifts"))
    try:
        with pytest.raises(InputError, match="has changed since the audit"):
            looked((one, two), tmp_path / "out")
    finally:
        source.write_text(kept)
    one.stop()
    two.stop()


SCENES = 60


def test_a_real_audit_is_followed_to_its_end_and_not_disturbed(tmp_path):
    rng = np.random.default_rng(0)
    curves, labels = {}, ["episode,scene"]
    for policy, top in (("far", 0.9), ("near", 0.2)):
        for k in range(SCENES):
            name = f"{policy}-{k:02d}"
            curves[name, "lift", policy] = curve(round(top + 0.1 * rng.random(), 3))
            labels.append(f"{name},scene-{k}")
    write_csv(tmp_path / "curves.csv", curves)
    (tmp_path / "labels.csv").write_text("\n".join(labels) + "\n")
    judge = ["--judge", "audit_killed:Logged", "--jobs", "2", "--labels", "labels.csv"]
    audit = start(
        tmp_path, ["-m", "assay", "audit", "curves.csv", "--out", "run", *judge], stderr=None
    )
    while audit.poll() is None and not (tmp_path / "run" / "journal.sqlite").exists():
        time.sleep(0.01)
    words = ["-m", "assay", "compare", "--watch", "run", "--metric", "mp", "--out", "watched"]
    seen = subprocess.run(
        [sys.executable, *words, "--every", "0.05"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (audit.wait(), seen.returncode) == (0, 0), seen.stderr
    document = json.loads((tmp_path / "watched" / "watch.json").read_text())
    (row,) = document["streams"]
    assert (row["a"], row["b"], row["better"]) == ("far", "near", "far")
    told = "far tends to be ahead scene by scene (decided by signs after"
    assert f"stop, {told} {row['decided_at']})" in seen.stdout
    assert not [path for path in (tmp_path / "run").iterdir() if "journal" in path.name]
