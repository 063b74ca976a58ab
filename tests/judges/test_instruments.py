"""The instruments: each on a value derived by hand, and all of them on clips drawn for it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter, uniform_filter1d
from scipy.stats import norm

import instruments_made as made
from assay.episodes.playback import write_h264
from assay.episodes.video import VideoFrames
from assay.judges import make_judge
from assay.judges.instruments._edges import edge_sharpness
from assay.judges.instruments._footage import footage_of
from assay.judges.instruments._spans import robust, stretches
from assay.judges.instruments._tiles import displacements
from assay.judges.instruments.exposure import light
from assay.judges.instruments.flicker import broken_cells
from assay.judges.instruments.measurements import measurements
from assay.judges.instruments.physics import physics
from assay.judges.instruments.shake import camera_motion
from assay.judges.instruments.tears import torn_bands
from assay.records import Episode, Series, View
from instruments_made import SPAN, diagnosed, found


def clear(seed=0, **options):
    return made.room(seed, **options)


# Values derived by hand.


def test_sharpness_of_a_step_and_of_a_blurred_edge():
    picture = np.where((np.arange(256) + 16) % 64 >= 32, 100.0, 0.0)[None].repeat(256, 0)
    sharp, _ = edge_sharpness(picture[None].astype(np.float32))
    # Each edge differs at one place from its neighbour, and at four from the pixel 4 apart.
    assert sharp[0, 0] == pytest.approx(np.full(16, 1 / 4))
    sharp, _ = edge_sharpness(gaussian_filter(picture, (0, 4))[None].astype(np.float32))

    def apart(far):
        # The integral of (F(x + far) - F(x))^2 for a normal F of width 4, q = 4 sqrt 2:
        # far (2 F(far / q) - 1) + 2 q f(far / q) - 2 q f(0), F and f now of width 1.
        q = 4 * 2**0.5
        return far * (2 * norm.cdf(far / q) - 1) + 2 * q * (norm.pdf(far / q) - norm.pdf(0))

    assert np.median(sharp[0, 0]) == pytest.approx(apart(1) / apart(4), rel=0.03)


def test_a_shifted_picture_has_a_known_shift():
    rng = np.random.default_rng(1)
    wide = np.kron(rng.integers(0, 255, (32, 32)), np.ones((6, 6))).astype(np.float32)
    usual, moved = wide[10:138, 10:138], wide[7:135, 15:143]  # 3 px down, 5 px to the left
    shifts, heights = displacements(moved[None], usual)
    assert np.median(shifts[0], axis=0) == pytest.approx([3, -5], abs=0.1)
    assert np.median(heights) > 0.3
    still, sure = displacements(usual[None], usual)
    assert np.abs(still).max() < 0.01
    assert sure.min() == pytest.approx(1, abs=0.01)


def test_camera_motion_is_the_length_of_the_shift():
    rng = np.random.default_rng(2)
    wide = np.kron(rng.integers(0, 255, (32, 32)), np.ones((6, 6))).astype(np.float32)
    standing = wide[10:138, 10:138]
    clip = np.stack([standing] * 5 + [wide[13:141, 6:134]])  # 3 up and 4 right: 5 px
    far, gain = camera_motion(clip)
    assert far == pytest.approx([0, 0, 0, 0, 0, 5], abs=0.2)
    assert gain[:5] == pytest.approx(np.zeros(5))
    assert gain[5] > 0.2


def test_light_of_a_board():
    board = np.kron(np.indices((16, 16)).sum(axis=0) % 2, np.ones((8, 8))) * 200
    seen = light(board[None].astype(np.float32))
    # Half of the fields are 200 and half are 0: mean 100, standard deviation 100, none burnt out.
    assert (seen.mean[0], seen.contrast[0], seen.burnt[0]) == pytest.approx((100, 100, 0))
    assert light(np.full((1, 64, 64), 255, np.float32)).burnt.tolist() == [1.0]


def test_a_broken_cell_is_counted_once():
    clip = np.full((5, 64, 64, 3), 90, np.uint8)
    clip[2, 16:32, 32:48] = 200  # one of 4 x 4 cells, in one frame
    broken, alone = broken_cells(made.footage(clip))
    assert broken.tolist() == alone.tolist() == [0, 0, 1 / 16, 0, 0]


def test_a_torn_band_is_counted():
    rng = np.random.default_rng(3)
    wide = np.kron(rng.integers(0, 255, (24, 32)), np.ones((4, 4))).astype(np.float32)
    clip = np.stack([wide[:96, :96]] * 6)
    clip[3, 16:40] = wide[16:40, 6:102]  # rows of bands 2, 3 and 4 of 12, six pixels aside
    assert torn_bands(clip).tolist() == [0, 0, 0, 3 / 12, 0, 0]


def test_stretches_start_high_go_on_low_and_join():
    sure = np.array([0, 0, 1, 0, 0, 0, 1, 0, 0, 0], bool)
    also = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1, 1], bool)
    assert stretches(sure, also) == [(2, 4), (5, 7)]
    assert stretches(sure, also, gap=1) == [(2, 7)]
    assert stretches(sure, also, gap=1, least=6) == []
    # Median 2; distances 1, 1, 0, 98: their median is 1.
    assert robust(np.array([1.0, 3.0, 2.0, 100.0, 2.0]), 0.1) == pytest.approx((2, 1.4826))


# Clips with one fault each: type and frames to the letter.


def blurred():
    clip = clear()
    clip[SPAN] = gaussian_filter(clip[SPAN].astype(float), (0, 2, 2, 0))
    return clip


def smeared():
    clip = clear()
    clip[SPAN] = uniform_filter1d(clip[SPAN].astype(float), 7, axis=2)
    return clip


def dark():
    clip = clear()
    clip[SPAN] = clip[SPAN] * 0.3
    return clip


def foggy():
    clip = clear()
    clip[SPAN] = 140 + clip[SPAN] * 0.2
    return clip


def shaken():
    clip, rng = clear(), np.random.default_rng(5)
    for k in range(20, 40):
        clip[k] = np.roll(clip[k], rng.choice([-5, -4, 4, 5], 2), axis=(0, 1))
    return clip


def garbled():
    clip, rng = clear(), np.random.default_rng(6)
    for k in range(20, 40):
        for place in rng.integers(0, 6, (4, 2)) * 16:
            block = slice(place[0], place[0] + 16), slice(place[1], place[1] + 16)
            clip[(k, *block)] = rng.integers(0, 255, 3)
    return clip


def torn():
    clip = clear()
    clip[SPAN, 16:48] = np.roll(clip[SPAN, 16:48], 9, axis=2)
    return clip


def frozen():
    clip = clear()
    clip[21:40] = clip[20]
    return clip


def covered():
    clip = clear()
    clip[SPAN, 20:60, 30:80] = (30, 60, 35)
    return clip


def gone():
    return made.bare(clear(), SPAN, (60, 60))


def made_up():
    return made.paint(clear(), SPAN, (66, 20), (40, 60, 200), 12)


def jumped():
    return made.paint(made.bare(clear(), SPAN, (60, 60)), SPAN, (68, 30), made.RED)


def exchanged():
    return made.paint(clear(), SPAN, (60, 60), (30, 50, 220))


FAULTS = {
    "blur": blurred,
    "low_visibility": dark,
    "camera_instability": shaken,
    "frame_corruption": garbled,
    "occlusion": covered,
    "object_disappearance": gone,
    "object_hallucination": made_up,
    "object_teleportation": jumped,
    "object_identity_swap": exchanged,
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_found_with_its_frames(kind):
    assert found(FAULTS[kind]()) == [(kind, 20, 40)]


@pytest.mark.parametrize("make", [torn, foggy, frozen, smeared])
def test_other_ways_to_spoil_a_picture(make):
    kind = {foggy: "low_visibility", smeared: "blur"}.get(make, "frame_corruption")
    ((said, first, stop),) = found(make())
    assert said == kind
    assert abs(first - 20) <= 1
    assert abs(stop - 40) <= 1


@pytest.mark.parametrize("kind", FAULTS)
def test_a_mirrored_clip_has_the_same_faults(kind):
    assert found(FAULTS[kind]()[:, :, ::-1]) == [(kind, 20, 40)]


@settings(max_examples=5)
@given(seed=st.integers(0, 1000), noise=st.floats(0, 2), arm=st.booleans())
def test_a_sound_clip_has_no_fault(seed, noise, arm):
    assert found(clear(seed, noise=noise, arm=arm)) == []


def test_a_thing_that_is_gone_for_good_is_gone_to_the_end():
    clip = made.bare(clear(arm=False), slice(30, None), (60, 60))
    assert found(clip) == [("object_disappearance", 30, 60)]


def test_a_robot_that_waits_freezes_nothing():
    clip = clear(noise=0)
    clip[30:] = clip[30]  # it stops, and no jump follows
    assert found(clip) == []


def test_the_words_have_the_numbers():
    (event,) = diagnosed(blurred()).value
    assert event.dimension == "visual_quality"
    assert "% of what is usual from 1.3 s to 2.7 s (view front)" in event.evidence
    assert 0.5 <= event.confidence <= 1
    assert 1 <= event.severity <= 5
    assert event.frames_s[0] == pytest.approx(20 / 15)
    assert event.source == "instruments"


def test_measurements_speak_of_a_span_and_are_silent_elsewhere():
    seen = measurements(made.episode(blurred()))
    assert "blur 1.3-2.7 s: sharpness fell to" in seen.in_words(1.5, 2.5)
    assert seen.in_words(0.0, 1.0) == ""
    assert measurements(made.episode(clear())).in_words(0.0, 4.0) == ""


# What is left out, and said.


def test_a_camera_on_the_wrist_may_shake():
    judged = diagnosed(shaken(), view="wrist")
    assert "camera_instability" not in {e.type for e in judged.value}
    assert "View wrist moves with the robot: no camera_instability" in judged.detail


def test_few_frames_a_second_tell_no_jump():
    judged = diagnosed(jumped(), fps=5.0)
    assert judged.value == ()
    assert "View front has 5.0 frames a second, under 8" in judged.detail


def test_what_no_instrument_looks_at_is_not_called_clean():
    seen = make_judge("instruments").examine(made.episode(clear()))
    assert seen.unasked == ("task_progress", "instruction_consistency", "robot_body_consistency")
    assert seen.judged.value == ()


def test_bad_input_is_answered_not_raised():
    one = diagnosed(clear()[:1])
    assert one.value == ()
    assert "View front has 1 frame" in one.detail
    tiny = diagnosed(clear()[:, :20, :20])
    assert tiny.value == ()
    assert "View front is 20 px wide, under 32: not looked at." in tiny.detail
    nothing = make_judge("instruments").diagnose(Episode(id="e", task="t"))
    assert (nothing.value, nothing.status) == (None, "missing_frame")
    assert nothing.detail == "e has no view to look at."


def test_a_black_view_stands_in_for_a_camera_unless_it_is_the_only_one():
    black = np.zeros_like(clear())
    assert found(black) == [("low_visibility", 0, 60)]
    both = made.episode(clear())
    views = {**both.views, "image_3": View(made.Drawn(black, np.arange(60) / made.FPS))}
    judged = make_judge("instruments").diagnose(replace(both, views=views))
    assert judged.value == ()
    assert judged.detail == "View image_3 shows one colour and nothing else: not looked at."


def test_two_frames_and_an_uneven_clock():
    assert diagnosed(clear()[:2]).value == ()
    clip, rng = blurred(), np.random.default_rng(7)
    times = np.cumsum(rng.uniform(0.04, 0.1, len(clip)))
    view = View(made.Drawn(clip, times))
    (event,) = make_judge("instruments").diagnose(Episode("e", "t", views={"main": view})).value
    assert (event.start_s, event.end_s) == (times[20], times[40])


def test_a_long_clip_is_seen_in_windows_that_overlap():
    clip = np.zeros((450, 32, 32, 3), np.uint8)
    parts = list(footage_of("front", View(made.Drawn(clip, np.arange(450) / 30.0))))
    # 400 frames, then the last 20 of them again with the other 50.
    assert [len(part) for part in parts] == [400, 70]
    assert parts[1].times[0] == pytest.approx(380 / 30)


def test_a_file_is_diagnosed_like_its_frames(tmp_path):
    frames = made.Drawn(np.kron(gone(), np.ones((1, 2, 2, 1), np.uint8)), np.arange(60) / 15.0)
    write_h264(frames, tmp_path / "gone.mp4")
    episode = Episode("e", "t", views={"main": View(VideoFrames(str(tmp_path / "gone.mp4")))})
    (event,) = make_judge("instruments").diagnose(episode).value
    assert event.type == "object_disappearance"
    assert (event.start_s, event.end_s) == pytest.approx((20 / 15, 40 / 15), abs=0.01)


# Physics from signals.


def traced(places, contact=None, hand=None):
    times = np.arange(len(places)) / 10.0
    signals = {"object.can.position": Series(times, np.asarray(places, float))}
    if contact is not None:
        signals["contact.can.table"] = Series(times, np.asarray(contact, float))
    if hand is not None:
        signals["ee_position"] = Series(times, np.asarray(hand, float))
    return [(e.type, e.start_s, e.end_s) for e in physics(Episode("e", "t", signals=signals))]


def test_physics_of_a_thing():
    still = np.zeros((20, 3))
    assert traced(still, np.ones(20)) == []
    jump = still.copy()
    jump[10:, 0] = 0.2  # 20 cm from sample 9 to 10, at 1.0 s; counts for 0.5 s
    assert traced(jump, np.ones(20)) == [("object_teleportation", 1.0, 1.5)]
    sunk = still.copy()
    sunk[5:10, 2] = -0.02
    assert traced(sunk, np.ones(20)) == [("object_penetration", 0.5, 1.0)]
    up = still.copy()
    up[5:15, 2] = 0.1
    up[4, 2], up[15, 2] = 0.05, 0.05
    free = np.ones(20)
    free[4:16] = 0
    # It hangs from 0.6 s to 1.3 s: at 0.5 s and 1.4 s it still moves (mean of two steps).
    assert traced(up, free) == [("object_floating", 0.6, 1.4)]


def test_physics_of_a_thing_that_goes_along_with_the_hand():
    places = np.zeros((20, 3))
    places[:, 2] = np.concatenate([np.zeros(5), np.linspace(0.05, 0.75, 15)])
    free = np.concatenate([np.ones(5), np.zeros(15)])
    hand = places + np.array([0, 0, 0.1])
    assert traced(places, free, hand) == [("grasp_without_visible_support", 0.5, 1.9)]
    assert traced(places, np.ones(20), hand) == []


def test_physics_of_joints():
    turned = np.zeros((10, 7))
    turned[5:, 2] = 2.0  # 2 rad in 0.1 s
    joints = Series(np.arange(10) / 10.0, turned)
    (event,) = physics(Episode("e", "t", signals={"joint_position": joints}))
    assert (event.type, event.start_s) == ("impossible_motion", 0.5)
    assert "a joint turned by 20 rad/s" in event.evidence
