"""What single injectors do to pictures, where it can be worked out."""

import numpy as np
import pytest

import glitch_clips_made as clips
from assay.benchmarks.glitches.injecting.injectors._cameras import moved
from assay.benchmarks.glitches.injecting.injectors._lens import circles, spread
from assay.benchmarks.glitches.injecting.injectors._pixels import broken_off, worn_down
from assay.benchmarks.glitches.injecting.injectors._things import (
    box_of,
    in_hand,
    way_of,
    with_rest,
)
from assay.benchmarks.glitches.injecting.orders import TASKS, injectors
from assay.benchmarks.glitches.injecting.prepared import Prepared
from assay.errors import EpisodeError
from glitch_clips_made import made, stacking

FOUND = injectors()
GREY = (128, 128, 128)


def changed(name, level):
    """How many grey levels each pixel of each frame of the span has changed, (T, H, W)."""
    one = made(name, level)
    span = slice(one.start, one.stop)
    gap = one.frames[span].astype(int) - stacking().frames[span]
    return np.abs(gap).max(axis=-1)


def test_a_point_out_of_focus_is_as_wide_as_its_distance_makes_it():
    # Focused at 3 m, 1 at 1 m: at 1.5 m (2/3 - 1/3) / (1 - 1/3) = 1/2, at 0.6 m 4/3 / (2/3) = 2.
    np.testing.assert_allclose(circles(np.array([1.0, 3.0, 1.5, 0.6]), 1.0, 3.0), [1, 0, 0.5, 2])


def test_a_point_is_spread_over_a_disc_and_what_is_sharp_stays_so():
    picture = np.zeros((21, 41, 3), dtype=np.uint8)
    picture[10, 10] = picture[10, 36] = 255
    np.testing.assert_array_equal(spread(picture, np.zeros((21, 41))), picture)
    radii = np.where(np.arange(41) < 24, 3.0, 0.0) * np.ones((21, 1))
    soft = spread(picture, radii)
    np.testing.assert_array_equal(soft[:, 32:], picture[:, 32:])
    rows, columns = np.indices((21, 24))
    far = np.hypot(rows - 10, columns - 10)
    assert not soft[:, :24][far >= 3.5].any()
    # pi 3^2 = 28 pixels share 255 grey levels: 9 for each.
    assert set(np.unique(soft[:, :24][far < 2.5])) == {9}


def test_only_the_first_blocks_of_a_picture_have_come():
    picture = np.arange(10 * 8 * 3, dtype=np.uint8).reshape(10, 8, 3)
    np.testing.assert_array_equal(broken_off(picture, 1.0, 4, GREY), picture)
    assert (broken_off(picture, 0.0, 4, GREY) == 128).all()
    # Blocks of 4 make 3 rows of 2, the last ones cut off by the rim: 3 of 6 end in the second row.
    half = broken_off(picture, 0.5, 4, GREY)
    np.testing.assert_array_equal(half[:4], picture[:4])
    np.testing.assert_array_equal(half[4:8, :4], picture[4:8, :4])
    assert (half[4:8, 4:] == 128).all()
    assert (half[8:] == 128).all()


@pytest.mark.parametrize(
    ("turn", "way", "place"),
    [
        ((1.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.3), (1.1, 2.2, 3.3)),
        # Turned by 90 degrees about z, its right is the world's y, and its up the world's -x.
        ((0.5**0.5, 0.0, 0.0, 0.5**0.5), (0.1, 0.2, 0.3), (0.8, 2.1, 3.3)),
    ],
)
def test_a_camera_goes_along_its_own_axes(turn, way, place):
    before = np.array([1.0, 2.0, 3.0])
    at, turned = moved(before, np.array(turn), np.array(way), 0.0)
    np.testing.assert_allclose(at, place)
    np.testing.assert_allclose(turned, turn)


def test_a_camera_rolls_about_the_axis_it_looks_along():
    at, turned = moved(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.pi)
    np.testing.assert_allclose(at, 0.0)
    np.testing.assert_allclose(turned, (0.0, 0.0, 0.0, 1.0), atol=1e-12)


def test_a_camera_that_drifts_does_not_come_back():
    assert made("camera-drifting", 0).stop == len(stacking())
    gap = (changed("camera-drifting", 0) > 20).mean(axis=(1, 2))
    assert gap[-5:].mean() > 2 * gap[:5].mean()


