"""Noise, combs, blank and miscoloured frames, covers that move: found, and honest clips are not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, rotate, zoom

import instruments_made as made
from assay.judges.instruments._aligning import Template, aligned
from assay.judges.instruments._palette import by_colour, by_hue
from assay.judges.instruments._settling import settled
from assay.judges.instruments._tiles import shrunk
from assay.judges.instruments.exposure import lost_detail
from assay.judges.instruments.grain import blank, grained
from assay.judges.instruments.sharpness import sharpness_curve
from assay.judges.instruments.tint import miscoloured, negative
from assay.records import Event
from instruments_made import SPAN, found

BROKEN = "frame_corruption"


def near(said, kind, span=(20, 40), frames=2):
    """Tell whether one fault is said, with about the right frames."""
    return (
        [fault[0] for fault in said] == [kind]
        and abs(said[0][1] - span[0]) <= frames
        and abs(said[0][2] - span[1]) <= frames
    )


def coloured(seed=0):
    """Return a clip whose patches have strong colours."""
    rng = np.random.default_rng(seed)
    clip = made.room(seed)
    wall = np.kron(rng.integers(40, 220, (6, 12, 3)), np.ones((8, 8, 1)))
    clip[:, :48, 26:] = wall[:, 26:].astype(np.uint8)
    return clip


# Values derived by hand.


def test_small_pictures_are_means_of_parts():
    picture = np.arange(25, dtype=np.float32).reshape(5, 5)
    # Rows and columns 0, 1 and 2, 3, 4: means of 2 x 2, 2 x 3, 3 x 2 and 3 x 3 numbers.
    assert shrunk(picture, 2).tolist() == [[3.0, 5.5], [15.5, 18.0]]
    assert shrunk(picture[None].repeat(2, 0), 5)[1].tolist() == picture.tolist()


def test_a_turned_and_zoomed_picture_has_a_known_motion():
    rng = np.random.default_rng(4)
    wide = gaussian_filter(
        np.kron(rng.integers(0, 255, (28, 28)).astype(float), np.ones((8, 8))), 2
    )
    picture = wide[56:168, 56:168].astype(np.float32)
    turned = rotate(wide, 3, reshape=False, order=1)[56:168, 56:168].astype(np.float32)
    lies = aligned(Template(picture), turned, [np.zeros(4)])
    assert lies.motion == pytest.approx([0, 0, 0, np.radians(3)], abs=0.004)
    # The root mean square distance from the middle of a square is its side over the root of 6.
    assert lies.far == pytest.approx(np.radians(3) / 6**0.5, rel=0.1)
    assert lies.gain > 0.5
    larger = zoom(wide, 1.05, order=1)
    middle = (len(larger) - 112) // 2
    larger = larger[middle : middle + 112, middle : middle + 112].astype(np.float32)
    assert aligned(Template(picture), larger, [np.zeros(4)]).motion[2] == pytest.approx(
        0.05, abs=0.006
    )


def test_foreign_colours_are_those_beyond_the_usual_area():
    clip = np.full((10, 20, 20, 3), 100, np.uint8)
    clip[:, :10, :10] = 200  # a quarter of the picture, always there
    clip[5, :, 15:] = (0, 250, 0)  # a quarter, once
    share = by_colour(clip).share
    # A green that is never there else, less the 0.002 that any colour may waver by.
    assert share == pytest.approx(np.where(np.arange(10) == 5, 0.25 - 0.002, 0.0))
    moved = clip.copy()
    moved[5] = clip[0, ::-1, ::-1]  # the same things elsewhere
    assert by_colour(moved).share.max() == 0


def test_foreign_hues_are_told_whatever_their_light():
    hues = np.zeros((10, 20, 20, 2), np.float32)
    hues[:, :10] = (0.1, -0.05)  # half of the picture, always there
    hues[5, :, 15:] = (-0.2, 0.3)  # a quarter, once
    share = by_hue(hues).share
    assert share == pytest.approx(np.where(np.arange(10) == 5, 0.25 - 0.002, 0.0))
    wavering = hues[[0] * 10] + np.float32(0.01)  # less than half a step of 0.05
    assert by_hue(wavering).share.max() == 0


def test_noise_is_rough_and_edges_are_not():
    rng = np.random.default_rng(0)
    clip = np.kron(rng.integers(0, 255, (1, 8, 8, 1)), np.ones((1, 8, 8, 3)))
    clip = clip.repeat(5, 0).astype(np.uint8)
    assert grained(made.footage(clip)).tolist() == [0.0] * 5
    clip[2] = rng.integers(0, 255, clip[2].shape)
    assert grained(made.footage(clip)).tolist() == [0, 0, 1, 0, 0]
    clip[3] = (10, 200, 10)
    assert blank(made.footage(clip)).tolist() == [False, False, False, True, False]


def test_swapped_channels_and_negatives_are_told():
    clip = np.zeros((7, 56, 56, 3), np.uint8)
    clip[:, :, :28], clip[:, :, 28:] = (200, 60, 60), (60, 90, 60)
    clip[3] = clip[3, ..., [2, 0, 1]].transpose(1, 2, 0)
    # Both halves have another hue: all of the coloured picture.
    assert miscoloured(clip).tolist() == [0, 0, 0, 1, 0, 0, 0]
    board = np.kron(np.indices((14, 14)).sum(axis=0) % 2, np.ones((4, 4))) * 200
    boards = np.stack([board] * 7).astype(np.float32)
    boards[4] = 200 - boards[4]
    assert negative(boards).tolist() == [0, 0, 0, 0, 1, 0, 0]


def test_details_are_lost_by_fog_and_not_by_a_shift_of_light():
    board = np.kron(np.indices((14, 14)).sum(axis=0) % 2, np.ones((4, 4))) * 100 + 50
    boards = np.stack([board] * 6).astype(np.float32)
    boards[2] += 40  # lighter, as clear as before
    boards[3] = 100 + 0.3 * (board - 100)  # three tenths of the contrast
    boards[4] = 120  # a wall before the lens: nothing of the scene
    good = np.array([True, True, False, False, False, True])
    assert lost_detail(boards, good).tolist() == [0, 0, 0, 1, 0, 0]


# Clips with a fault.


def noisy(clip, amount=60):
    rng = np.random.default_rng(1)
    bad = clip[SPAN] + rng.normal(0, amount, clip[SPAN].shape)
    clip[SPAN] = np.clip(bad, 0, 255).astype(np.uint8)
    return clip


def combed(clip):
    clip[SPAN, ::2] = np.roll(clip[SPAN, ::2], 6, axis=2)
    return clip


def blinking(clip):
    clip[20:40:3] = 0
    return clip


def swapped(clip):
    clip[SPAN] = clip[SPAN][..., [2, 0, 1]]
    return clip


def turned_to_negative(clip):
    clip[SPAN] = 255 - clip[SPAN]
    return clip


@pytest.mark.parametrize("spoil", [noisy, combed, blinking, swapped, turned_to_negative])
def test_a_broken_picture_is_found(spoil):
    assert near(found(spoil(coloured())), BROKEN)


def hand(clip):
    """Slide something green in from the right within three frames, let it tremble, take it out."""
    for k in range(20, 40):
        left = max(96 - 14 * (k - 19), 54) - k % 3
        clip[k, 40 + k % 2 : 80, left : left + 50] = (30, 160, 60)
    return clip


def strobed(clip):
    for k in range(20, 40, 2):
        clip[k] = clip[k] * 0.2
    return clip


def burnt(clip):
    clip[SPAN, :70] = np.clip(clip[SPAN, :70].astype(int) + 150, 0, 255).astype(np.uint8)
    return clip


def rolled(clip):
    for k in range(20, 40):
        angle = 4 * np.sin((k - 19) * np.pi / 7)
        clip[k] = rotate(clip[k], angle, reshape=False, order=1, mode="nearest")
    return clip


def stuttering(clip):
    for k in range(20, 40):
        clip[k] = clip[20 + (k - 20) // 5 * 5]
    return clip


def test_a_cover_that_moves_is_found():
    assert near(found(hand(coloured())), "occlusion")


def test_a_vignette_that_takes_most_of_a_clip_is_found():
    clip = coloured()
    down, right = np.indices((96, 96)) / 96 - 0.5
    clip[8:52] = clip[8:52] * np.exp(-((np.hypot(down, right) / 0.25) ** 4))[..., None]
    assert near(found(clip), "low_visibility", span=(8, 52))


@pytest.mark.parametrize("spoil", [strobed, burnt])
def test_light_that_spoils_the_picture_is_found(spoil):
    assert near(found(spoil(coloured())), "low_visibility")


def test_a_camera_that_rolls_is_found():
    assert near(found(rolled(coloured())), "camera_instability")


def wandering(clip):
    """Return a clip whose camera turns away, 2 pixels a frame from frame 20 on, and stays so."""
    wide = np.concatenate([clip, coloured(seed=1)[: len(clip)]], axis=2)
    side = clip.shape[2]
    lefts = np.clip(2 * (np.arange(len(clip)) - 19), 0, side)
    return np.stack([wide[k, :, left : left + side] for k, left in enumerate(lefts)])


def test_a_camera_that_wanders_off_is_away_until_the_end():
    assert near(found(wandering(coloured())), "camera_instability", (20, 60))


def test_a_camera_that_was_out_of_sight_is_back_when_its_place_is_seen_again():
    clip = coloured()
    clip[:50] = wandering(clip)[:50]
    assert near(found(clip), "camera_instability", (20, 50))


def test_a_camera_that_shook_is_back_though_the_robot_goes_on():
    clip = coloured()
    shaken = [np.roll(clip[k], (0, 9 if k % 2 else -9), axis=(0, 1)) for k in range(20, 30)]
    clip[20:30] = shaken
    for k in range(30, 60):
        clip[k, 10 : 10 + 2 * (k - 29), 30:70] = (230, 230, 235)  # an arm that comes from above
    assert near(found(clip), "camera_instability", (20, 30))


def test_a_picture_that_stutters_is_found():
    assert near(found(stuttering(coloured(3))), BROKEN, frames=3)


# Honest clips.


def cloth(clip):
    """Lay something over the table that is rough in every frame."""
    rng = np.random.default_rng(2)
    clip[:, 70:] = rng.integers(90, 170, (26, 96, 1))
    return clip


def warm_light(clip):
    """Dim the light by a quarter, with a red cast, and back."""
    clip[SPAN] = clip[SPAN] * np.array([0.85, 0.75, 0.7])
    return clip


def dark_room(clip):
    """Let a room be dark from end to end."""
    return (clip * 0.35).astype(np.uint8)


def comes_in(clip):
    """Let a robot's arm in its own colours come in from the right, stay, and go."""
    for k in range(12, 48):
        left = 96 - 2 * min(k - 11, 48 - k, 15)
        clip[k, 10:24, left:] = (230, 230, 235)
    return clip


