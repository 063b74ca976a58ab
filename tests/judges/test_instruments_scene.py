"""Spells, colour drift, the robot's outline and joints: found, and honest clips are not."""

import numpy as np
import pytest

import instruments_made as made
from assay.judges.instruments._footage import hue_of
from assay.judges.instruments._happened import _on_the_way
from assay.judges.instruments._patches import patches
from assay.judges.instruments._spells import lasting, spells, transitions
from assay.judges.instruments._turns import _at_the_edge
from assay.judges.instruments.outline import sudden
from assay.judges.instruments.physics import physics
from assay.judges.instruments.things import things
from assay.records import Episode, Series
from instruments_made import found

# Spells.


def squares(where):
    """Return spells and lasting changes of 30 grey frames with a square wherever `where` says."""
    clip = np.full((30, 64, 64, 3), 90, np.uint8)
    for k in range(30):
        if (column := where(k)) is not None:
            clip[k, 20:32, column : column + 12] = (200, 40, 40)
    footage = made.footage(clip)
    changes = transitions(footage)
    return spells(footage, changes), lasting(footage, changes)


def test_a_square_that_comes_and_goes_is_one_spell():
    back, stays = squares(lambda k: 40 if 10 <= k < 20 else None)
    ((spell,), gone) = back, stays
    assert (spell.first, spell.settled, spell.leaves, spell.stop) == (10, 10, 20, 20)
    # 12 x 12 of 64 x 64 pixels, that is 6 x 6 of the 32 x 32 half-size ones.
    assert spell.area == 36 / 1024
    assert (spell.sharp, spell.crisp, gone) == (1.0, True, [])


def test_a_square_that_stays_lasts():
    back, (spell,) = squares(lambda k: 40 if k >= 10 else None)
    assert back == []
    assert (spell.first, spell.leaves, spell.area) == (10, 30, 36 / 1024)


def test_a_square_that_moves_on_turns_no_part_at_once():
    back, stays = squares(lambda k: 2 * k)
    # Of the columns that it covers within three frames, each turns with a frame of its own.
    assert back
    assert all(spell.sharp <= 0.5 for spell in [*back, *stays])


def faded(clip, place, colour, slope=3):
    """Blend something in within a few frames of the span, and out again."""
    for k in range(20 - slope, 40 + slope):
        much = min(k - 19 + slope, 40 + slope - k, slope + 1) / (slope + 1)
        part = clip[k, place[0] : place[0] + 10, place[1] : place[1] + 10]
        part[:] = part * (1 - much) + np.array(colour) * much
    return clip


def test_a_thing_that_fades_is_gone():
    ((kind, first, stop),) = found(faded(made.room(), (60, 60), (150, 120, 90)))
    assert kind == "object_disappearance"
    assert abs(first - 18) <= 2
    assert abs(stop - 42) <= 2


def test_a_thing_that_is_covered_by_an_arm_is_not_gone():
    clip = made.room(arm=False)
    for k in range(60):
        left = 10 + 2 * k  # an arm from top to bottom passes over all of the picture
        clip[k, :, max(left - 14, 0) : left] = (230, 230, 235)
    assert found(clip) == []


# Patches.


def test_a_patch_that_fades_has_two_moments():
    clip = np.full((40, 64, 64, 3), 90, np.uint8)
    for k in range(40):
        much = min(max((k - 14) / 5, 0.0), 1.0)  # a fifth more in each of the frames 15 to 19
        clip[k, 20:32, 40:52] = 90 + much * (np.array(made.RED) - 90)
    (patch,) = patches(made.footage(clip))
    assert (patch.first, patch.settled) == (15, 19)
    assert patch.area == patch.wide == 36 / 1024  # 6 x 6 of 32 x 32 half-size pixels
    grey = clip.mean(axis=3, keepdims=True).repeat(3, axis=3).astype(np.uint8)
    assert patches(made.footage(grey)) == []  # lightness alone is a shadow's


