"""Things by their colours: what is not kept is found, also in the hand; honest clips are not."""

import numpy as np
import pytest

import instruments_made as made
from assay.judges.instruments._colours import coloured
from assay.judges.instruments._ends import ends_of
from assay.judges.instruments._kept import breaches
from assay.judges.instruments._tracks import tracks
from instruments_made import found

HAND = (230, 230, 235)
LIES = (62, 24)  # where the thing lies at first


def carried(thing=lambda k, place: [place], frames=60, pace=0.5):
    """Return a clip of a hand that goes from left to right with a thing below it.

    Args:
        thing: Where the thing is shown, by frame and the place below the hand.
        frames: How many.
        pace: How far the hand goes with a frame [px].
    """
    clip = made.room(arm=False, thing=None, noise=0)
    for k in range(frames):
        left = 24 + int(pace * k)
        clip[k, 30:54, left + 2 : left + 8] = HAND  # above the thing, and never before it
        for place in thing(k, (54, left)):
            made.paint(clip, slice(k, k + 1), place, made.RED)
    return np.clip(clip + np.random.default_rng(0).normal(0, 1, clip.shape), 0, 255).astype(
        np.uint8
    )


# Values derived by hand.


def test_colours_of_things_are_told_from_those_of_table_wall_and_robot():
    clip = made.paint(made.room(noise=0), slice(None), (70, 80), (30, 60, 200), size=12)
    seen = coloured(made.footage(clip))
    # A thing of 10 x 10 and one of 12 x 12 of 96 x 96 pixels, at half the size.
    areas = sorted(float(seen.masks(kind)[0].mean()) for kind in seen.kinds)
    assert areas == [25 / 48**2, 36 / 48**2]


def test_the_scene_goes_on_below_a_thing():
    clip = coloured(made.footage(made.room(noise=0)))
    assert clip.scene[32, 32].tolist() == [150, 120, 90]  # the thing is at 30 to 35 all the time
    assert clip.bare(0)[40, 40]
    assert not clip.bare(0)[32, 32]


def test_a_blob_is_followed_while_it_moves_and_not_across_a_leap():
    masks = np.zeros((12, 40, 40), bool)
    for k in range(12):
        left = k if k < 6 else 20 + k  # a pixel a frame, and then 21 at once
        masks[k, 10:15, left : left + 5] = True
    one, other = sorted(tracks(masks, reach=8.0, least=4), key=lambda track: track.first)
    assert (one.first, one.stop, other.first, other.stop) == (0, 6, 6, 12)
    assert one.pace(5).tolist() == [0.0, 1.0]
    assert one.areas.tolist() == [25 / 1600] * 6
    back = one.mirrored(12)
    assert (back.first, back.stop, back.pace(5).tolist()) == (6, 12, [0.0, -1.0])


def test_both_ends_of_a_thing_that_is_away_for_a_while_are_odd():
    clip = made.bare(made.room(noise=0), made.SPAN, (60, 60))
    ends = ends_of(coloured(made.footage(clip)))
    assert [(e.gone, e.whole, e.empty, e.slope, e.odd) for e in ends] == [
        (True, 19, 20, 0, True),
        (False, 40, 39, 0, True),
    ]
    assert [(e.missing, e.bare, e.clear) for e in ends] == [(1.0, 1.0, 1.0)] * 2


# Clips with one fault each.


def vanishing(k, place):
    return [] if 20 <= k < 40 else [place]


def vanishing_for_good(k, place):
    return [] if k >= 20 else [place]


def snatched(k, place):
    return [(76, 70)] if 20 <= k < 40 else [place]


def with_a_copy(k, place):
    return [place, (76, 70)] if 20 <= k < 40 else [place]


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        (vanishing, ("object_disappearance", 20, 40)),
        (vanishing_for_good, ("object_disappearance", 20, 60)),
        (snatched, ("object_teleportation", 20, 40)),
        (with_a_copy, ("object_hallucination", 20, 40)),
    ],
)
def test_a_thing_in_the_hand_that_is_not_kept_is_found(thing, expected):
    assert found(carried(thing)) == [expected]


