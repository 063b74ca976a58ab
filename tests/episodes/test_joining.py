"""Curves joined to episodes: what they change, and the sentence for every fault."""

from __future__ import annotations

from assay.episodes.joining import join_curves
from assay.records import Episode, Unreadable
from labelled import episode, fault


def write(tmp_path, text, name="progress.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_curves_are_joined_by_id(tmp_path):
    path = write(
        tmp_path,
        "episode,t,progress,task,success\n"
        "ep_002,0,0.5,place,0\n"
        "ep_002,1,0.25,,1\n"
        "ep_003,1,0,,\n"
        "ep_003,0,0,,\n",
    )
    found = [episode("ep_001"), Episode("ep_002", "pick", policy="act"), Episode("ep_003", "pick")]
    first, second, third = join_curves(found, path)
    assert first is found[0]
    assert second.signals["progress"].values.tolist() == [0.5, 0.25]
    assert (second.task, second.policy, second.outcome) == ("place", "act", True)
    assert third == Unreadable(
        "ep_003",
        f"{path}, row 5: the time 0.0 s does not come after 1.0 s; times must increase.",
        "pick",
        status="invalid_value",
    )


def test_an_unreadable_episode_stays_so_with_a_curve(tmp_path):
    path = write(tmp_path, "episode,t,progress,policy\na,0,0.5,act\n")
    assert join_curves([Unreadable("a", "gone", "pick")], path) == [
        Unreadable("a", "gone", "pick", "act")
    ]


def test_a_curve_without_an_episode_is_refused(tmp_path):
    path = write(tmp_path, "episode,t,progress\nep_001,0,0\nep_01,0,0\n")
    assert fault(join_curves, [episode()], path) == (
        f"{path}, row 3: no episode 'ep_01'; nearest: 'ep_001'."
    )


def test_two_curves_for_one_episode_are_refused(tmp_path):
    path = write(tmp_path, "episode,t,progress\nep_001,0,0\nep_001.mp4,0,0\n")
    assert fault(join_curves, [episode()], path, {"ep_001.mp4": "ep_001"}) == (
        f"{path}, row 3: 'ep_001.mp4' and 'ep_001' both name the episode 'ep_001'."
    )


def test_one_success_for_the_episode_wins_over_a_recorded_signal(tmp_path):
    line = '{"episode": "ep_001", "t": [0], "progress": [0.5], "success": false}\n'
    (joined,) = join_curves([episode(extra={"note": 1})], write(tmp_path, line, "progress.jsonl"))
    assert joined.outcome is False
    assert "success" not in joined.signals
    # The curve ends at 0 s and the signal that was taken away at 1 s: so long was the episode.
    assert joined.duration() == 1.0
    assert joined.extra == {"note": 1}


def test_a_success_of_each_moment_replaces_a_recorded_signal(tmp_path):
    path = write(tmp_path, "episode,t,progress,success\nep_001,0,0,1\nep_001,1,1,0\n")
    (joined,) = join_curves([episode()], path)
    assert joined.signals["success"].values.tolist() == [True, False]
    assert joined.outcome is False


def test_a_curve_without_success_leaves_what_the_episode_says(tmp_path):
    (joined,) = join_curves([episode()], write(tmp_path, "episode,t,progress\nep_001,0,0\n"))
    assert joined.signals["success"].values.tolist() == [False, True]
    assert joined.outcome is True


def test_a_faulty_curve_keeps_the_episode_in_its_groups(tmp_path):
    fields = {"world": "lab", "scene": "s1", "perturbation": "dark", "seed": 7}
    path = write(tmp_path, "episode,t,progress,perturbation\nep_001,-1,0,bright\n")
    (joined,) = join_curves([episode(**fields, source="runs")], path)
    assert joined == Unreadable(
        "ep_001",
        f"{path}, row 2: the time -1.0 s is before the episode's start; times count from 0.",
        "pick",
        status="invalid_value",
        outcome=True,
        source="runs",
        **fields | {"perturbation": "bright"},
    )


def test_an_unreadable_episode_takes_every_group_from_its_curve(tmp_path):
    path = write(
        tmp_path,
        "episode,t,progress,instruction,world,scene,perturbation,seed,success\n"
        "a,0,0,lift,lab,s1,dark,7,1\n",
    )
    told = {"world": "lab", "scene": "s1", "perturbation": "dark", "seed": 7, "outcome": True}
    assert join_curves([Unreadable("a", "gone", "pick")], path) == [
        Unreadable("a", "gone", "pick", **told)
    ]
