"""The judge that compares with a goal picture."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pictures_made as make
from assay.errors import EpisodeError, InputError, UsageError
from assay.judges import check_judge, make_judge
from assay.judges.similarity_image import SimilarityImage
from assay.records import View

START, GOAL = make.block(0), make.block(48)


def judge_of(goal, **options):
    return make_judge("similarity-image", {"goal": str(goal), **options})


@pytest.fixture
def goal(tmp_path):
    return make.save(tmp_path / "done.png", GOAL)


def seconds(count):
    return np.arange(float(count))


def mixed(share):
    """A picture that has come `share` of the way from black to the goal's grey of 200."""
    return make.grey(round(200 * share))


def test_a_video_that_fades_to_the_goal_is_a_straight_line(tmp_path):
    # d(x, g) = (200 - 200 a) / 255 and d(s, g) = 200 / 255, so progress is a
    goal = make.save(tmp_path / "done.png", make.grey(200))
    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    curve = judge_of(goal).progress(make.episode([mixed(a) for a in shares]), seconds(5))
    assert curve.values == pytest.approx(shares)
    assert set(curve.status) == {"ok"}


def test_a_block_that_overlaps_the_goal_by_half_is_part_of_the_way(goal):
    # At the start two areas of a block differ from the goal, half way into it two halves do:
    # the root mean square falls by sqrt(1/2).
    curve = judge_of(goal).progress(make.episode([START, make.block(40), GOAL]), seconds(3))
    assert curve.values == pytest.approx([0.0, 1 - np.sqrt(0.5), 1.0])


def test_going_away_from_the_goal_is_no_progress(tmp_path):
    goal = make.save(tmp_path / "done.png", make.grey(200))
    curve = judge_of(goal).progress(make.episode([make.grey(100), make.grey(0)]), seconds(2))
    assert curve.values.tolist() == [0.0, 0.0]


def test_the_start_is_the_episodes_own_whatever_is_asked_for(tmp_path):
    goal = make.save(tmp_path / "done.png", make.grey(200))
    episode = make.episode([mixed(a) for a in (0, 0.5, 1)])
    assert judge_of(goal).progress(episode, np.array([1.0, 2.0])).values == pytest.approx([0.5, 1])


@given(st.lists(st.integers(0, 48), min_size=1, max_size=6), st.integers(0, 40))
def test_start_is_zero_goal_is_one_and_all_is_between(tmp_path_factory, lefts, top):
    goal = tmp_path_factory.getbasetemp() / "property.png"
    if not goal.exists():
        make.save(goal, GOAL)
    pictures = [make.block(0, top), *(make.block(left) for left in lefts), GOAL]
    judge, episode = SimilarityImage(goal), make.episode(pictures)
    values = judge.progress(episode, seconds(len(pictures))).values
    assert (values[0], values[-1]) == (0.0, 1.0)
    assert ((values >= 0) & (values <= 1)).all()


def test_either_of_two_ways_to_be_done_is_the_whole_way(tmp_path):
    make.save(tmp_path / "push.1.png", make.block(48))
    make.save(tmp_path / "push.2.png", make.block(24))
    judge = judge_of(tmp_path)
    for end in (make.block(48), make.block(24)):
        values = judge.progress(make.episode([START, end]), seconds(2)).values
        assert values.tolist() == [0.0, 1.0]


def test_views_count_alike(tmp_path):
    # the front view is at its goal, the side view half way: (1 + 0.5) / 2
    for view in ("front", "side"):
        make.save(tmp_path / f"{view}.png", make.grey(200))
    ways = {"front": [mixed(0), mixed(1)], "side": [mixed(0), mixed(0.5)]}
    views = {name: View(make.Shown(pictures)) for name, pictures in ways.items()}
    values = judge_of(tmp_path).progress(make.episode([], views=views), seconds(2)).values
    assert values == pytest.approx([0.0, 0.75])
    named = judge_of(tmp_path, view="side")
    assert named.progress(make.episode([], views=views), seconds(2)).values[1] == 0.5


def with_wrist(front, wrist):
    views = {"front": View(make.Shown(front)), "wrist": View(make.Shown(wrist), moves=True)}
    return make.episode([], views=views)


def test_a_view_that_moves_counts_only_where_no_other_has_a_goal(tmp_path):
    episode = with_wrist([mixed(0), mixed(0.5)], [mixed(0), mixed(1)])
    make.save(tmp_path / "wrist.png", make.grey(200))
    assert judge_of(tmp_path).progress(episode, seconds(2)).values.tolist() == [0.0, 1.0]
    both = tmp_path / "both"
    for view in ("front", "wrist"):
        make.save(both / f"{view}.png", make.grey(200))
    assert judge_of(both).progress(episode, seconds(2)).values.tolist() == [0.0, 0.5]