def test_a_thing_that_a_hand_carries_is_kept():
    assert found(carried()) == []


def test_a_thing_that_an_arm_hides_is_kept():
    clip = made.room(arm=False)
    for k in range(60):
        clip[k, :, 2 * k : 2 * k + 24] = HAND  # 2 pixels a frame from left to right
    assert breaches(coloured(made.footage(clip))) == []


def test_what_is_left_of_a_thing_that_sinks_is_still_there():
    clip = made.paint(made.room(thing=None), slice(None), (56, 56), made.RED, size=20)
    clip[made.SPAN, 62:76, 56:76] = (150, 120, 90)  # its lower two thirds
    assert breaches(coloured(made.footage(clip))) == []


def test_a_thing_in_another_colour_is_not_gone():
    clip = made.paint(made.room(), made.SPAN, (60, 60), (30, 60, 200))
    assert breaches(coloured(made.footage(clip))) == []


def test_what_falls_out_of_the_hand_has_not_jumped():
    clip = carried(lambda k, _: [LIES] if k < 30 else [(70, 24)])  # 8 pixels down with a frame
    assert breaches(coloured(made.footage(clip))) == []


def test_a_thing_that_blinks_is_one_fault():
    def blinking(k, place):
        return [] if 20 <= k < 40 and k % 8 < 4 else [place]  # away from 24 to 28 and 32 to 36

    (breach,) = breaches(coloured(made.footage(carried(blinking))))
    assert (breach.what, breach.first, breach.stop, breach.back) == ("gone", 24, 36, True)


def test_a_surface_between_two_hues_is_no_thing():
    clip = made.room(noise=0)
    clip[made.SPAN, 60:70, 60:70] = np.array(made.RED) * 0.6 + np.array((150, 120, 90)) * 0.4
    clip[:, 60:70, 60:70] = clip[:, 60:70, 60:70] * 0.1 + 80  # differs by a few grey levels
    assert breaches(coloured(made.footage(clip))) == []


def test_a_copy_that_touches_its_thing_is_new():
    clip = made.paint(made.room(), made.SPAN, (60, 70), made.RED)  # side by side
    assert found(clip) == [("object_hallucination", 20, 40)]


def test_a_thing_that_stays_behind_and_is_then_in_the_hand_has_jumped():
    # It lies where the hand set out from, and is below it, 20 pixels further, with frame 40.
    clip = carried(lambda k, place: [(54, 24)] if k < 40 else [place])
    (breach,) = breaches(coloured(made.footage(clip)))
    assert (breach.what, breach.stop) == ("hop", 40)
    assert breach.first < 40


# Where faults of things begin and end, and what only looks like one.


def shown(places, frames=60, size=10):
    """Return a clip without a robot in which a thing is shown at some places, by frame."""
    clip = made.room(arm=False, thing=None)
    for k in range(frames):
        for row, column in places(k):
            made.paint(clip, slice(k, k + 1), (row, column), made.RED, size)
    return clip


def kept(clip):
    return [(b.what, b.first, b.stop) for b in breaches(coloured(made.footage(clip)))]


def test_a_jump_ends_when_the_new_place_is_empty_though_the_thing_is_seen_again_later():
    clip = shown(lambda k: [(76, 20)] if 20 <= k < 40 else [(60, 60)])
    clip[40:46, 50:80, 50:80] = HAND  # what is back is hidden at first
    assert kept(clip) == [("hop", 20, 40)]


def test_a_jump_that_takes_some_frames_begins_with_the_first():
    slide = {20: (62, 54), 21: (66, 42), 22: (70, 30)}
    clip = shown(lambda k: [slide.get(k, (74, 20))] if 20 <= k < 40 else [(60, 60)])
    assert kept(clip) == [("hop", 20, 40)]


