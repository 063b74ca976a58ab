"""Where phases come from when there is no exact potential."""

from __future__ import annotations

import numpy as np
import pytest

from assay.benchmarks.pulse.keyframes import find_keyframes
from assay.benchmarks.pulse.phases import OSCILLATING, RETAINED, STATIC
from assay.benchmarks.pulse.truth import truth_of
from assay.errors import EpisodeError
from assay.records import Episode, Segment, Series


def marked(*segments, outcome=True, seconds=20.0):
    """Return an episode with subtasks and a clock of 30 samples a second."""
    clock = Series(np.arange(0, seconds, 1 / 30), np.zeros(round(30 * seconds)))
    return Episode(id="e", task="t", segments=segments, outcome=outcome, signals={"success": clock})


def test_subtasks_give_states_at_equal_shares():
    # 600 samples: floor(600 / 30) = 20 chunks over 2 phases give 10 states each.
    found = truth_of(marked(Segment("reach", 0, 5), Segment("lift", 5, 20)))
    assert found.route == "segments"
    assert len(found.times) == 21
    assert found.times[[0, 5, 10, 20]].tolist() == [0.0, 2.5, 5.0, 20.0]
    assert found.phi[[0, 10, 20]].tolist() == [0.0, 0.5, 1.0]
    assert set(found.kinds.tolist()) == {RETAINED}


def test_a_subtask_that_comes_again_and_a_still_one_are_not_retained():
    again = truth_of(marked(Segment("a", 0, 5), Segment("b", 5, 10), Segment("a", 10, 20)))
    phases = again.kinds.reshape(3, -1)
    assert phases[:, 0].tolist() == [OSCILLATING, RETAINED, OSCILLATING]
    still = truth_of(
        marked(Segment("a", 0, 10), Segment("b", 10, 20), Segment("still", 11, 19, "still"))
    )
    assert still.kinds.reshape(2, -1)[:, 0].tolist() == [RETAINED, STATIC]


@pytest.mark.parametrize(("outcome", "words"), [(False, "no success"), (None, "not known")])
def test_only_successes_count(outcome, words):
    with pytest.raises(EpisodeError, match=words):
        truth_of(marked(Segment("a", 0, 5), outcome=outcome))


def test_primitives_come_before_phases():
    times = np.arange(0, 10, 0.5)
    labels = {"primitive": ["grasp"] * 8 + ["lift"] * 12, "phase": ["approach"] * 20}
    signals = {name: Series(times, np.array(values)) for name, values in labels.items()}
    found = find_keyframes(Episode(id="e", task="t", signals=signals))
    assert found is not None
    assert found.route == "labels"
    assert found.times == (0.0, 4.0, 9.5)
    assert found.names == ("grasp", "lift")


def test_a_gripper_and_a_stop_are_change_points():
    times = np.arange(0, 10, 0.1)
    gripper = np.where(times < 5.0, 1.0, 0.0)
    joints = np.stack([np.minimum(times, 3.0), np.minimum(times, 3.0)], axis=1)  # stops at 3 s
    signals = {"gripper_opening": Series(times, gripper), "joint_position": Series(times, joints)}
    found = find_keyframes(Episode(id="e", task="t", signals=signals))
    assert found is not None
    assert found.route == "change points"
    assert found.times == pytest.approx((0.0, 3.0, 5.0, 9.9))


def test_nothing_tells_of_phases():
    assert find_keyframes(Episode(id="e", task="t")) is None
    with pytest.raises(EpisodeError, match="tell its phases"):
        truth_of(Episode(id="e", task="t", outcome=True))
