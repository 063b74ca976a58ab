"""Simulation against reality: figures by hand, what is matched, and what is refused."""

from __future__ import annotations

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UnknownNameError, UsageError
from assay.jobs._compare_sides import match_sides
from assay.jobs.compare import CompareSettings, compare
from compared_made import case, cases, rewritten
from real_made import REAL, SIM, side_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the audits `sim` and `real`, and `clock`, judged by a null judge."""
    root = tmp_path_factory.mktemp("sim-real")
    side_run(root, "sim", {**SIM, "extra": 0.9})
    side_run(root, "real", REAL)
    side_run(root, "clock", REAL, judge="ramp")
    return root


def compared(folder, out, sim="sim", real="real", **settings):
    given = {"metrics": ("mp",), **settings}
    return compare([folder / sim], CompareSettings(out, real=(folder / real,), **given))


def test_figures_by_hand(folder, tmp_path):
    result = compared(folder, tmp_path / "out")
    document = result.document
    (row,) = document["comparisons"]
    # Ranks 1 2 3 against 1 3 2: rho = 1 - 6 * 2 / (3 * 8), tau = (2 - 1) / 3. Simulation around
    # its mean: -.2 0 .2; reality around 1/3: -.7/3 .5/3 .2/3; r = .06 / sqrt(.08 * .26 / 3).
    assert row["spearman"]["value"] == pytest.approx(0.5)
    assert row["kendall"]["value"] == pytest.approx(1 / 3)
    assert row["pearson"]["value"] == pytest.approx(0.06 / (0.08 * 0.26 / 3) ** 0.5)
    # Only b and c are in the wrong order, .1 apart in reality: (0 + .1 + .1) / 3.
    assert row["mmrv"]["value"] == pytest.approx(0.2 / 3)
    assert row["pearson"]["low"] < row["pearson"]["value"] < row["pearson"]["high"]
    assert (row["pairs"], row["task"], row["why"]) == (3, None, None)
    means = {p["name"]: (p["sim"]["value"], p["real"]["value"]) for p in row["policies"]}
    assert means == {name: pytest.approx((SIM[name], REAL[name])) for name in "abc"}
    assert all(p["sim"]["low"] < p["sim"]["value"] < p["sim"]["high"] for p in row["policies"])
    assert (document["kind"], document["schema"]) == ("sim-real", "assay.compare/1")
    assert "Only simulation has extra: left out." in document["notes"]
    assert result.ok
    assert json.loads(result.text) == document


def test_the_same_again_gives_the_same_bytes(folder, tmp_path):
    compared(folder, tmp_path / "1")
    compared(folder, tmp_path / "2")
    for name in ("compare.json", "index.html"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_success_is_taken_where_both_sides_have_labels(folder, tmp_path):
    document = compared(folder, tmp_path / "out", metrics=()).document
    assert [metric["name"] for metric in document["metrics"]] == ["mp", "success_end"]
    row = document["comparisons"][1]
    # Above .45: a never; b 1 of 5 in simulation (.5) and 3 in reality (.5 .55 .6); c 5 and 1.
    shares = {p["name"]: (p["sim"]["value"], p["real"]["value"]) for p in row["policies"]}
    assert shares == {"a": (0.0, 0.0), "b": (0.2, 0.6), "c": (1.0, 0.2)}
    assert row["policies"][0]["sim"]["method"] == "wilson"


def test_judges_may_differ_between_the_sides_and_not_within(folder, tmp_path):
    document = compared(folder, tmp_path / "out", real="clock").document
    assert document["warnings"][0].startswith(
        "Simulation and reality were judged by different judges (recorded in simulation, ramp in"
    )
    # A clock says the same of every policy: there is nothing to correlate.
    (row,) = document["comparisons"]
    assert row["pearson"]["why"] == "reality tells no two policies apart"
    both = (folder / "real", f"z={folder / 'clock'}")
    with pytest.raises(UsageError, match="were judged by different judges"):
        compare([folder / "sim"], CompareSettings(tmp_path / "no", real=both))


def test_tasks_are_matched_and_told_apart(tmp_path):
    side_run(tmp_path, "s", SIM, tasks=("lift", "pour", "fold"))
    side_run(tmp_path, "r", REAL, tasks=("lift", "pour"))
    result = compare([tmp_path / "s"], CompareSettings(tmp_path / "out", real=(tmp_path / "r",)))
    mp = [row for row in result.document["comparisons"] if row["metric"] == "mp"]
    assert [row["task"] for row in mp] == [None, "lift", "pour"]
    assert [row["policies"][0]["sim"]["n"] for row in mp] == [10, 5, 5]
    assert result.document["notes"] == ["Only simulation did fold: left out."]
    # One policy did but one of the tasks: the whole is over the other.
    rewritten(tmp_path / "r", {f"r-pour-a-{k}": {"policy": "other"} for k in range(5)})
    again = compare([tmp_path / "s"], CompareSettings(tmp_path / "2", real=(tmp_path / "r",)))
    assert again.document["comparisons"][0]["policies"][0]["sim"]["n"] == 5
    assert (
        "Not every policy did pour on both sides: left out of all tasks." in again.document["notes"]
    )
    assert [p["name"] for p in again.document["comparisons"][2]["policies"]] == ["b", "c"]


def test_unscored_is_left_out_and_told(folder, tmp_path):
    gaps = shutil.copytree(folder / "real", tmp_path / "gaps")
    rewritten(gaps, {"real-lift-a-0": {"mp": None, "status": "missing_frame"}})
    result = compare([folder / "sim"], CompareSettings(tmp_path / "out", real=(gaps,)))
    # a: 0 .05 .1 .15 .2 without the first: .125; no interval of figures with fewer than 5.
    (row, *_) = result.document["comparisons"]
    assert row["policies"][0]["real"]["value"] == pytest.approx(0.125)
    assert row["pearson"]["low"] is None
    assert row["pearson"]["why"] == "a policy has fewer than 5 episodes: no interval"
    assert result.problems() == [
        "a in reality: 1 of 5 episodes have no mp; left out, not 0.",
    ]


def test_what_is_refused(folder, tmp_path):
    out = tmp_path / "out"
    sim, real = folder / "sim", folder / "real"
    with pytest.raises(UsageError, match=r"The run .*sim stands on both sides: give the real one"):
        compare([sim], CompareSettings(out, real=(sim,)))
    copy = shutil.copytree(sim, tmp_path / "copy")
    with pytest.raises(UsageError, match=r"judged the same episodes, .*sim\.csv: simulation and"):
        compare([sim], CompareSettings(out, real=(copy,)))
    with pytest.raises(UnknownNameError, match="metric named 'mpp'"):
        compared(folder, out, metrics=("mpp",))
    with pytest.raises(UsageError, match="duration_s has no largest value"):
        compared(folder, out, metrics=("duration_s",))
    blank = shutil.copytree(real, tmp_path / "blank")
    names = [f"real-lift-{policy}-{k}" for policy in "abc" for k in range(5)]
    rewritten(blank, {name: {"success_end": None} for name in names})
    with pytest.raises(UsageError, match="No episode of reality has a value of 'success_end'"):
        compare([sim], CompareSettings(out, real=(blank,), metrics=("success_end",)))
    with pytest.raises(UsageError, match="Choose one: --human compares judges"):
        CompareSettings(out, "scores.csv", real=(real,))
    with pytest.raises(UsageError, match="a simulated episode has no real twin"):
        CompareSettings(out, real=(real,), pair="scene")
    with pytest.raises(UsageError, match="nothing to compare"):
        compare([], CompareSettings(out, real=(real,)))
    assert not out.exists()


def test_too_few_common_policies_are_named():
    sim = cases("pi0", [0.5]) + cases("act", [0.5]) + cases("dp", [0.4])
    with pytest.raises(UsageError) as told:
        match_sides(sim, cases("pi-0", [0.5]) + cases("act", [0.5]))
    assert str(told.value) == (
        "Simulation and reality share only 'act', and 2 policies are needed: without a counterpart"
        " 'dp', 'pi0' of simulation and 'pi-0' of reality; name them alike by POLICY=RUN."
    )
    with pytest.raises(UsageError, match=r"share no policy.*\(nearest to 'pi0': 'pi-0'\)"):
        match_sides(cases("pi0", [0.5]), cases("pi-0", [0.5]))


def test_trainings_are_policies_of_their_own():
    both = [c for k in "12" for c in cases("pi0", [0.5, 0.6], checkpoint=k)]
    assert match_sides(both, both).policies == ("pi0/1", "pi0/2")


def test_tasks_by_other_names():
    lift = cases("a", [0.1]) + cases("b", [0.2])
    other = cases("a", [0.1], task="lift-real") + cases("b", [0.2], task="lift-real")
    assert match_sides(lift, other).tasks is None  # one each: nothing else can be meant
    with pytest.raises(UsageError, match="have no task in common: 'lift', 'pour' against 'lift-r"):
        match_sides(lift + cases("a", [0.1], task="pour"), other)


def test_unlike_mixtures_of_tasks_are_told():
    # a did four of five episodes in lift, b one of five.
    def side():
        first = cases("a", [0.5] * 4) + cases("a", [0.5], task="pour")
        return first + cases("b", [0.5]) + cases("b", [0.5] * 4, task="pour")

    assert match_sides(side(), side()).mixed() == ["simulation", "reality"]
    even = cases("a", [0.5] * 2) + cases("b", [0.5] * 3)
    assert match_sides(even, even).mixed() == []


NAMED = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["lift", "pour"])), min_size=1, max_size=12
)


@given(NAMED, NAMED)
def test_the_other_way_round_matches_the_same(first, second):
    sides = [
        [case(policy, number, 0.5, task=task) for number, (policy, task) in enumerate(own)]
        for own in (first, second)
    ]
    common = {policy for policy, _ in first} & {policy for policy, _ in second}
    try:
        there = match_sides(*sides)
    except UsageError:
        with pytest.raises(UsageError):
            match_sides(*sides[::-1])
        return
    back = match_sides(*sides[::-1])
    assert set(there.policies) == set(back.policies) == common
    assert there.alone == back.alone[::-1]
    assert there.tasks == back.tasks
    assert there.cases == back.cases[::-1]
    assert all(c.policy in common for side in there.cases for c in side)
