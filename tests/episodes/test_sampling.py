"""Moments to judge, and views walked in step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.sampling import grid, synced, uniform
from assay.episodes.video import VideoFrames
from assay.errors import EpisodeError, UsageError
from assay.records import View
from clips import number_of, write_clip

DURATIONS = st.floats(0, 1e4)
RATES = st.floats(0.01, 60)


def test_uniform_includes_both_ends():
    assert uniform(3.0, 4).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert uniform(3.0, 1).tolist() == [0.0]
    assert uniform(0.0, 16).tolist() == [0.0]


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        (0.0, [0.0]),  # one frame
        (0.1, [0.0, 0.1]),  # shorter than a period: both ends
        (1.0, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (1.1, [0.0, 0.25, 0.5, 0.75, 1.1]),  # 0.1 s is under half a period: no moment of its own
        (1.2, [0.0, 0.25, 0.5, 0.75, 1.0, 1.2]),  # 0.2 s is over half a period
    ],
)
def test_grid_at_4_fps(duration, expected):
    np.testing.assert_allclose(grid(duration, 4.0), expected)


def test_grid_is_thinned_evenly_and_keeps_both_ends():
    # 0, .25, ..., 4 are 17 moments; 5 of them at equal distances are every fourth.
    np.testing.assert_allclose(grid(4.0, 4.0, cap=5), [0, 1, 2, 3, 4])
    np.testing.assert_allclose(grid(4.0, 4.0, cap=2), [0, 4])
    assert len(grid(4.0, 4.0, cap=17)) == 17


@given(DURATIONS, RATES, st.none() | st.integers(2, 64))
def test_grid_properties(duration, fps, cap):
    times = grid(duration, fps, cap)
    steps = np.diff(times)
    assert times[0] == 0.0
    assert times[-1] == duration
    assert (steps > 0).all()
    if cap is not None:
        assert len(times) <= cap
    elif duration * fps > 1:
        np.testing.assert_allclose(steps[:-1], 1 / fps, rtol=1e-6)
        assert 0.499 < steps[-1] * fps < 1.501


@given(DURATIONS, st.integers(1, 100))
def test_uniform_properties(duration, count):
    times = uniform(duration, count)
    assert len(times) == (count if duration > 0 else 1)
    assert times[0] == 0.0
    assert (np.diff(times) >= 0).all()
    assert count == 1 or times[-1] == duration


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: uniform(1.0, 0), "At least one moment"),
        (lambda: uniform(float("nan"), 4), "duration must be 0 s or more, not nan"),
        (lambda: grid(-1.0, 4.0), r"duration must be 0 s or more, not -1\.0"),
        (lambda: grid(float("inf"), 4.0), "duration must be"),
        (lambda: grid(1.0, 0.0), "sampling rate must be above 0"),
        (lambda: grid(1.0, 4.0, cap=1), "so 2, not 1"),
        (lambda: next(synced({}, np.zeros(1))), "no views"),
    ],
)
def test_bad_requests(call, message):
    with pytest.raises(UsageError, match=message):
        call()


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """Three cameras of one scene: 30 fps for 2 s, 10 fps for 2 s, 30 fps for 1 s."""
    folder = tmp_path_factory.mktemp("views")
    made = {
        "front": write_clip(folder / "front.mp4", frames=61, fps=30),
        "wrist": write_clip(folder / "wrist.mp4", frames=21, fps=10, codec="av1"),
        "short": write_clip(folder / "short.mp4", frames=31, fps=30),
    }
    return {name: View(VideoFrames(str(path))) for name, path in made.items()}


def test_views_of_unequal_rate_are_walked_by_time(views):
    pair = {name: views[name] for name in ("front", "wrist")}
    seen = [
        {name: number_of(image) for name, image in moment.items()}
        for moment in synced(pair, np.array([0.0, 0.5, 0.55, 2.0]))
    ]
    # 30 frames a second against 10: frame 16 is shown from 0.533 s, frame 5 from 0.5 s.
    assert seen == [
        {"front": 0, "wrist": 0},
        {"front": 15, "wrist": 5},
        {"front": 16, "wrist": 5},
        {"front": 60, "wrist": 20},
    ]


def test_a_view_that_ends_earlier_holds_its_last_frame_for_half_a_second(views):
    pair = {name: views[name] for name in ("front", "short")}
    walk = synced(pair, np.array([0.9, 1.5, 1.6]))
    assert number_of(next(walk)["short"]) == 27
    held = next(walk)  # the last frame of the short view is shown at 1.0 s
    assert (number_of(held["front"]), number_of(held["short"])) == (45, 30)
    with pytest.raises(EpisodeError, match=r"View 'short' has frames from 0\.000 s to 1\.000 s"):
        next(walk)
