"""The part of prm-mini that looks at a moment together with the moments around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.judges.prm_mini._around import _END, Around, fit_around, near_falls
from assay.judges.prm_mini._clips import SIZE, Clip, Take
from assay.judges.prm_mini._network import STATE, Network
from assay.judges.prm_mini._running import Graphs, Looked
from assay.judges.prm_mini._saving import export
from assay.judges.prm_mini._seeing import conclude, embed
from assay.judges.prm_mini._windows import REACH, STEP_S, borne_out, windows


def states(values: list[float]) -> np.ndarray:
    """Return moments of which each is known by its value: states of two numbers."""
    found = np.array(values, dtype=np.float32)
    return np.stack([found, -found], axis=1)


def test_a_window_reaches_four_steps_to_either_side_and_stands_still_beyond_the_ends():
    # at 0, 0.2, 0.4 s: around the first moment the four before it are the first one again, and
    # around the last the four after it the last; a row is the state (r, -r)
    found = windows(np.array([0.0, 0.2, 0.4]), states([0.1, 0.5, 0.9]))
    assert found.shape == (3, 2 * REACH + 1, 2)
    np.testing.assert_allclose(found[0, :, 0], [*[0.1] * 5, 0.5, *[0.9] * 3], rtol=1e-6)
    np.testing.assert_allclose(found[2, :, 0], [*[0.1] * 3, 0.5, *[0.9] * 5], rtol=1e-6)
    np.testing.assert_allclose(found[1, 0], [0.1, -0.1], rtol=1e-6)


def test_between_two_pictures_things_change_evenly():
    # pictures at 0 and 0.8 s: 0.2 s after the first a quarter of the change is done,
    # 0.4 s a half, and 0.8 s all of it
    found = windows(np.array([0.0, 0.8]), states([0.0, 1.0]))
    np.testing.assert_allclose(found[0, :, 0], [*[0.0] * 5, 0.25, 0.5, 0.75, 1.0], atol=1e-6)


def test_more_pictures_a_second_show_the_same_windows():
    slow, fast = STEP_S * np.arange(6), STEP_S / 2 * np.arange(11)
    raw = np.linspace(0.0, 1.0, 11) ** 2
    few = windows(slow, states(raw[::2].tolist()))
    many = windows(fast, states(raw.tolist()))
    np.testing.assert_allclose(many[::2], few, atol=1e-6)


def test_one_moment_is_a_window_of_itself():
    found = windows(np.array([3.0]), states([0.4]))
    np.testing.assert_allclose(found[0, :, 0], [0.4] * (2 * REACH + 1), rtol=1e-6)


@given(arrays(np.float32, (3, 2 * REACH + 1, STATE), elements=st.floats(0, 1, width=32)))
def test_it_knows_no_arrow_of_time(window):
    around = Around(Network().head).eval()
    forwards = around(torch.from_numpy(window))
    backwards = around(torch.from_numpy(window[:, ::-1].copy()))
    torch.testing.assert_close(forwards, backwards)


def flickering(number: int, rng: np.random.Generator, count: int = 12) -> Take:
    """Return an attempt in two views whose brightness is the progress, but for one dark picture."""
    values = np.linspace(0.0, 1.0, count).astype(np.float32)
    shown = values.copy()
    shown[int(rng.integers(2, count - 2))] = 0.0
    frames = np.repeat((255 * shown).astype(np.uint8), SIZE * SIZE * 3)
    frames = frames.reshape(count, SIZE, SIZE, 3)
    told = {"instructions": ("Make it light.",), "task": "light", "episode": str(number)}
    return Take(tuple(Clip(frames, values, view=view, **told) for view in ("front", "side")))


@pytest.fixture(scope="module")
def taught() -> tuple[Network, Around, list[Take]]:
    rng = np.random.default_rng(0)
    attempts = [flickering(number, rng) for number in range(60)]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = Network().eval()
    return network, fit_around(network, attempts[:50], epochs=150), attempts[50:]


def test_it_sees_through_a_picture_that_lies(taught):
    """One picture in twelve is black: by itself nothing tells how far the task has got there."""
    network, around, held_out = taught
    wrong = []
    for take in held_out:
        seen = conclude(network, embed(network, take, take.fixed))
        times = STEP_S * np.arange(len(seen.raw))
        with torch.no_grad():
            found = around(torch.from_numpy(windows(times, seen.states))).numpy()
        dark = take.first.frames[1:, 0, 0, 0].argmin() + 1
        wrong.append(abs(found[dark] / (1.0 - _END) - take.first.values[dark]))  # not done yet
    # who takes the picture at its word is off by the progress itself: 0.5 in the mean
    assert np.mean(wrong) < 0.15


def test_the_graph_equals_the_network_and_has_its_say(taught, tmp_path: Path):
    network, around, held_out = taught
    export(network, tmp_path, around)
    graphs = Graphs.load(tmp_path)
    seen = conclude(network, embed(network, held_out[0], held_out[0].fixed))
    times = STEP_S * np.arange(len(seen.raw))
    window = windows(times, seen.states)
    with torch.no_grad():
        expected = around(torch.from_numpy(window)).numpy()
    np.testing.assert_allclose(graphs.around(window), expected, atol=1e-4)
    np.testing.assert_array_equal(borne_out(graphs, times, seen), graphs.around(window))
    assert not np.allclose(expected, seen.raw, atol=0.05)


def test_moments_around_a_fall_count_more():
    # 0.4 is lost between the moments 5 and 6; four steps to either side see it: 1 + 9 * 0.4 = 4.6
    truth = np.array([0.6] * 6 + [0.2] * 6, dtype=np.float32)
    np.testing.assert_allclose(near_falls(truth), [1, 1] + [4.6] * 8 + [1, 1], rtol=1e-6)


def test_a_fall_of_more_than_half_counts_as_one_of_half():
    # 1 + 9 * 0.5 = 5.5 where 0.9 is lost at once; a rise counts as any other moment
    truth = np.array([0.0, 0.9, 0.0], dtype=np.float32)
    np.testing.assert_allclose(near_falls(truth), [1.0, 5.5, 5.5], rtol=1e-6)


def test_a_judge_without_the_part_is_taken_at_its_word(taught, tmp_path: Path):
    network, around, _ = taught
    export(network, tmp_path, around)
    export(network, tmp_path)  # trained anew, and not to look around
    graphs = Graphs.load(tmp_path)
    assert not graphs.looks_around
    seen = Looked(np.array([0.3, 0.1]), states([0.3, 0.1]))
    np.testing.assert_array_equal(borne_out(graphs, np.array([0.0, 0.2]), seen), seen.raw)