def test_a_thing_that_hops_from_place_to_place_is_one_fault_until_it_is_back():
    spots = [(76, 20), (60, 20), (76, 76), (60, 40)]
    clip = shown(lambda k: [spots[(k - 20) // 5]] if 20 <= k < 40 else [(60, 60)])
    assert kept(clip) == [("hop", 20, 40)]


def test_a_thing_that_is_straight_above_its_place_hangs():
    clip = shown(lambda k: [(50, 60)] if 20 <= k < 40 else [(72, 60)])
    assert kept(clip) == [("up", 20, 40)]
    assert found(clip) == [("object_floating", 20, 40)]


def test_what_a_thing_leaves_behind_as_it_is_taken_away_is_one_too_many():
    def doubled(k):
        moved = (60, 30 + max(k - 20, 0))
        return [moved, (60, 30)] if 20 <= k < 45 else [moved]

    ((what, first, stop),) = kept(shown(doubled))
    assert (what, stop) == ("new", 45)
    assert 20 <= first <= 26  # its soft edge is told from it by two pixels


def test_one_of_two_things_side_by_side_may_be_taken_away():
    clip = shown(lambda k: [(60, 30), (60, 40 + max(k - 20, 0))])
    assert kept(clip) == []


def test_a_thing_that_sinks_and_comes_up_again_has_not_gone():
    clip = made.room(arm=False, thing=None)
    for k in range(60):
        deep = 20 * min(max(k - 19, 0), max(40 - k, 0), 5) // 5  # in 4 steps
        clip[k, 60 + deep : 80, 40:52] = made.RED
    ((what, first, stop),) = kept(clip)
    assert what == "sunk"
    assert abs(first - 20) <= 2
    assert abs(stop - 40) <= 2


def test_a_thing_that_is_larger_is_no_second_one():
    clip = shown(lambda _: [(60, 60)])
    made.paint(clip, made.SPAN, (54, 52), made.RED, size=24)
    assert kept(clip) == []
    assert not any("hallucination" in kind for kind, _, _ in found(clip))


def test_what_goes_along_with_a_hand_at_a_distance_has_not_jumped():
    def beside(k):
        return (76, 12 + k) if 20 <= k < 40 else (54, 8 + k)

    clip = shown(lambda k: [beside(k)])
    for k in range(60):
        clip[k, 30:54, 10 + k : 16 + k] = HAND
    assert not any(what == "hop" for what, _, _ in kept(clip))


@pytest.mark.parametrize(
    "spots", [[(76, 20)], [(76, 20), (60, 20)], [(76, 20), (60, 20), (76, 76)]]
)
def test_a_thing_that_hops_on_and_never_comes_back_has_jumped_until_the_end(spots):
    clip = shown(lambda k: [spots[min((k - 20) // 10, len(spots) - 1)]] if k >= 20 else [(60, 60)])
    assert kept(clip) == [("hop", 20, 60)]


def test_two_things_that_change_places_are_told_of_once():
    clip = shown(lambda k: [(76, 30)] if 20 <= k < 40 else [(60, 60)], size=14)
    for k in range(60):
        # A quarter as large, and in the middle of where the other one was.
        where = (64, 64) if 20 <= k < 40 else (80, 34)
        made.paint(clip, slice(k, k + 1), where, (30, 60, 200), 7)
    assert kept(clip) == [("swap", 20, 40)]


def test_a_thing_that_takes_the_free_place_of_another_has_jumped():
    # The blue one is below the red one all the time, and is seen when that jumps off.
    clip = made.room(arm=False, thing=None)
    made.paint(clip, slice(None), (60, 60), (30, 60, 200), 10)
    for k in range(60):
        made.paint(clip, slice(k, k + 1), (76, 20) if k >= 20 else (60, 60), made.RED, 10)
    assert [what for what, _, _ in kept(clip)] != ["swap"]


def test_a_thing_that_comes_and_goes_with_a_moving_hand_was_never_there():
    def brought(k, place):
        return [place] if 20 <= k < 40 else []

    assert found(carried(brought, pace=1.4)) == [("object_hallucination", 20, 40)]
