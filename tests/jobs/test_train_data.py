"""What a judge is taught, and what is held out: each value derived by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import EpisodeError
from assay.jobs._train_blind import blind_spots
from assay.jobs._train_made import KINDS, made_clips, success_only
from assay.jobs._train_scores import Held, calibration, end_auc, scores
from assay.jobs._train_split import held_out, split_by
from assay.jobs._train_targets import FAILED_END, target_of
from assay.judges.prm_mini._clips import Clip, takes
from assay.records import Episode, Segment, Series

TIMES = np.arange(11.0)


def episode(**fields) -> Episode:
    return Episode(**{"id": "e", "task": "t", **fields})


def test_a_world_knows_its_progress():
    series = Series(np.array([0.0, 5.0]), np.array([0.25, 0.75]))
    found = target_of(episode(world="w", signals={"progress": series}), TIMES)
    assert found.origin == "world"
    assert found.values.tolist() == [0.25] * 5 + [0.75] * 6


def test_subtasks_are_even_within_and_flat_between():
    # reach 0..2, a pause, lift 4..6: 1/2 at 2 and at 4, 3/4 at 5, 1 from 6 on
    marked = (Segment("reach", 0.0, 2.0), Segment("lift", 4.0, 6.0))
    found = target_of(episode(segments=marked, plan=("reach", "lift")), TIMES)
    assert found.origin == "subtasks"
    assert found.values[:8].tolist() == [0, 0.25, 0.5, 0.5, 0.5, 0.75, 1, 1]


def test_a_failure_is_worth_the_subtasks_it_did():
    # one of three subtasks was done by 4 s; nothing is gained later
    marked = (Segment("reach", 0.0, 4.0),)
    plan = ("reach", "grasp", "lift")
    found = target_of(episode(segments=marked, plan=plan, outcome=False), TIMES)
    assert found.values[[2, 4, 10]] == pytest.approx([1 / 6, 1 / 3, 1 / 3])
    none = target_of(episode(plan=plan, outcome=False), TIMES)
    assert (none.origin, none.values.max()) == ("subtasks", 0.0)


def test_the_last_subtask_of_a_failure_counts_half():
    # a recorder closes the second of two subtasks although it failed: (2 - 1/2)/2
    marked = (Segment("reach", 0.0, 5.0), Segment("lift", 5.0, 10.0))
    found = target_of(episode(segments=marked, outcome=False), TIMES)
    assert found.values[[5, 10]].tolist() == [0.5, 0.75]


def test_time_runs_until_success():
    assert target_of(episode(), TIMES).values == pytest.approx(TIMES / 10)
    success = Series(TIMES, TIMES >= 5)
    found = target_of(episode(signals={"success": success}), TIMES)
    assert found.origin == "time"
    assert found.values == pytest.approx(np.minimum(TIMES / 5, 1))


def test_a_failure_known_by_its_label_alone():
    # the start is 0, the last tenth (9 s and later) is the middle, and nobody knows the rest
    found = target_of(episode(outcome=False), TIMES)
    assert found.origin == "label"
    assert found.values[0] == 0.0
    assert found.values[9:].tolist() == [FAILED_END] * 2
    assert np.isnan(found.values[1:9]).all()


def test_progress_outside_is_refused_and_a_gap_is_kept():
    bad = Series(TIMES, np.linspace(0, 2, 11))
    with pytest.raises(EpisodeError, match=r"progress 1\.2 at t = 6 s is outside"):
        target_of(episode(signals={"progress": bad}), TIMES)
    gap = Series(TIMES, np.where(TIMES == 3, np.nan, 0.5))
    found = target_of(episode(signals={"progress": gap}), TIMES)
    assert found.origin == "recorded"
    assert np.isnan(found.values).tolist() == (TIMES == 3).tolist()
    with pytest.raises(EpisodeError, match="holds no value"):
        target_of(episode(signals={"progress": Series(TIMES, np.full(11, np.nan))}), TIMES)


def many(count: int, **fields) -> list[Episode]:
    return [episode(id=f"e{n:03d}", **fields) for n in range(count)]


@given(st.integers(1, 60), st.sampled_from([0.1, 0.2, 0.35, 0.5]), st.integers(0, 5), st.randoms())
def test_the_split_is_the_seeds_alone(count, share, seed, random):
    episodes = many(count)
    out = held_out(episodes, share, seed)
    shuffled = random.sample(episodes, count)
    assert held_out(shuffled, share, seed) == out
    assert len(out) == max(1, round(share * count))  # one is held out in any case


def test_another_seed_holds_others_out():
    episodes = many(40)
    assert held_out(episodes, 0.2, 0) != held_out(episodes, 0.2, 1)
    assert held_out(episodes, 0.0, 0) == frozenset()


def test_a_scene_is_held_out_as_a_whole():
    # 10 scenes, two attempts each: two scenes go, with both of their attempts
    episodes = [episode(id=f"{p}{n}", scene=f"s{n}") for n in range(10) for p in "ab"]
    assert split_by(episodes) == "scene"
    out = held_out(episodes, 0.2, 3)
    assert len(out) == 4
    assert {name[1:] for name in out if name[0] == "a"} == {n[1:] for n in out if n[0] == "b"}


def test_few_scenes_are_not_spared():
    episodes = [episode(id=f"e{n}", scene=f"s{n % 2}") for n in range(10)]
    assert split_by(episodes) == "episode"
    assert len(held_out(episodes, 0.2, 0)) == 2


def test_every_task_is_held_out():
    episodes = [episode(id=f"{t}{n}", task=t) for t in ("x", "y") for n in range(10)]
    assert {name[0] for name in held_out(episodes, 0.2, 0)} == {"x", "y"}


def test_a_scene_of_two_tasks_is_held_out_of_both():
    # the same 10 scenes under both tasks: two scenes go, and no half of one is learnt from
    episodes = [episode(id=f"{t}{n}", task=t, scene=f"s{n}") for t in "xy" for n in range(10)]
    for seed in range(5):
        out = held_out(episodes, 0.2, seed)
        assert len(out) == 4
        assert {name[1:] for name in out if name[0] == "x"} == {n[1:] for n in out if n[0] == "y"}


def test_tasks_of_two_episodes_give_their_share():
    # 10 tasks of 2 episodes: a fifth of all is 4, of 4 tasks, and the seed decides which
    episodes = [episode(id=f"{t}{n}", task=t) for t in "abcdefghij" for n in range(2)]
    drawn = [frozenset(name[0] for name in held_out(episodes, 0.2, seed)) for seed in range(5)]
    assert [len(tasks) for tasks in drawn] == [4] * 5
    assert len(set(drawn)) > 1


def clip(name: str, *, task: str = "t", count: int = 9, view: str = "front", **fields) -> Clip:
    """A clip of which frame k is of grey k and worth k / (count - 1)."""
    frames = np.repeat(np.arange(count, dtype=np.uint8), 12).reshape(count, 2, 2, 3)
    values = np.linspace(0, 1, count, dtype=np.float32)
    told = {"instructions": (f"do {task}",), "success": True, **fields}
    return Clip(frames, values, task=task, episode=name, view=view, **told)


@given(st.integers(2, 30), st.integers(0, 50))
def test_made_frames_keep_their_worth(count, seed):
    clips = [clip(f"e{n}", count=count, view=v) for n in range(4) for v in ("front", "side")]
    made, counts = made_clips(clips, np.random.default_rng(seed))
    assert counts == {"retraced": 1, "rewound": 1, "shuffled": 1, "frozen": 1}
    for take in takes(made):
        front, side = take.clips
        assert np.array_equal(front.frames, side.frames)  # views stay in step
        grey = front.frames[:, 0, 0, 0] / (count - 1)
        assert front.values == pytest.approx(grey)
        assert front.success is not True  # its end is no goal
    kinds = {take.first.episode.split(" (")[1][:-1]: take.first.values for take in takes(made)}
    assert kinds["rewound"].tolist() == clips[0].values[::-1].tolist()
    assert kinds["retraced"][-1] < 1.0
    assert sorted(kinds["shuffled"]) == clips[0].values.tolist()
    assert kinds["frozen"].max() < 1.0


def test_frames_of_another_task_are_worth_nothing():
    clips = [clip(f"e{n}", task="ab"[n % 2]) for n in range(10)]
    made, counts = made_clips(clips, np.random.default_rng(0))
    assert counts == dict.fromkeys(KINDS, 2)
    wrong = [one for one in made if one.episode.endswith("(other task)")]
    assert {(one.task, one.instructions) for one in wrong} <= {("a", ("do b",)), ("b", ("do a",))}
    assert all(one.values.max() == 0.0 for one in wrong)


def test_nothing_is_made_where_failures_are_known():
    clips = [clip("e0"), clip("e1", success=False), clip("e2", task="other")]
    assert success_only(clips) == {"other"}
    made, counts = made_clips(clips, np.random.default_rng(0))
    assert sum(counts.values()) == 1
    assert [one.task for one in made] == ["other"]


def held(truth, guess, success=True) -> Held:
    return Held(np.array(truth, dtype=float), np.array(guess, dtype=float), success)


def test_scores_by_hand():
    # truth 0 .5 .2: three pairs, of which (1, 2) is anti-time; the guess gets 0-1 and 0-2 right
    found = scores([held([0, 0.5, 0.2], [0, 0.4, 0.6])])
    assert found["pairs"]["value"] == pytest.approx(2 / 3)
    assert found["anti_time"]["value"] == 0.0
    assert found["error"]["value"] == pytest.approx((0 + 0.1 + 0.4) / 3)
    assert (found["end_auc"]["value"], found["end_auc"]["n"]) == (None, 1)  # there is no failure


def test_ties_are_wrong_and_gaps_make_no_pair():
    # NaN in the middle leaves the pair (0, 2) alone, and the guess sees no difference
    assert scores([held([0, np.nan, 1], [0.5, 0.5, 0.5])])["pairs"]["value"] == 0.0
    still = scores([held([0.3, 0.3], [0, 1])])["pairs"]  # no pair differs by 0.05
    assert (still["value"], still["n"], still["why"]) == (None, 0, "no episode has such moments")


def test_end_auc_by_hand():
    # successes end at .9 and .5, failures at .5 and .1: 3 wins and a tie of 4
    ends = [held([0, 1], [0, 0.9]), held([0, 1], [0, 0.5])]
    ends += [held([0, 0], [0, 0.5], success=False), held([0, 0], [0, 0.1], success=False)]
    assert end_auc(ends)["value"] == pytest.approx(3.5 / 4)


def test_calibration_by_hand():
    # guesses .1 and .15 share the second bin, with truths .2 and .4; 1.0 belongs to the last
    bins = calibration([held([0.2, 0.4, 1.0, np.nan], [0.1, 0.15, 1.0, 0.5])])
    assert [b["n"] for b in bins] == [2, 1]
    assert bins[0]["guess"] == pytest.approx(0.125)
    assert bins[0]["truth"] == pytest.approx(0.3)
    assert bins[0]["sd"] == pytest.approx(0.1)
    assert calibration([]) == []


FACTS = {
    "episodes": {"trained": 8, "held_out": 2},
    "labels": {"successes": 10, "failures": 0, "unknown": 0},
    "made": {"retraced": 2, "frozen": 1},
    "instructions": ["lift it"],
    "targets": {"time": 10},
    "views": ["front"],
    "size": 96,
    "settings": {"fps": 5.0},
    "scenes": 10,
    "perturbations": [],
}


def test_what_it_cant_see_is_said():
    said = " ".join(blind_spots(FACTS))
    for words in (
        "Only 2 episodes held out",
        "no failure",
        "(2 retraced and 1 frozen)",
        "one instruction, “lift it”",
        "In 10 episodes progress is the elapsed time",
        "1 view (front)",
        "96 x 96 pixels, 5 times a second",
        "gone within 0.2 s",
        "10 scenes",
        "light, colours, background",
    ):
        assert words in said


def test_what_it_can_see_is_not_denied():
    richer = {
        **FACTS,
        "episodes": {"trained": 40, "held_out": 10},
        "labels": {"successes": 25, "failures": 25, "unknown": 0},
        "instructions": ["lift it", "push it"],
        "targets": {"world": 50},
        "perturbations": ["lighting"],
    }
    said = " ".join(blind_spots(richer))
    for words in ("no failure", "Only", "one instruction", "elapsed", "were changed"):
        assert words not in said
    assert "Nothing was held out" in " ".join(
        blind_spots({**FACTS, "episodes": {"trained": 9, "held_out": 0}})
    )