@pytest.mark.parametrize("name", ["camera-drifting", "blur-refocused"])
def test_a_camera_at_the_hand_is_left_alone(name):
    clip = Prepared(15.0, "Stack them.", moves=True, take=stacking().take)
    with pytest.raises(EpisodeError, match="camera"):
        FOUND[name].inject(clip, 0, np.random.default_rng(0))


def test_without_lamps_it_is_dark_and_the_camera_makes_up_for_a_part_of_it():
    means = []
    for level in range(3):
        one = made("visibility-unlit", level)
        dark = one.frames[one.start : one.stop].mean(axis=(1, 2, 3))
        means.append(dark.mean() / stacking().frames[one.start : one.stop].mean())
        assert dark[0] < dark[4] < dark[-1] < 1.5 * dark[0]
    assert 0.65 > means[0] > 1.4 * means[1] > 1.4 * means[2] > 0.1


def test_a_passer_comes_in_at_one_side_and_leaves_at_the_other():
    wide = (changed("occlusion-passer", 1) > 20).mean(axis=1)  # (T, W)
    first, last = wide[0], wide[-1]
    assert first[[0, -1]].argmax() != last[[0, -1]].argmax()
    assert max(first[[0, -1]].max(), last[[0, -1]].max()) > 0.7
    # In between, as high as the picture, and as wide as 2 x 0.22 of it.
    assert 0.3 < (wide[len(wide) // 2] > 0.5).mean() < 0.5


def test_pictures_break_off_at_the_first_and_at_the_last_frame_of_the_span():
    gap = changed("corruption-truncated", 0) > 20
    assert gap[0].any()
    assert gap[-1].any()
    # 0.6 of the picture are above what may be lost, but for a row of blocks.
    assert not gap[:, : int(0.6 * clips.SIZE) - clips.SIZE // 14].any()


@pytest.mark.parametrize("chance", range(6))
def test_what_is_in_a_hand_is_held_and_in_the_air(chance):
    clip = stacking()
    name, start, stop = in_hand(clip, np.random.default_rng(chance), 0.4, 0.8)
    assert name == "upper"
    assert 6 <= stop - start <= 12  # frames, at 15 a second
    trace = clip.attempt.trace
    assert trace.held[name][start:stop].all()
    assert (trace.positions[name][start:stop, 2] > trace.positions[name][0, 2]).all()
    with pytest.raises(EpisodeError, match="carried"):
        in_hand(clip, np.random.default_rng(chance), 5.0, 6.0)


def test_what_fades_is_gone_in_the_middle_and_a_strong_one_for_good():
    take, one = stacking().attempt, made("disappearance-faded", 1)
    middle = (one.start + one.stop) // 2
    bare = take.without(middle, take.geoms_of("upper"))
    np.testing.assert_array_equal(one.frames[middle], bare)
    # A third of it has gone in the first of three frames.
    picture, bare = stacking().frames[one.start], take.without(one.start, take.geoms_of("upper"))
    mixed = (2.0 * picture + bare) / 3.0
    assert np.abs(one.frames[one.start] - mixed).max() <= 0.51
    strong = made("disappearance-faded", 2)
    assert strong.stop == len(stacking())


@pytest.mark.parametrize("level", range(3))
def test_what_is_snatched_is_seen_on_the_table_and_not_in_the_hand(level):
    take, one = stacking().attempt, made("teleport-snatched", level)
    assert take.trace.held["upper"][one.start : one.stop].all()
    middle = (one.start + one.stop) // 2
    bare = take.without(middle, take.geoms_of("upper"))
    there = (np.abs(one.frames[middle].astype(int) - bare) > 20).any(axis=-1)
    assert 0.0022 < there.mean() < 0.05
    assert not (there & take.mask(middle, "upper")).any()


def test_a_bottle_shows_through_before_it_is_solid():
    gap = changed("hallucination-emerging", 1)
    # It comes and goes in 5 frames, so the first and the last one show a fifth of it.
    assert gap[[0, -1]].max() <= 255 / 5 + 1
    assert gap.max() > 2 * 255 / 5
    assert ((gap > 20).mean(axis=(1, 2)) < 0.06).all()


def test_the_way_of_a_thing_is_from_where_it_lay_to_where_it_lies_at_last():
    take = stacking().attempt
    start, stop = way_of(take, "upper")
    places = take.trace.positions["upper"]
    assert np.linalg.norm(places[:start] - places[0], axis=1).max() <= 0.004
    assert np.linalg.norm(places[stop:] - places[-1], axis=1).max() <= 0.004
    assert np.linalg.norm(places[start:stop] - places[0], axis=1).min() > 0.004
    held = np.flatnonzero(take.trace.held["upper"])
    assert held[0] < start < stop <= held[-1] + 2  # it settles when the hand lets go
    assert way_of(take, "other") is None


@pytest.mark.parametrize("level", range(3))
@pytest.mark.parametrize(("words", "behind"), [("stays where it lay", True), ("jumps to", False)])
def test_a_thing_leaves_out_a_part_of_its_way_in_one_jump(level, words, behind):
    take = stacking().attempt
    chances = (
        FOUND["teleport-skipped"].inject(stacking(), level, np.random.default_rng(n))
        for n in range(20)
    )
    one = next(made for made in chances if words in made.description)
    start, stop = way_of(take, "upper")
    lies = start - 1 if behind else stop
    assert one.start == start if behind else one.stop == stop
    jump = one.stop if behind else one.start
    column, row = np.subtract(
        *(take.pixel(take.trace.positions["upper"][number]) for number in (jump, lies))
    )
    # 0.11, 0.16 or 0.22 of a side of 96 pixels, or what the hand goes on in one frame more.
    least = (10.6, 15.4, 21.1)[level]
    assert least <= np.hypot(column, row) < least + 7
    for number in (one.start, one.stop - 1):
        there = take.draw(number, with_rest(take, number, "upper", lies))
        np.testing.assert_array_equal(one.frames[number], there)


@pytest.mark.parametrize("level", range(3))
def test_a_second_thing_lies_where_the_first_one_was_taken_from(level):
    take, one = stacking().attempt, made("hallucination-left", level)
    start = way_of(take, "upper")[0]
    number = one.stop - 1
    lies = with_rest(take, number, "upper", start - 1)
    copy, own = take.mask(number, "upper", lies), take.mask(number, "upper")
    # The thing itself is in the hand, as it was, and all of the other one is seen.
    assert not (copy & own).any()
    np.testing.assert_array_equal(one.frames[number][own], stacking().frames[number][own])
    np.testing.assert_array_equal(one.frames[number][copy], take.draw(number, lies)[copy])
    assert (one.stop == len(stacking())) == (level == 2)


@pytest.mark.parametrize("level", range(3))
def test_a_thing_gets_lost_when_the_robot_covers_it_most(level):
    take, one = stacking().attempt, made("disappearance-behind", level)
    with take.scene() as model:
        shown = take.mask(one.start, "upper").sum()
        model.geom_rgba[take.geoms_of("robot"), 3] = 0.0
        whole = take.mask(one.start, "upper").sum()
    assert 0 < shown < 0.6 * whole
    for number in (one.start, (one.start + one.stop) // 2, one.stop - 1):
        bare = take.without(number, take.geoms_of("upper"))
        np.testing.assert_array_equal(one.frames[number], bare)
    assert (one.stop == len(stacking())) == (level == 2)


@pytest.mark.parametrize("name", ["teleport-skipped", "hallucination-left", "disappearance-behind"])
def test_what_needs_a_thing_that_is_brought_somewhere_has_tasks_of_both_splits(name):
    fit = {task for task in TASKS["test"] if FOUND[name].suits(clips.stage().task(task))}
    assert {"lift-block", "stack-blocks", "push-to-zone", "handover", "lift-tray"} <= fit
    assert not {"press-button", "turn-knob", "close-drawer", "open-drawer"} & fit


def test_what_is_only_pushed_leaves_no_second_one():
    with pytest.raises(EpisodeError, match="lifted"):
        FOUND["hallucination-left"].inject(
            clips.attempt("push-to-zone"), 0, np.random.default_rng(0)
        )


def test_the_box_around_a_thing_holds_it_as_it_is_turned():
    take = stacking().attempt
    low, high = box_of(take, 0, take.geoms_of("other"))
    w, _, _, z = take.poses[0][take.place("other")][3:]
    yaw = 2 * np.arctan2(z, w)
    half = 0.025 * (abs(np.cos(yaw)) + abs(np.sin(yaw)))  # of a cube of 5 cm, across
    np.testing.assert_allclose((high - low)[:2], 2 * half, atol=1e-4)
    np.testing.assert_allclose((low[2], high[2]), (0.0, 0.05), atol=1e-3)


@pytest.mark.parametrize("level", range(3))
def test_a_thing_hops_so_often_and_stays_where_it_is_in_the_end(level):
    take, one = stacking().attempt, made("teleport-hopping", level)
    assert one.stop == len(stacking())
    name = next(n for n in take.things if f"The {take.words(n)} hops" in one.description)
    assert name in ("other", "can")  # `upper` is taken and `lower` bears it
    seen, own = [], take.model.geom_rgba[take.geoms_of(name)[0], :3]
    for number in range(one.start, one.stop):
        bare = take.without(number, take.geoms_of(name)).astype(int)
        new = (np.abs(one.frames[number] - bare) > 20).any(axis=-1)
        new &= one.frames[number].argmax(axis=-1) == own.argmax()  # not its shadow
        seen.append(np.argwhere(new).mean(axis=0))
    ways = np.linalg.norm(np.diff(seen, axis=0), axis=1)
    # 0.13 of a side of 96 pixels are 12, but for what the robot hides of it.
    assert (ways > 7).sum() == level
    here = np.argwhere(take.mask(one.start, name)).mean(axis=0)
    assert np.linalg.norm(seen[0] - here) > 7


def test_what_wears_away_goes_from_its_rim_inwards():
    mask = np.zeros((7, 7), dtype=bool)
    mask[1:6, 1:6] = True  # 1, 2 and 3 pixels deep
    even = np.full((7, 7), 0.5)
    np.testing.assert_array_equal(worn_down(mask, even, 0.3), mask)
    inner = np.zeros((7, 7), dtype=bool)
    inner[2:5, 2:5] = True
    np.testing.assert_array_equal(worn_down(mask, even, 0.5), inner)
    assert worn_down(mask, even, 0.9).sum() == 1
    assert not worn_down(mask, even, 1.0).any()


@pytest.mark.parametrize("level", range(3))
def test_what_has_worn_away_is_gone_and_a_strong_one_for_good(level):
    take, one = stacking().attempt, made("disappearance-eroded", level)
    name = next(n for n in take.things if f"The {take.words(n)} wears" in one.description)
    for number in (one.start + 5, one.stop - 1):  # it takes 0.33 s, 5 frames, until it is gone
        bare = take.without(number, take.geoms_of(name))
        np.testing.assert_array_equal(one.frames[number], bare)
    mask = take.mask(one.start + 1, name)
    same = (one.frames[one.start + 1] == stacking().frames[one.start + 1]).all(axis=-1)
    assert 0.1 < same[mask].mean() < 0.9
    assert (one.stop == len(stacking())) == (level == 2)


def test_a_fixture_wears_away_while_nothing_is_in_it():
    clip, eroded = clips.attempt("place-in-basket"), FOUND["disappearance-eroded"]
    take = clip.attempt
    chances = (eroded.inject(clip, 0, np.random.default_rng(n)) for n in range(20))
    one = next(made for made in chances if "The basket wears" in made.description)
    number = one.stop - 1
    bare = take.without(number, take.geoms_of("basket"))
    np.testing.assert_array_equal(one.frames[number], bare)
    low, high = box_of(take, number, take.geoms_of("basket"))
    way = take.trace.positions["block"][one.start : one.stop]
    assert not np.all((way > low) & (way < high), axis=1).any()


@pytest.mark.parametrize("level", range(3))
def test_what_the_hand_never_took_is_between_its_open_fingers(level):
    take, one = stacking().attempt, made("hallucination-held", level)
    for number in (one.start, one.stop - 1):
        gap = np.abs(one.frames[number].astype(int) - stacking().frames[number]).max(axis=-1)
        tool = take.trace.tools[""][number]
        column, row = take.pixel(tool)
        rows, columns = np.nonzero(gap > 60)
        far = np.hypot(rows - row, columns - column)
        assert (far < 0.1 * clips.SIZE).mean() > 0.6  # the rest is its shadow on the table
        assert take.trace.opening[""][number] > 0.85
        away = (np.linalg.norm(take.trace.positions[n][number] - tool) for n in take.things)
        assert min(away) > 0.095


def test_only_a_hand_that_comes_to_take_something_can_have_what_it_never_took():
    held = FOUND["hallucination-held"]
    fit = {task for task in TASKS["test"] if held.suits(clips.stage().task(task))}
    assert {"lift-block", "open-drawer", "turn-knob", "handover", "lift-tray"} <= fit
    assert not {"push-to-zone", "press-button", "close-drawer"} & fit


@pytest.mark.parametrize("name", ["teleport-snatched", "disappearance-faded"])
def test_what_happens_in_a_hand_needs_a_task_in_which_something_is_carried(name):
    fit = {task for task in TASKS["test"] if FOUND[name].suits(clips.stage().task(task))}
    assert {"stack-blocks", "place-in-basket", "peg-in-hole", "handover"} <= fit
    assert not {"push-to-zone", "press-button", "turn-knob", "close-drawer", "open-drawer"} & fit
