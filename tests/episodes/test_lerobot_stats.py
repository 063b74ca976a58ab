"""Statistics of episodes and of the whole dataset."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.episodes.lerobot.writing.stats import STATS, PictureStats, Total, of_values

numbers = st.floats(-1e3, 1e3, width=32)


def test_values_by_hand():
    # Column 0 is 0..100, so its quantiles are their own per cents; mean 50, variance
    # (101^2 - 1) / 12 = 850. Column 1 is constant.
    values = np.stack([np.arange(101.0), np.full(101, 7.0)], axis=1)
    found = of_values(values)
    assert tuple(found) == STATS
    assert found["mean"].tolist() == [50.0, 7.0]
    assert found["std"] == pytest.approx([850**0.5, 0.0])
    assert found["q10"] == pytest.approx([10.0, 7.0])
    assert found["q99"] == pytest.approx([99.0, 7.0])
    assert found["count"].tolist() == [101]


def test_flags_are_counted_as_numbers():
    assert of_values(np.array([True, False, True, True]))["mean"].tolist() == [0.75]


def test_pictures_by_hand():
    # Two pictures of one grey level each, 51 and 204, in channel 0: 0.2 and 0.8 of 255. Mean 0.5,
    # spread 0.3; half of the pixels don't exceed 0.2, nine tenths don't exceed 0.8.
    seen = PictureStats(2)
    for number, level in enumerate((51, 204)):
        picture = np.zeros((4, 6, 3), np.uint8)
        picture[..., 0] = level
        seen.see(number, picture)
    found = seen.result()
    assert {value.shape for name, value in found.items() if name != "count"} == {(3, 1, 1)}
    assert found["count"].tolist() == [2]
    expected = {"min": 0.2, "max": 0.8, "mean": 0.5, "std": 0.3, "q50": 0.2, "q90": 0.8}
    for name, value in expected.items():
        assert found[name].ravel() == pytest.approx([value, 0.0, 0.0]), name


def test_long_episodes_are_looked_at_in_100_places():
    seen = PictureStats(1000)
    for number in range(1000):
        seen.see(number, np.zeros((2, 2, 3), np.uint8))
    assert seen.result()["count"].tolist() == [100]


@given(st.lists(hnp.arrays(float, st.tuples(st.integers(1, 6), st.just(2)), elements=numbers)))
def test_episodes_together_are_as_all_rows_at_once(episodes):
    total = Total()
    for values in episodes:
        total.add({"x": of_values(values)})
    if not episodes:
        assert total.as_json() == {}
        return
    found, whole = total.as_json()["x"], of_values(np.concatenate(episodes))
    for name in ("min", "max", "mean", "std", "count"):
        np.testing.assert_allclose(found[name], whole[name], rtol=1e-9, atol=1e-5)
    assert np.all(np.array(found["q01"]) <= np.array(found["q99"]) + 1e-9)
