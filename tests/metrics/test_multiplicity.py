"""Holm's adjustment and letters for groups."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.metrics.multiplicity import holm, letter_groups

relaxed = settings(deadline=None, max_examples=60)
NAMES = "ABCDEFG"
chosen = st.sets(st.sampled_from(list(combinations(NAMES, 2))))


def test_holm_by_hand() -> None:
    # In order .005 * 4 = .02, .01 * 3 = .03, .03 * 2 = .06, and .04 * 1 is lifted to .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_published_example() -> None:
    # R's p.adjust(c(.01, .02, .03, .04, .05), "holm").
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])


def test_what_was_not_tested_counts_nothing() -> None:
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([None]) == [None]
    assert holm([]) == []


@relaxed
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(p_values: list[float]) -> None:
    found = holm(p_values)
    for p, q in zip(p_values, found, strict=True):
        assert p <= q <= min(1.0, len(p_values) * p) + 1e-12
    pairs = sorted(zip(p_values, found, strict=True))
    assert [q for _, q in pairs] == sorted(found)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        holm([0.5, bad])


def test_letters_by_hand() -> None:
    # A is apart from D and E, B and C from E: groups ABC, BCD, DE.
    apart = [("A", "D"), ("E", "A"), ("B", "E"), ("C", "E")]
    found = letter_groups("ABCDE", apart)
    assert found == {"A": "a", "B": "ab", "C": "ab", "D": "bc", "E": "c"}


def test_piephos_example() -> None:
    # Piepho (2004), example 3: 8 treatments, five pairs apart. 1 stands with 6 and one of the
    # groups 23, 34, 45; so do 7 and 8. That 1 meets 2 to 5 takes two letters, that 7 and 8 meet
    # them takes two more, and 3 with 4 the fifth.
    apart = [("1", "7"), ("1", "8"), ("2", "4"), ("2", "5"), ("3", "5")]
    found = letter_groups("12345678", apart)
    assert set("".join(found.values())) == set("abcde")
    assert found["6"] == "abcde"
    assert found["7"] == found["8"]


def test_nobody_apart_and_everybody_apart() -> None:
    assert letter_groups("AB", []) == {"A": "a", "B": "a"}
    assert letter_groups("ABC", combinations("ABC", 2)) == {"A": "a", "B": "b", "C": "c"}
    assert letter_groups("", []) == {}


@relaxed
@given(chosen)
def test_a_shared_letter_means_not_separable(apart: set[tuple[str, str]]) -> None:
    found = letter_groups(NAMES, apart)
    for one, other in combinations(NAMES, 2):
        assert bool(set(found[one]) & set(found[other])) is ((one, other) not in apart)
    assert all(found.values())
    # The order in which pairs are named doesn't matter.
    assert letter_groups(NAMES, sorted((b, a) for a, b in apart)) == found


@relaxed
@given(chosen)
def test_no_letter_is_superfluous(apart: set[tuple[str, str]]) -> None:
    found = letter_groups(NAMES, apart)
    for letter in set("".join(found.values())):
        less = {name: set(letters) - {letter} for name, letters in found.items()}
        lost = [
            pair
            for pair in combinations(NAMES, 2)
            if pair not in apart and not less[pair[0]] & less[pair[1]]
        ]
        assert lost or not all(less.values())


def test_many_groups_are_thinned_one_by_one() -> None:
    # Ten names in a ring, each apart from its neighbours: far more groups than are counted out.
    ring = [f"p{k}" for k in range(10)]
    apart = {(ring[k], ring[(k + 1) % 10]) for k in range(10)}
    found = letter_groups(ring, apart)
    for one, other in combinations(ring, 2):
        told = (one, other) in apart or (other, one) in apart
        assert bool(set(found[one]) & set(found[other])) is not told


def test_more_groups_than_letters() -> None:
    names = [f"p{k}" for k in range(28)]
    found = letter_groups(names, combinations(names, 2))
    assert (found["p25"], found["p26"]) == ("z", "(27)")


@pytest.mark.parametrize("pair", [("A", "A"), ("A", "X")])
def test_pairs_of_other_names_are_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="two of the names given"):
        letter_groups("AB", [pair])


def test_a_name_that_stands_there_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="stands there twice"):
        letter_groups(["A", "A"], [])