@pytest.mark.parametrize("make", [cloth, warm_light, dark_room, comes_in])
def test_an_honest_picture_has_no_fault(make):
    assert found(make(coloured())) == []


# One list of faults.


def told(kind, start_s, end_s, confidence=0.8):
    return Event("visual_quality", kind, start_s, end_s, 3.0, confidence=confidence)


@pytest.mark.parametrize("kind", ["blur", "occlusion", "camera_instability"])
def test_frames_that_break_as_a_longer_fault_comes_are_that_fault(kind):
    fault, brief = told(kind, 1.0, 2.0), told(BROKEN, 0.9, 1.2)
    assert settled([fault, brief]) == (fault,)
    # What was broken before, and what can be nothing else, is a fault of its own.
    before, sure = told(BROKEN, 0.5, 0.8), told(BROKEN, 0.9, 1.2, confidence=0.95)
    assert settled([fault, before]) == (before, fault)
    assert sure in settled([fault, sure])


def test_a_cover_that_comes_before_a_blur_and_goes_after_it_is_no_blur():
    cover, blur = told("occlusion", 1.0, 2.0), told("blur", 1.1, 1.9)
    assert settled([cover, blur]) == (cover,)
    # A smear has colours of its own as well, but not before it is there.
    longer = told("blur", 1.0, 2.0)
    assert settled([cover, longer]) == (longer,)