def dissolved(clip, stop=40):
    """Take a thing away in patches of 2 x 2 pixels within five frames; bring it back so."""
    rng = np.random.default_rng(0)
    turns = np.kron(rng.random((5, 5)), np.ones((2, 2)))[..., None]
    for k in range(20, min(stop + 5, 60)):
        part = clip[k, 60:70, 60:70]
        gone = turns < min((k - 19) / 5, 1.0, (stop + 5 - k) / 5)
        part[:] = np.where(gone, (150, 120, 90), part)
    return clip


def slid(clip):
    """Pull a thing aside by 20 pixels within three frames, and back."""
    made.bare(clip, slice(20, 40), (60, 60))
    for k in range(20, 40):
        far = round(20 * min((k - 19) / 3, 1.0, (40 - k) / 3))
        made.paint(clip, slice(k, k + 1), (60, 60 + far), made.RED)
    return clip


def blinking(clip):
    for first in (20, 28, 36):
        made.bare(clip, slice(first, first + 4), (60, 60))
    return clip


@pytest.mark.parametrize(
    ("spoil", "kind", "span"),
    [
        (dissolved, "object_disappearance", (20, 43)),
        (lambda clip: dissolved(clip, 80), "object_disappearance", (20, 60)),
        (blinking, "object_disappearance", (20, 40)),
    ],
    ids=["dissolved", "dissolved for good", "blinking"],
)
def test_a_thing_that_turns_slowly_or_often_is_one_fault(spoil, kind, span):
    ((said, first, stop),) = found(spoil(made.room()))
    assert said == kind
    assert abs(first - span[0]) <= 2
    assert abs(stop - span[1]) <= 2


def test_a_thing_that_is_pulled_aside_has_jumped():
    (event,) = things(made.footage(slid(made.room()))).events
    assert event.type == "object_teleportation"
    assert event.start_s == pytest.approx(20 / made.FPS, abs=0.14)
    assert event.end_s == pytest.approx(40 / made.FPS, abs=0.14)


def test_a_grey_thing_that_goes_straight_up_hangs_in_the_air():
    grey = (60, 60, 60)  # no colour to follow; what has one and is elsewhere at once has jumped
    clip = made.paint(made.room(thing=None), slice(None), (74, 60), grey)
    made.bare(clip, made.SPAN, (74, 60))
    assert found(made.paint(clip, made.SPAN, (56, 60), grey)) == [("object_floating", 20, 40)]


def test_a_thing_of_which_a_part_sinks_has_not_vanished():
    clip = made.paint(made.room(thing=None), slice(None), (56, 56), made.RED, size=20)
    clip[made.SPAN, 66:76, 56:76] = (150, 120, 90)  # its lower half
    assert "object_disappearance" not in [kind for kind, *_ in found(clip)]


def test_a_thing_that_turns_darker_all_over_is_another_one():
    clip = made.paint(made.room(thing=None), slice(None), (60, 60), (190, 80, 70))
    made.paint(clip, made.SPAN, (60, 60), (20, 20, 150))  # stands out more than the pale red did
    assert found(clip) == [("object_identity_swap", 20, 40)]


def test_a_hue_on_the_way_to_that_of_a_thing_may_be_its():
    # The thing's hue is 0.3 from the ground's. 0.2 along is two thirds of the way; 0.1 is less than
    # half. 0.1 aside is a third of the length, and 0.35 x 2/3 = 0.23 of it are allowed.
    hues = np.array([[0.2, 0.0], [0.1, 0.0], [0.2, 0.1], [0.2, 0.06]])
    assert _on_the_way(hues, np.array([0.3, 0.0])).tolist() == [True, False, False, True]


def test_limbs_come_in_from_outside():
    mask = np.zeros((6, 6), bool)
    mask[2:4, 2:4] = True
    assert not _at_the_edge(mask)
    mask[0, 3] = True
    assert _at_the_edge(mask)


# Colour drift.


def test_hues_do_not_know_of_shadows():
    colour = np.array([[120.0, 60.0, 60.0], [60.0, 30.0, 30.0], [80.0, 80.0, 80.0]])
    # (R - G) / (R + G + B): 60 / 240, half as bright the same, and grey has none.
    assert hue_of(colour).tolist() == [[0.25, 0.0], [0.25, 0.0], [0.0, 0.0]]


