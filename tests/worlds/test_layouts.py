"""Places drawn on the table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.worlds.tasks._layouts import scatter

X, Y = (0.36, 0.60), (-0.22, 0.22)


def drawn(seed, names="abcd", gap=0.12, taken=()):
    return scatter(np.random.default_rng(seed), list(names), X, Y, gap, taken)


@given(st.integers(0, 2**32 - 1))
def test_places_keep_apart_and_stay_inside(seed):
    taken = ((0.48, 0.0, 0.10), (0.40, 0.2, 0.05))
    places = drawn(seed, taken=taken)
    assert list(places) == ["a", "b", "c", "d"]
    spots = np.array([(place.x, place.y) for place in places.values()])
    apart = np.linalg.norm(spots[:, None] - spots[None], axis=-1)
    assert np.all(apart[~np.eye(4, dtype=bool)] >= 0.12)
    for x, y, keep in taken:
        assert np.all(np.hypot(*(spots - (x, y)).T) >= keep)
    assert np.all((spots >= (X[0], Y[0])) & (spots <= (X[1], Y[1])))
    assert all(abs(place.yaw) <= np.pi / 4 and place.z == 0.0 for place in places.values())


@given(st.integers(0, 2**32 - 1))
def test_the_same_chance_gives_the_same_places(seed):
    assert drawn(seed) == drawn(seed)


def test_places_cover_the_rectangle():
    # 400 even draws from a quarter each: 100 expected, standard deviation sqrt(400 x 3/16) = 8.7.
    spots = [drawn(seed, "a")["a"] for seed in range(400)]
    for right in (False, True):
        for far in (False, True):
            count = sum((p.y > 0.0) == right and (p.x > 0.48) == far for p in spots)
            assert 100 - 4 * 8.7 < count < 100 + 4 * 8.7


def test_what_does_not_fit_is_refused():
    # Two spots in a rectangle of 0.24 x 0.44 m are at most 0.501 m apart.
    with pytest.raises(UsageError, match=r"no room for a, b between x 0.36 and 0.6 m and y -0.22"):
        drawn(0, "ab", gap=0.51)


def test_nothing_to_place_is_an_empty_layout():
    assert drawn(0, "") == {}
