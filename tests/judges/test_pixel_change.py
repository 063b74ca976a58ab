"""The null judge that takes change for progress."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pictures_made as make
from assay.errors import EpisodeError, UsageError
from assay.judges import check_judge, make_judge
from assay.judges._null import NullJudge
from assay.judges.pixel_change import PixelChange
from assay.records import View


def progress(pictures, times=None, **options):
    episode = make.episode(pictures)
    asked = np.arange(float(len(pictures))) if times is None else np.array(times)
    return make_judge("pixel-change", options).progress(episode, asked).values


def test_progress_is_the_mean_change_over_the_scale():
    # 51 of 255 grey levels is 0.2, and 0.2 / 0.5 = 0.4; 102 levels are twice that
    values = progress([make.grey(0), make.grey(51), make.grey(102)], scale="0.5")
    assert values == pytest.approx([0.0, 0.4, 0.8])


def test_change_in_either_direction_counts():
    values = progress([make.grey(100), make.grey(49), make.grey(151)], scale="0.5")
    assert values == pytest.approx([0.0, 0.4, 0.4])


def test_more_than_the_scale_is_one():
    # 255 levels are 1.0, ten times the scale of 0.1
    assert progress([make.grey(0), make.grey(255)]).tolist() == [0.0, 1.0]


def test_the_start_is_the_episodes_own_whatever_is_asked_for():
    pictures = [make.grey(0), make.grey(51), make.grey(102)]
    assert progress(pictures, [1.0, 2.0], scale="0.5") == pytest.approx([0.4, 0.8])


def test_a_part_of_the_picture_counts_by_its_area():
    # a block of 1/4 x 1/4 moves by its width: 1/16 turns dark and 1/16 turns white by 215 levels
    values = progress([make.block(0), make.block(16)], size="64", scale="1")
    assert values[1] == pytest.approx(2 / 16 * 215 / 255)


def test_long_videos_are_walked_in_parts():
    # 100 frames are more than are held at once; frame k has changed by k of 255 levels
    values = progress([make.grey(k) for k in range(100)], scale="1")
    assert values == pytest.approx(np.arange(100) / 255)


@given(st.lists(st.integers(0, 255), min_size=1, max_size=8))
def test_a_larger_change_is_never_less_progress(levels):
    episode = make.episode([make.grey(level) for level in levels])
    values = PixelChange().progress(episode, np.arange(float(len(levels)))).values
    change = np.abs(np.array(levels) - levels[0])
    assert values[0] == 0.0
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values[np.argsort(change)]) >= 0).all()


def two_views(*, moves):
    still, moving = make.Shown([make.grey(0), make.grey(51)]), make.Shown([make.grey(0)] * 2)
    views = {"front": View(still), "wrist": View(moving, moves=moves)}
    return make.episode([], views=views)


@pytest.mark.parametrize(("moves", "expected"), [(True, 0.4), (False, 0.2)])
def test_a_view_that_moves_counts_only_where_there_is_no_other(moves, expected):
    # the front view changes by 0.4 of the scale, the wrist view by nothing
    judge = make_judge("pixel-change", {"scale": "0.5"})
    assert judge.progress(two_views(moves=moves), np.array([1.0])).values == pytest.approx(expected)


def test_a_moving_view_alone_is_better_than_nothing():
    episode = make.episode([make.grey(0), make.grey(255)], moves=True)
    assert make_judge("pixel-change").progress(episode, np.array([1.0])).values.tolist() == [1.0]


def test_the_view_can_be_named():
    judge = make_judge("pixel-change", {"view": "wrist"})
    values = judge.progress(two_views(moves=True), np.array([1.0])).values
    assert values.tolist() == [0.0]


def test_an_unknown_view_is_named():
    judge = make_judge("pixel-change", {"view": "fornt"})
    with pytest.raises(EpisodeError, match=r"no view in e named 'fornt'. Did you mean 'front'"):
        judge.progress(two_views(moves=True), np.array([1.0]))


def test_it_is_a_null_judge_that_keeps_the_contract():
    judge = make_judge("pixel-change")
    check_judge(judge, make.episode([make.grey(0), make.grey(9)]), np.array([0.0, 1.0]))
    assert isinstance(judge, NullJudge)
    assert judge.needs == {"frames"}


def test_its_clock_is_that_of_the_frames():
    judge = make_judge("pixel-change")
    episode = make.episode([make.grey(0)] * 3)
    assert judge.clock(episode, 1.0).tolist() == [0.0, 1.0, 2.0]
    assert len(judge.clock(episode, None)) == 11


def hop(before, after, start=0, scale=0.1):
    shown = [{"front": make.grey(level)} for level in (before, after, start)]
    return PixelChange(scale=scale).hop("push", *shown, None)


def test_a_hop_is_the_growth_of_the_change():
    # from 25 to 76 levels of change is 51 of 255, so 0.2, over a scale of 0.5
    assert hop(25, 76, scale=0.5).value == pytest.approx(0.4)


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_hops_change_sign_when_swapped(before, after, start):
    there, back = hop(before, after, start).value, hop(after, before, start).value
    assert there == -back
    assert -1 <= there <= 1


@pytest.mark.parametrize("start", [None, {"side": make.grey(0)}])
def test_a_hop_without_a_start_is_not_judged(start):
    before, after = {"front": make.grey(0)}, {"front": make.grey(9)}
    judged = make_judge("pixel-change").hop("push", before, after, start, None)
    assert (judged.value, judged.status) == (None, "no_reference")
    assert "pass its pictures" in judged.detail


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"size": "4"}, "size of pixel-change must be from 8 to 512 pixels, not 4"),
        ({"scale": "0"}, "scale of pixel-change must be above 0, not 0"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        make_judge("pixel-change", options)
