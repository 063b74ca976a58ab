"""Policies against each other: differences by hand, what is left out, and what is refused."""

from __future__ import annotations

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._compare_arms import arms_of, match, reach_of
from assay.jobs._compare_drops import drops_of
from assay.jobs._compare_duels import How, compare_two, rows_of
from assay.jobs.compare import CompareSettings, compare
from compared_made import HALF, MP, A, B, case, cases, policy_run, rewritten


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with audits of a and b in six common scenes, and of c, with a gap."""
    root = tmp_path_factory.mktemp("policies")
    policy_run(root, "a", A)
    policy_run(root, "b", B)
    policy_run(root, "c", (0.5, 0.5, None, 1.0, 0.4, 0.6))
    return root


def compared(folder, tmp_path, *names, out="out", **settings):
    runs = [folder / f"run-{name}" for name in names]
    return compare(runs, CompareSettings(tmp_path / out, **settings))


def duel_of(first, second, pair="auto"):
    return match(("a", "b"), (first, second), pair)


def test_a_paired_difference_by_hand(folder, tmp_path):
    result = compared(folder, tmp_path, "a", "b", metrics=("mp",))
    (row,) = result.document["comparisons"]
    # All six differences have one sign: of 2^6 ways to flip them 2 are as far out, p = 2 / 64.
    assert row["difference"]["value"] == pytest.approx(0.2)
    assert row["difference"]["p"] == row["p_adjusted"] == pytest.approx(1 / 32)
    assert row["difference"]["improvement"]["value"] == pytest.approx(1.0)
    assert (row["paired"], row["difference"]["n"]) == (True, 6)
    assert (row["verdict"]["separable"], row["verdict"]["higher"]) == (True, "a")
    assert result.ok
    assert json.loads(result.text) == result.document
    means = {p["name"]: p["estimates"]["mp"]["value"] for p in result.document["policies"]}
    assert means == {"a": pytest.approx(4.1 / 6), "b": pytest.approx(2.9 / 6)}


def test_holm_over_metrics_and_shares(folder, tmp_path):
    result = compared(folder, tmp_path, "a", "b", metrics=("mp", "mp@50"))
    dense, share = result.document["comparisons"]
    # Half the way: a 6 of 6, b 4 of 6, so that 2 scenes are a's alone: McNemar's p is 2 / 2^2.
    assert share["difference"]["value"] == pytest.approx(1 / 3)
    assert (share["difference"]["test"], share["difference"]["p"]) == ("exact mcnemar", 0.5)
    # Holm: the smaller of two p values counts twice, 2 / 32, the larger once.
    assert (dense["p_adjusted"], share["p_adjusted"]) == (pytest.approx(1 / 16), 0.5)
    assert dense["verdict"]["separable"] is False
    assert result.document["groups"]["mp"] == {"a": "a", "b": "a"}


def test_without_names_mp_and_success_are_compared(folder, tmp_path):
    result = compared(folder, tmp_path, "a", "b")
    assert [metric["name"] for metric in result.document["metrics"]] == ["mp", "success_end"]
    (side,) = result.document["power"]
    assert (side["dense_metric"], side["share_metric"]) == ("mp", "success_end")
    # Differences of mean .2 and sd .089: ten pairs, the least that is ever planned, do.
    assert (side["dense"]["n"], side["dense"]["have"]) == (10, 6)
    assert side["success"]["why"] == "the pilot shows no difference"


def test_swapping_the_runs_turns_the_sign(folder, tmp_path):
    one = compared(folder, tmp_path, "a", "c", out="1", metrics=("mp",)).document
    other = compared(folder, tmp_path, "c", "a", out="2", metrics=("mp",)).document
    there, back = one["comparisons"][0], other["comparisons"][0]
    assert back["difference"]["value"] == pytest.approx(-there["difference"]["value"])
    assert back["p_adjusted"] == there["p_adjusted"]
    assert back["reach"] == pytest.approx([-end for end in there["reach"]][::-1])
    assert one["groups"] == other["groups"]


def test_unscored_is_left_out_counted_and_bounded(folder, tmp_path):
    result = compared(folder, tmp_path, "a", "c", metrics=("mp",))
    (row,) = result.document["comparisons"]
    # Without scene 2: .1 .2 -.5 .2 .3, sum .3, mean .06. With it c counts 0 to 1 against .8, so
    # that .8 or -.2 comes to the sum, which is shared by six.
    assert row["difference"]["value"] == pytest.approx(0.06)
    assert sorted(row["reach"]) == pytest.approx([0.1 / 6, 1.1 / 6])
    assert row["unscored"] == [{}, {"missing_frame": 1}]
    assert result.problems() == ["c: 1 of 6 episodes have no mp; left out, not 0."]
    assert "needed" in row
    assert row["verdict"]["more"] is not None


def test_strata_and_their_weights():
    # Lift: .5 against .3, stack: .9 against .8. Equal weights: (.2 + .1) / 2. By episodes, 6 of
    # lift and 4 of stack: .6 * .2 + .4 * .1.
    a = cases("a", [0.5] * 4, scene=None) + cases("a", [0.9] * 2, scene=None, task="stack")
    b = cases("b", [0.3] * 2, scene=None) + cases("b", [0.8] * 2, scene=None, task="stack")
    duel = duel_of(a, b)
    assert not duel.is_paired
    for weights, expected in (("equal", 0.15), ("size", 0.16)):
        found = compare_two(duel, MP, How(weights=weights), family=1)
        assert found.difference.value == pytest.approx(expected)
    assert compare_two(duel, MP, How(), family=1, task="stack").difference.value == pytest.approx(
        0.1
    )


def test_tasks_and_perturbations_that_one_policy_lacks():
    a = cases("a", A) + cases("a", [1.0], task="pour") + cases("a", [0.1], perturbation="dim-2")
    duel = duel_of(a, cases("b", B))
    assert duel.tasks_left == ("lift (dim-2)", "pour")
    assert duel.left == (2, 0)
    assert compare_two(duel, MP, How(), family=1).difference.value == pytest.approx(0.2)


def test_when_scenes_are_paired():
    # Three of six scenes in common are half of each policy's; two are not.
    assert duel_of(cases("a", A), cases("b", B)[:3]).is_paired
    other = [case("b", number, 0.5) for number in (4, 5, 6, 7, 8, 9)]
    assert not duel_of(cases("a", A), other).is_paired
    assert duel_of(cases("a", A), other, "scene").is_paired
    assert not duel_of(cases("a", A), cases("b", B), "none").is_paired
    with pytest.raises(UsageError, match="no scene in common within a task"):
        duel_of(cases("a", A), cases("b", B, task="stack"), "scene")
    with pytest.raises(UsageError, match="no scene in common"):
        duel_of(cases("a", A), cases("b", B, scene=None), "scene")


def test_several_episodes_of_a_scene_are_one_unit():
    # Two attempts of a in each scene, .1 up and down: their means are a's own values.
    a = [
        case("a", number, value + step, checkpoint="", perturbation="")
        for number, value in enumerate(A)
        for step in (-0.1, 0.1)
    ]
    found = compare_two(duel_of(a, cases("b", B)), MP, How(), family=1)
    assert found.difference.value == pytest.approx(0.2)
    assert found.difference.units == (6, 6)
    # Without pairs the two attempts of a scene are drawn together.
    loose = compare_two(duel_of(a, cases("b", B), "none"), MP, How(), family=1)
    assert loose.difference.units == (6, 6)
    assert loose.difference.sizes == (12, 6)
    assert loose.needed.why.startswith("several episodes of one scene")


def test_checkpoints_are_the_units():
    a = [c for k in "12" for c in cases("a", A, checkpoint=k)]
    b = [c for k in "12" for c in cases("b", B, checkpoint=k)]
    found = compare_two(duel_of(a, b), MP, How(), family=1)
    assert (found.duel.is_paired, found.difference.n) == (True, 12)
    assert found.difference.units == (2, 2)
    assert found.difference.low is None
    assert found.needed.why.startswith("several checkpoints")
    # Other trainings of b share no checkpoint with a's: they are not paired.
    apart = duel_of(a, [c for k in "34" for c in cases("b", B, checkpoint=k)])
    assert (apart.is_paired, apart.is_clustered) == (False, True)


def test_shares_of_tasks_of_unequal_size_keep_their_weights():
    # Lift: 1 - 0 in 4 scenes; stack: 0 in 2. Equal weights .5; McNemar's table would say 4 / 6.
    a = cases("a", [0.9] * 4) + cases("a", [0.9] * 2, task="stack")
    b = cases("b", [0.1] * 4) + cases("b", [0.9] * 2, task="stack")
    found = compare_two(duel_of(a, b), HALF, How(), family=1)
    assert found.difference.value == pytest.approx(0.5)
    whole = compare_two(duel_of(a, b), HALF, How(weights="size"), family=1)
    assert (whole.difference.value, whole.difference.method) == (pytest.approx(2 / 3), "tango")


def test_nothing_scored_is_said_and_not_computed():
    found = compare_two(duel_of(cases("a", A), cases("b", [None] * 6)), MP, How(), family=1)
    (row,) = rows_of([found], How())
    assert (row["difference"], row["verdict"], row["p_adjusted"]) == (None, None, None)
    assert row["why"] == "no scored episode of both policies to compare"


VALUES = st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(0, 1)), min_size=2, max_size=12)


@given(VALUES, st.sampled_from(["auto", "none"]))
def test_the_other_way_round_is_the_opposite(pairs, pair):
    a, b = (cases(name, own) for name, own in zip("ab", zip(*pairs, strict=True), strict=True))
    there, back = match(("a", "b"), (a, b), pair), match(("b", "a"), (b, a), pair)
    assert there.is_paired == back.is_paired == (pair == "auto")
    one, other = arms_of(there, MP), arms_of(back, MP)
    assert [list(own) for own in one.values] == [list(own) for own in other.values[::-1]]
    assert one.unscored == other.unscored[::-1]
    reach, turned = reach_of(there, MP, "equal"), reach_of(back, MP, "equal")
    assert (reach is None) == (turned is None) == all(value is not None for _, value in pairs)
    if reach is not None and turned is not None:
        assert turned == pytest.approx((-reach[1], -reach[0]))
        assert reach[0] <= reach[1]


def test_drops_against_the_matched_control():
    # Five scenes of a world: .8 plain, .5 in dim light: a drop of .3, of .8 that there were.
    plain = [case("a", k, 0.8, scene=f"tabletop/lift/{k}/plain", perturbation="") for k in range(5)]
    dim = [
        case("a", k, 0.5, scene=f"tabletop/lift/{k}/light-3", perturbation="light-3")
        for k in range(6)
    ]
    (row,) = drops_of(plain + dim, ["a"], [MP], level=0.95, seed=0)
    assert (row["axis"], row["strength"], row["scenes"]) == ("light", 3.0, 5)
    assert (row["only_control"], row["only_perturbed"], row["unscored"]) == (0, 1, 0)
    assert row["control"]["value"] == pytest.approx(0.8)
    assert row["drop"]["value"] == pytest.approx(0.3)
    assert row["relative"]["value"] == pytest.approx(0.375)
    # Data from elsewhere shares the name of the scene.
    shared = cases("a", A) + cases("a", B, perturbation="glare")
    (row,) = drops_of(shared, ["a"], [MP], level=0.95, seed=0)
    assert (row["axis"], row["strength"]) == ("glare", None)
    assert row["drop"]["value"] == pytest.approx(0.2)
    assert drops_of(cases("a", A), ["a"], [MP], level=0.95, seed=0) == []


def test_perturbed_episodes_of_runs(tmp_path):
    for name, tops in (("a", A), ("b", B)):
        changes = {f"e{k}": {"scene": f"scene-{k - 3}", "perturbation": "glare"} for k in (3, 4, 5)}
        rewritten(policy_run(tmp_path, name, tops), changes)
    document = compared(tmp_path, tmp_path, "a", "b", metrics=("mp", "duration_s")).document
    # a: .6 .7 .8 plain and .5 .6 .9 changed: .1 + .1 - .1 = .1 over three scenes.
    rows = {(row["policy"], row["metric"]): row for row in document["drops"]}
    assert rows["a", "mp"]["drop"]["value"] == pytest.approx(0.1 / 3)
    assert set(rows) == {("a", "mp"), ("b", "mp")}  # a duration has no worst value
    assert document["comparisons"][0]["difference"]["n"] == 6
    duration = document["comparisons"][1]
    assert duration["difference"]["value"] == 0.0
    assert duration["reach"] is None


def test_the_same_again_does_nothing_and_gives_the_same_bytes(folder, tmp_path):
    written = []
    for out in ("1", "2"):
        compared(folder, tmp_path, "a", "b", "c", out=out)
        files = sorted(p for p in (tmp_path / out).rglob("*") if p.is_file())
        written.append({p.name: p.read_bytes() for p in files if p.name != "log.jsonl"})
    assert written[0] == written[1]
    before = (tmp_path / "1" / "compare.json").stat().st_mtime_ns
    compared(folder, tmp_path, "a", "b", "c", out="1")
    assert (tmp_path / "1" / "compare.json").stat().st_mtime_ns == before


def test_what_is_refused(folder, tmp_path):
    with pytest.raises(UsageError, match=r"one policy only, 'a': name policies as POLICY=RUN"):
        compared(folder, tmp_path, "a")
    with pytest.raises(UsageError, match="is given twice"):
        compared(folder, tmp_path, "a", "a")
    with pytest.raises(UnknownNameError, match=r"no metric named 'mpp'. Did you mean 'mp'"):
        compared(folder, tmp_path, "a", "b", metrics=("mpp",))
    with pytest.raises(UnknownNameError, match="no metric named 'success_end@50'"):
        compared(folder, tmp_path, "a", "b", metrics=("success_end@50",))
    with pytest.raises(UsageError, match="above 0 and up to 100 stands behind the @"):
        compared(folder, tmp_path, "a", "b", metrics=("mc@high",))
    with pytest.raises(UnknownNameError, match="way to --pair"):
        CompareSettings(tmp_path, pair="scenes")
    with pytest.raises(UnknownNameError, match="weights"):
        CompareSettings(tmp_path, weights="even")
    with pytest.raises(UsageError, match="--level is a share"):
        CompareSettings(tmp_path, level=95)
    copy = shutil.copytree(folder / "run-a", tmp_path / "copy")
    with pytest.raises(UsageError, match=r"The episode 'e0' of a is in .* and in"):
        compare([folder / "run-a", copy], CompareSettings(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_label_names_a_policy_and_its_checkpoint(folder, tmp_path):
    copy = shutil.copytree(folder / "run-a", tmp_path / "copy")
    runs = [f"pi0/1={folder / 'run-a'}", f"pi0/2={copy}", f"act={folder / 'run-b'}"]
    document = compare(runs, CompareSettings(tmp_path / "out", metrics=("mp",))).document
    assert [(p["name"], p["n"], p["checkpoints"]) for p in document["policies"]] == [
        ("pi0", 12, ["1", "2"]),
        ("act", 6, []),
    ]
    (row,) = document["comparisons"]
    assert (row["clustered"], row["paired"]) == (True, False)
    assert row["difference"]["why"] == "a policy has a single unit: no test"
    assert document["policies"][0]["estimates"]["mp"]["low"] is None
    whole = rewritten(shutil.copytree(copy, tmp_path / "two"), {"e1": {"policy": "other"}})
    with pytest.raises(UsageError, match="the label 'x' would make one of them"):
        compare([f"x={whole}", folder / "run-b"], CompareSettings(tmp_path / "no"))


def test_other_judges_and_changed_data(folder, tmp_path):
    policy_run(tmp_path, "d", B, judge="ramp")
    runs = [folder / "run-a", tmp_path / "run-d"]
    with pytest.raises(UsageError, match=r"different judges \(recorded and ramp\)"):
        compare(runs, CompareSettings(tmp_path / "out"))
    settings = CompareSettings(tmp_path / "out", across_judges=True)
    document = compare(runs, settings).document
    assert document["judge"]["name"] == "recorded and ramp"
    assert document["warnings"][0].startswith("The runs were judged by different judges")
    changed = shutil.copytree(folder / "run-a", tmp_path / "changed")
    record = json.loads((changed / "run.json").read_text())
    record["fingerprints"] = dict.fromkeys(record["fingerprints"], "other")
    (changed / "run.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="has changed between"):
        compare([folder / "run-a", f"x={changed}"], CompareSettings(tmp_path / "no"))


def test_a_metric_without_any_value_is_refused(tmp_path):
    for name in "ab":
        run = policy_run(tmp_path, name, A)
        rewritten(run, {f"e{k}": {"success_held": None} for k in range(6)})
    with pytest.raises(UsageError, match="No episode of the runs has a value of 'success_held'"):
        compared(tmp_path, tmp_path, "a", "b", metrics=("success_held",))
