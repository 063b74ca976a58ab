"""Checks on a real RLDS dataset: `make real RLDS=DIR`, 25 episodes of Bridge."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from assay.episodes import catalogue
from assay.judges import make_judge
from assay.records import Episode


@pytest.fixture(scope="module")
def folder():
    return Path(os.environ["RLDS"])


@pytest.fixture(scope="module")
def found(folder):
    return list(catalogue.read(folder))


def test_25_episodes_are_read_within_a_second(found, folder):
    began = time.process_time()  # of this process: a busy machine changes nothing
    again = list(catalogue.read(folder))
    assert time.process_time() - began < 1
    assert [e.id for e in again] == [f"train_{n:06d}" for n in range(25)]
    assert all(isinstance(e, Episode) for e in found)


def test_traces_have_the_ranges_of_a_small_arm(found):
    for episode in found:
        assert episode.instruction
        position = episode.signals["ee_position"].values
        assert (np.abs(position) < 1).all(), episode.id  # within a metre of the base
        opening = episode.signals["gripper_opening"].values
        assert ((opening >= 0) & (opening <= 1)).all()
        assert episode.signals["action"].values.shape[1] == 7
        steps = np.diff(position, axis=0)
        assert np.linalg.norm(steps, axis=1).max() < 0.2, episode.id  # at 5 steps a second


def test_pictures_come_from_every_view(found):
    for episode in found[:5]:
        for view in episode.views.values():
            clock = view.frames.clock()
            shown = list(view.frames.at(clock))
            assert {picture.shape for picture in shown} == {(64, 64, 3)}
            assert len(shown) == len(clock) == len(episode.signals["action"].times)


def test_instruments_raise_an_alarm_on_one_episode_in_ten_at_most(found):
    judge = make_judge("instruments")
    judged = {episode.id: judge.diagnose(episode) for episode in found}
    assert {one.status for one in judged.values()} == {"ok"}
    alarms = {name: one.value for name, one in judged.items() if one.value}
    assert 10 * len(alarms) <= len(found), alarms