def drifting(far):
    """Return a clip whose thing goes a part of the way from red to green."""
    clip = made.room()
    for k in range(60):
        much = far * k / 59
        colour = np.array(made.RED) * (1 - much) + np.array((60, 160, 40)) * much
        made.paint(clip, slice(k, k + 1), (60, 60), colour)
    return clip


def test_a_thing_that_slowly_turns_green_is_found():
    ((kind, first, stop),) = found(drifting(1.0))
    assert (kind, stop) == ("object_color_or_shape_drift", 60)
    assert 5 <= first <= 12  # an eighth of the way is 18 grey levels, and 20 can be seen


@pytest.mark.parametrize("shade", [0.6, 1.25])
def test_a_thing_in_light_that_changes_keeps_its_colour(shade):
    clip = made.room().astype(float)
    light = np.linspace(1.0, shade, 60)[:, None, None, None]
    clip[:, 50:80, 50:80] *= light  # the shadow of something outside, over thing and table
    assert found(np.clip(clip, 0, 255).astype(np.uint8)) == []


def test_a_colour_that_hardly_drifts_is_no_fault():
    assert found(drifting(0.1)) == []


# The robot's outline.


def armed(spoil=None):
    """Return a clip with a broad arm that swings to and fro; `spoil` may change it in the span."""
    clip = made.room(arm=False)
    for k in range(60):
        left = 14 + round(22 * np.sin(k / 9))
        clip[k, :44, left + 8 : left + 34] = (225, 225, 230)
        if spoil and 20 <= k < 40:
            spoil(clip[k], left)
    return clip


def without_hand(picture, left):
    picture[20:44, left + 8 : left + 34] = made.room(noise=0, arm=False, frames=1)[
        0, 20:44, left + 8 : left + 34
    ]


def with_another_part(picture, left):
    start = 66 + (left + 8) // 3  # beside the arm, where it never is; it moves along
    picture[4:28, start : start + 16] = (225, 225, 230)


def test_an_outline_changes_by_what_is_taken_from_it():
    changes = sudden(made.footage(armed(without_hand)))
    assert [change.frame for change in changes] == [20, 40]
    assert changes[0].lost == pytest.approx(24 * 26 / 96**2, rel=0.1)
    assert changes[0].gained == changes[1].lost == 0


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [(without_hand, "missing_robot_part"), (with_another_part, "hallucinated_robot_part")],
)
def test_a_part_of_the_robot_that_comes_or_goes_is_found(spoil, kind):
    assert found(armed(spoil)) == [(kind, 20, 40)]


def test_an_arm_that_swings_keeps_its_outline():
    assert found(armed()) == []


# Joints.


def joints(angles, hand=None):
    times = np.arange(len(angles)) / 10.0
    signals = {"joint_position": Series(times, np.asarray(angles, float))}
    if hand is not None:
        signals["ee_position"] = Series(times, np.asarray(hand, float))
    return [(e.type, e.start_s) for e in physics(Episode("e", "t", signals=signals))]


def test_a_joint_that_is_turned_too_far():
    angles = np.zeros((40, 6))
    angles[:, 1] = np.linspace(3.0, 6.9, 40)  # 0.1 rad a sample: 6.6 at sample 36
    assert joints(angles) == [("impossible_motion", 3.6)]
    assert joints(angles - 1.0) == []


def test_a_joint_that_jumps_between_two_moments_of_rest():
    angles = np.zeros((20, 6))
    angles[12:, 3] = 0.3
    assert joints(angles) == [("impossible_motion", 1.2)]
    angles[11:14, 3] = 0.1, 0.2, 0.25  # the same way, driven
    assert joints(angles) == []


def test_a_hand_that_moves_while_no_joint_turns():
    hand = np.zeros((20, 3))
    hand[:, 0] = np.linspace(0, 0.2, 20)
    still = np.ones((20, 6))
    assert joints(still, hand) == [("impossible_motion", 0.1)]
    assert joints(still, np.zeros((20, 3))) == []
    turning = still + 0.001 * np.arange(20)[:, None]
    assert joints(turning, hand) == []
