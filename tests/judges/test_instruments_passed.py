"""Things that fade, go to and fro, or come while an arm hides how: told by what is seen else."""

import numpy as np
import pytest

import instruments_made as made
from assay.judges.instruments._colours import coloured
from assay.judges.instruments._kept import breaches
from instruments_made import found

ARM = (230, 230, 235)
TABLE = (150, 120, 90)
BLUE = (30, 60, 200)
HOME, AWAY = (60, 60), (76, 20)


def shown(places, colour=made.RED, frames=60):
    """Return a clip in which a thing is shown at some places, by frame."""
    clip = made.room(arm=False, thing=None)
    for k in range(frames):
        for place in places(k):
            made.paint(clip, slice(k, k + 1), place, colour, 10)
    return clip


def mixed(clip, frames, place, shares):
    """Paint a thing over the table that is there by some share in each of some frames."""
    row, column = place
    for k, share in zip(frames, shares, strict=True):
        colour = share * np.array(made.RED) + (1 - share) * np.array(TABLE)
        clip[k, row : row + 10, column : column + 10] = colour
    return clip


def swept(clip, width=24, pace=4, first=10):
    """Let an arm pass from left to right before all that there is, `pace` pixels a frame."""
    for k in range(len(clip)):
        left = pace * (k - first)
        clip[k, :, max(left, 0) : max(left + width, 0)] = ARM
    return clip


def kept(clip):
    return [(b.what, b.first, b.stop) for b in breaches(coloured(made.footage(clip)))]


# Fades.


def test_a_thing_that_fades_for_most_of_a_second_is_gone():
    shares = np.linspace(1, 0, 12)
    clip = mixed(shown(lambda k: [HOME] if k < 20 else []), range(20, 32), HOME, shares)
    ((kind, first, stop),) = found(clip)
    assert (kind, stop) == ("object_disappearance", 60)
    assert 20 <= first <= 28  # its hue is the table's when a third of it is left


def test_a_thing_that_fades_in_and_goes_at_once_was_never_there():
    shares = np.linspace(0, 1, 12)
    clip = mixed(shown(lambda k: [HOME] if 20 <= k < 40 else []), range(8, 20), HOME, shares)
    ((kind, first, stop),) = found(clip)
    assert (kind, stop) == ("object_hallucination", 40)
    assert 8 <= first <= 16


def test_a_thing_that_sinks_and_does_not_come_up_again_is_gone():
    clip = made.room(arm=False, thing=None)
    for k in range(60):
        clip[k, 60 + 5 * min(max(k - 19, 0), 4) : 80, 40:52] = made.RED  # 20 rows in 4 frames
    ((what, first, stop),) = kept(clip)
    assert (what, stop) == ("gone", 60)
    assert abs(first - 20) <= 2


# To and fro.


@pytest.mark.parametrize("stay", [3, 5])
def test_a_thing_that_jumps_to_and_fro_has_jumped_until_it_stays(stay):
    def places(k):
        away = 20 <= k < 20 + 5 * stay and (k - 20) // stay % 2 == 0  # the last time at the end
        return [AWAY if away else HOME]

    ((what, first, stop),) = kept(shown(places))
    assert (what, first) == ("hop", 20)
    assert stop == 20 + 5 * stay


def test_a_thing_that_is_gone_for_some_frames_and_then_lies_elsewhere_has_jumped():
    def places(k):
        return [HOME] if k < 20 or k >= 44 else [AWAY] if k >= 24 else []

    assert kept(shown(places)) == [("hop", 20, 44)]


# Behind an arm.


def test_what_an_arm_hides_and_shows_again_is_kept():
    assert kept(swept(shown(lambda _: [HOME]))) == []


def test_a_thing_where_an_arm_has_passed_over_an_empty_place_is_new():
    # The arm's near edge is at column 60 with frame 25, and its far edge beyond 70 with frame 34.
    clip = swept(shown(lambda k: [HOME] if k >= 28 else [], BLUE))
    ((what, first, stop),) = kept(clip)
    assert (what, stop) == ("new", 60)
    assert 28 <= first <= 36


def test_a_thing_that_an_arm_hid_from_the_first_frame_on_is_not_new():
    clip = shown(lambda _: [HOME], BLUE)
    clip[:20, :, 50:80] = ARM
    assert kept(swept(clip, first=5)) == []


def test_a_thing_that_lies_elsewhere_once_an_arm_has_passed_has_jumped():
    clip = swept(shown(lambda k: [HOME if k < 28 else AWAY]))
    assert kept(clip) == [("hop", 28, 60)]


def test_a_thing_that_is_back_with_a_jump_lay_elsewhere_since_an_arm_passed():
    clip = swept(shown(lambda k: [AWAY] if 28 <= k < 50 else [HOME]))
    assert kept(clip) == [("hop", 28, 50)]


def test_a_thing_that_jumps_into_a_hand_is_right_when_the_hand_is_where_it_lay():
    clip = made.room(arm=False, thing=None)
    for k in range(60):
        left = min(10 + k, 60)  # a hand comes from the left, and is above the thing with frame 50
        clip[k, 30:60, left : left + 10] = ARM
        made.paint(clip, slice(k, k + 1), HOME if k < 20 else (60, left), made.RED, 10)
    ((what, first, stop),) = kept(clip)
    assert (what, first) == ("hop", 20)
    assert 40 <= stop <= 52
