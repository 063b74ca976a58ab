"""A rollout of a Gymnasium environment from Python: how it goes on, and who follows it."""

from __future__ import annotations

import sys

import pytest

import killed
from assay.episodes import catalogue
from assay.errors import MissingExtraError, RunError
from assay.jobs.rollout_gym import GymRolloutSettings, rollout_gym
from assay.jobs.watch import WatchSettings, watch
from assay.worlds.gym.policies import make_gym_policy
from assay.worlds.gym.reading import GymOptions
from gym_made import Line

WORDS = [
    *killed.ASSAY, "rollout", "gym:gym_made:Line", "--out", "run", "--seeds", "0:6",
    "--policy", "gym_made:Logged", "--jobs", "1",
]  # fmt: skip


def settings(out, policy="gym_made:Onward", seeds="0:2", **more) -> GymRolloutSettings:
    policies = {"it": make_gym_policy(policy, outside=True)}
    return GymRolloutSettings(out, Line, policies, seeds=seeds, **{"views": (), "jobs": 1, **more})


def test_a_factory_is_passed_as_it_is(tmp_path):
    made = rollout_gym(settings(tmp_path / "run", views=None, keywords={"fault": "two"}))
    assert made.ok
    assert made.document["settings"]["task"]["environment"] == "gym:gym_made:Line"
    assert made.document["settings"]["task"]["made_with"] == {"fault": "two"}
    assert made.document["dataset"]["views"] == ["near", "far"]
    assert [e.seed for e in catalogue.read(made.out)] == [0, 1]


def test_other_settings_are_another_run(tmp_path):
    rollout_gym(settings(tmp_path / "run"))
    with pytest.raises(RunError, match="settings differ in task"):
        rollout_gym(settings(tmp_path / "run", options=GymOptions(success="terminated")))


def test_random_actions_follow_the_seed(tmp_path):
    def actions(name, seeds):
        asked = settings(tmp_path / name, "random", seeds, options=GymOptions(limit_s=1.0))
        found = [
            e.signals["action"].values.tolist() for e in catalogue.read(rollout_gym(asked).out)
        ]
        return dict(zip(seeds, found, strict=True))

    first, second = actions("first", [4, 5]), actions("second", [5, 4])
    assert first == second
    assert first[4] != first[5]


def test_an_environment_is_made_anew_after_its_own_fault(tmp_path):
    made = []

    class Worn(Line):
        """Raise in every step of the first one that attempts are made in."""

        def __init__(self, render_mode=None):
            super().__init__(render_mode)
            made.append(self)

        def step(self, action):
            if made.index(self) == 1:  # 0 is the trial
                raise RuntimeError("worn out")
            return super().step(action)

    policies = {"it": make_gym_policy("gym_made:Onward", outside=True)}
    found = rollout_gym(
        GymRolloutSettings(tmp_path / "run", Worn, policies, seeds="0:3", views=(), jobs=1)
    )
    assert [f["seed"] for f in found.document["failures"]] == [0]
    assert found.document["policies"][0]["status"]["ok"] == 2
    assert len(made) == 3


def test_kill_and_resume_gives_the_same_files_and_repeats_nothing(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
    assert killed.start(whole, WORDS).wait(killed.DEADLINE_S) == 0

    def begun() -> int:
        return len(killed.begun(cut, "attempts.log"))

    assert killed.kill(killed.start(cut, WORDS, hold="6"), lambda: begun() >= 3)
    stored, before = len(killed.keys(cut / "run" / "journal.sqlite")), begun()
    assert killed.start(cut, WORDS).wait(killed.DEADLINE_S) == 0
    assert begun() - before == 6 - stored
    assert killed.files_of(cut / "run") == killed.files_of(whole / "run")


def test_a_watch_follows_success(tmp_path):
    runs = []
    for label, policy in (("fast", "gym_made:Onward"), ("aimless", "random")):
        asked = settings(tmp_path / label, policy, "0:6", options=GymOptions(limit_s=0.5))
        runs.append(f"{label}={rollout_gym(asked).out}")
    told = watch(runs, WatchSettings(tmp_path / "watch", metrics=("success_end",), once=True))
    (stream,) = [s for s in told.document["streams"] if s["b"]]
    assert (stream["pairs"], stream["value"]) == (6, 1.0)


def test_without_gymnasium_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'assay\[gym\]'"):
        rollout_gym(settings(tmp_path / "run"))