def test_without_a_goal_it_says_what_to_pass():
    curve = make_judge("similarity-image").progress(make.episode([START, GOAL]), seconds(2))
    assert set(curve.status) == {"no_reference"}
    assert "pass --goal IMAGE or --goal DIR" in curve.detail


def test_without_a_goal_of_this_task_it_says_what_there_is(tmp_path):
    make.save(tmp_path / "lift.png", GOAL)
    curve = judge_of(tmp_path).progress(make.episode([START, GOAL]), seconds(2))
    assert set(curve.status) == {"no_reference"}
    assert (
        "no goal picture of the task 'push' for the view front; it holds lift.png" in curve.detail
    )


def test_a_goal_that_looks_like_the_start_tells_no_way(goal):
    curve = judge_of(goal).progress(make.episode([GOAL, START]), seconds(2))
    assert set(curve.status) == {"no_reference"}
    assert "the goal looks like the start (view front)" in curve.detail


def test_a_goal_that_cannot_be_read_is_found_before_the_run(tmp_path):
    with pytest.raises(InputError, match="there is no such path"):
        judge_of(tmp_path / "nowhere").check()
    with pytest.raises(EpisodeError, match="there is no such path") as caught:
        judge_of(tmp_path / "nowhere").progress(make.episode([START]), seconds(1))
    assert caught.value.status == "no_reference"


def test_it_keeps_the_contract_and_holds_only_the_path(goal):
    judge = judge_of(goal)
    episode = make.episode([START, GOAL])
    check_judge(judge, episode, seconds(2))
    judge.check()
    assert len(pickle.dumps(judge)) < 1000
    assert judge.clock(episode, 1.0).tolist() == [0.0, 1.0]


def hop(before, after, start=None, goal=None, judge=None):
    shown = [None if p is None else {"front": p} for p in (before, after, start, goal)]
    return (judge or SimilarityImage()).hop("push", *shown)


def test_a_hop_is_a_share_of_the_way_from_start_to_goal():
    # 0.75 - 0.25 of the way from 0 to 200
    judged = hop(mixed(0.25), mixed(0.75), mixed(0), mixed(1))
    assert (judged.value, judged.status) == (pytest.approx(0.5), "ok")


def test_a_hop_further_away_than_the_start_still_goes_back():
    # from 100 to 50 with the start at 100 and the goal at 200: (100 - 150) / 100
    judged = hop(make.grey(100), make.grey(50), make.grey(100), make.grey(200))
    assert judged.value == pytest.approx(-0.5)


def test_a_hop_without_a_start_is_relative_to_the_longer_distance():
    # 100 away, then 50 away: half of the longer distance
    assert hop(make.grey(100), make.grey(150), None, make.grey(200)).value == pytest.approx(0.5)


def test_a_hop_may_use_the_judges_own_goal(goal):
    assert hop(START, GOAL, START, judge=judge_of(goal)).value == pytest.approx(1.0)


@given(*[st.integers(0, 48)] * 3)
def test_hops_change_sign_when_swapped(one, other, start):
    anchors = (make.block(start, top=0), GOAL)
    there = hop(make.block(one), make.block(other), *anchors).value
    assert there == -hop(make.block(other), make.block(one), *anchors).value
    assert -1 <= there <= 1


@pytest.mark.parametrize(
    ("shown", "sentence"),
    [
        ((START, GOAL), "pass --goal IMAGE"),
        ((START, GOAL, GOAL, GOAL), "the goal looks like the start"),
        ((GOAL, GOAL, None, GOAL), "the goal looks like the start"),
    ],
)
def test_a_hop_that_cannot_be_judged_says_why(shown, sentence):
    judged = hop(*shown)
    assert (judged.value, judged.status) == (None, "no_reference")
    assert sentence in judged.detail


def test_a_hop_whose_goal_cannot_be_read_says_why(tmp_path):
    judged = hop(START, GOAL, START, judge=SimilarityImage(tmp_path / "nowhere"))
    assert (judged.value, judged.status) == (None, "no_reference")
    assert "there is no such path" in judged.detail


def test_a_hop_with_a_goal_of_another_view_says_so():
    shown = {"front": START}
    judged = make_judge("similarity-image").hop("push", shown, shown, shown, {"side": GOAL})
    assert judged.detail == "no goal picture is of the view front"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"size": "1000"}, "size of similarity-image must be from 8 to 512 pixels, not 1000"),
        ({"features": "clip"}, "Option features of SimilarityImage can't be 'clip'"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        make_judge("similarity-image", options)
