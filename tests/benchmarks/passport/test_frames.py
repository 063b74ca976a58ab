"""Videos shown in other ways: what a judge sees is what was meant, pictures and signals alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.passport import material, transforms
from assay.benchmarks.passport.frames import Rearranged, StoredFrames
from assay.errors import EpisodeError, UsageError
from passport_made import drawn_episode

GREYS = st.lists(st.integers(0, 255), min_size=4, max_size=30)


def seen(episode, times):
    """Return the grey levels shown at `times`."""
    return [int(image[0, 0, 0]) for image in episode.views["front"].frames.at(times)]


def told(episode, times):
    """Return the progress signal at `times` as grey levels."""
    return np.round(255 * episode.at("progress", times)).astype(int).tolist()


@given(GREYS)
def test_backwards_twice_is_the_episode_itself(grey):
    episode = drawn_episode(grey)
    times = episode.views["front"].frames.clock()
    once, turned = transforms.backwards(episode, times)
    twice, again = transforms.backwards(once, turned)
    assert seen(once, turned) == told(once, turned) == grey[::-1]
    assert np.allclose(again, times)
    assert seen(twice, again) == told(twice, again) == grey


@given(GREYS)
def test_a_loop_is_the_way_there_and_the_way_back(grey):
    episode = drawn_episode(grey)
    shown, times = transforms.looped(episode, episode.views["front"].frames.clock())
    assert (np.diff(times) > 0).all()
    assert seen(shown, times) == told(shown, times) == grey + grey[-2::-1]


@given(GREYS, st.data())
def test_a_still_video_shows_one_frame(grey, data):
    episode = drawn_episode(grey)
    times = episode.views["front"].frames.clock()
    place = data.draw(st.integers(0, len(grey) - 1))
    shown = transforms.still(episode, times, float(times[place]))
    assert set(seen(shown, times)) == set(told(shown, times)) == {grey[place]}


@given(GREYS)
def test_thinning_keeps_every_second_frame(grey):
    episode = drawn_episode(grey)
    shown, times = transforms.thinned(episode, episode.views["front"].frames.clock())
    assert seen(shown, times) == told(shown, times) == grey[::2]


def test_what_tells_of_the_episode_as_it_was_is_left_out():
    episode = drawn_episode([0, 1, 2, 3])
    shown, _ = transforms.backwards(episode, episode.views["front"].frames.clock())
    assert (shown.outcome, shown.segments) == (None, ())
    assert (shown.id, shown.world) == (episode.id, episode.world)


def test_other_orders_have_other_keys():
    inner = StoredFrames(np.arange(3.0), np.zeros((3, 2, 2, 3), dtype=np.uint8), "a")
    forward = Rearranged(inner, np.arange(3.0), np.arange(3.0))
    turned = Rearranged(inner, np.arange(3.0), np.arange(3.0)[::-1].copy())
    assert len({inner.key(), forward.key(), turned.key()}) == 3
    other = StoredFrames(np.arange(3.0), np.ones((3, 2, 2, 3), dtype=np.uint8), "a")
    assert other.key() != inner.key()


def test_between_two_frames_the_earlier_is_shown():
    episode = drawn_episode([5, 6, 7, 8])
    assert seen(episode, np.array([-1.0, 0.1, 0.2, 0.59, 9.0])) == [5, 5, 6, 7, 8]


def test_an_episode_that_is_stored_looks_the_same():
    episode = drawn_episode(list(range(40)), fps=10.0)
    times = transforms.clock_of(episode)
    kept = transforms.stored(episode, times)
    # 3.9 s at 5 a second: 0, 0.2, ..., 3.6, 3.9 (the last step may be half longer): every 2nd
    assert times[:3].tolist() == [0.0, 0.2, 0.4]
    assert times[-1] == pytest.approx(3.9)
    assert seen(kept, times) == told(kept, times) == seen(episode, times)


def test_long_episodes_are_looked_at_in_48_moments():
    episode = drawn_episode([0] * 200, fps=1.0)
    assert len(transforms.clock_of(episode)) == transforms.MOST == 48


def test_large_pictures_are_held_at_fewer_moments(monkeypatch):
    # 8 x 8 x 3 bytes a picture: 20 of them fit into 3,840 bytes, and never fewer than 12
    episode = drawn_episode([0] * 100, fps=5.0)
    for most, expected in ((3_840, 20), (10, 12), (10**9, 48)):
        monkeypatch.setattr(material, "_MOST_BYTES", most)
        assert len(material.recorded(episode).times) == expected


def test_an_episode_of_two_frames_is_too_short():
    with pytest.raises(EpisodeError, match="only 2 moments, and 4 are needed"):
        transforms.clock_of(drawn_episode([0, 9]))


def test_no_frames_is_one_sentence():
    with pytest.raises(UsageError, match="no frames to show"):
        list(StoredFrames(np.empty(0), np.empty((0, 2, 2, 3), np.uint8)).at(np.array([0.0])))