def test_broken_frames_with_whole_ones_between_them_are_one_fault():
    one, other, later = (told(BROKEN, start, start + 0.3) for start in (1.0, 1.75, 2.75))
    assert settled([one, other, later]) == (told(BROKEN, 1.0, 2.05), later)


def test_a_cover_that_comes_as_a_freeze_ends_is_the_robot():
    frozen, leap = told(BROKEN, 1.0, 2.0), told("occlusion", 2.05, 3.0)
    assert settled([frozen, leap]) == (frozen,)
    later = told("occlusion", 2.5, 3.0)
    assert settled([frozen, later]) == (frozen, later)


def test_a_swing_that_ends_goes_on_breaking_frames():
    swing, rest, later = told("camera_instability", 1.0, 2.0), told(BROKEN, 2.4, 2.7), 3.0
    assert settled([swing, rest]) == (swing,)
    other = told(BROKEN, later, later + 0.3)
    assert settled([swing, other]) == (swing, other)


def test_a_thing_that_turns_as_its_colour_drifts_is_that_drift():
    drift = Event("object_scene_consistency", "object_color_or_shape_drift", 1.0, 4.0, 3.0)
    gone = Event("object_scene_consistency", "object_disappearance", 1.5, 4.0, 3.0)
    assert settled([drift, gone]) == (drift,)


def test_a_thing_that_vanishes_while_the_light_flickers_has_not_vanished():
    dark = told("low_visibility", 1.0, 2.0)
    during, after = (
        replace(told("object_disappearance", start, 4.0), dimension="object_scene_consistency")
        for start in (1.5, 2.5)
    )
    assert settled([dark, during]) == (dark,)
    assert settled([dark, after]) == (dark, after)


def test_a_flat_tiny_clip_in_few_grey_levels_has_no_sharpness():
    # Neighbours are equal in all but one frame: what is usual is 0, and nothing is beside it.
    clip = np.full((40, 32, 32, 3), 100, np.uint8)
    clip[:, :, 30:] = 200
    clip[7, ::3, 25:] = 104
    curve, usual = sharpness_curve(made.footage(clip))
    assert np.isnan(curve).all()
    assert (usual[~np.isnan(usual)] == 0).any()
    assert made.diagnosed(clip).status == "ok"
    assert "blur" not in [fault[0] for fault in found(clip)]
