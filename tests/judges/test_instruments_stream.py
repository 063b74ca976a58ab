"""Lost rows, borders of blocks and mixed-up frames: found, and honest clips are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instruments_made as made
from assay.judges.instruments._tiles import ends_of, usual_of
from assay.judges.instruments.lost_rows import lost_rows
from assay.judges.instruments.order import going_back, order
from assay.judges.instruments.rows import row_steps, rows
from assay.judges.instruments.seams import seam_share, seams
from instruments_made import SPAN, found

BROKEN = "frame_corruption"

# Values derived by hand.


def test_the_ends_of_a_clip_are_a_fifth_of_it_at_most():
    # Half a second of 10 frames a second are 5 frames, of which 12 frames allow 2.
    assert ends_of(100, 10.0).tolist() == [0, 1, 2, 3, 4, 95, 96, 97, 98, 99]
    assert ends_of(12, 10.0).tolist() == [0, 1, 10, 11]
    assert ends_of(1, 10.0).tolist() == [0, 0]


def test_the_usual_picture_is_that_of_the_ends_though_most_frames_differ():
    pictures = np.full((20, 2, 2), 100, np.uint8)
    pictures[5:17] = 200  # 12 of 20 frames
    # All 20 frames count once and the 8 at the ends 20 times together: 12 of 40 differ.
    assert usual_of(pictures).tolist() == [[100, 100], [100, 100]]


def test_a_row_steps_by_the_width_that_has_changed():
    clip = np.full((20, 64, 64, 3), 90, np.uint8)
    clip[8:12, 32:, :48] = 200  # from row 32 on, three quarters of the width
    step = row_steps(made.footage(clip))
    assert step.tolist() == [0.0] * 8 + [0.75] * 4 + [0.0] * 8


def test_seams_of_a_block_are_its_borders():
    clip = np.full((20, 64, 64, 3), 90, np.uint8)
    clip[8:12, 16:32, 32:48] = 200
    share, fit, lines = seam_share(made.footage(clip))
    # Two borders of 16 px of the 63 x 64 steps in each way, all at one of 16 places.
    assert share[8:12] == pytest.approx(4 * 16 / (63 * 64))
    assert fit[8:12] == pytest.approx(1.0)
    assert lines[8:12].tolist() == [4] * 4
    assert share[:8].max() == share[12:].max() == 0.0


def test_a_frame_that_shows_what_was_undoes_the_last_change():
    clip = np.full((7, 64, 64, 3), 90, np.uint8)
    for k, left in enumerate((0, 4, 8, 12, 4, 16, 20)):
        clip[k, :32, left : left + 8] = 200
    undone, much = going_back(made.footage(clip))
    # A move by 4 columns changes 8 of them. The fifth frame is the second again and changes 16; so
    # does the sixth, of which 8 are as in the fourth.
    assert undone.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0]
    assert much.tolist() == [False, False, False, False, True, True, False]


# Properties.


@given(st.integers(1, 300), st.floats(0.5, 60.0))
def test_ends_lie_inside_the_clip(frames, fps):
    ends = ends_of(frames, fps)
    assert ends.min() == 0
    assert ends.max() == frames - 1


@given(st.integers(0, 255), st.integers(1, 40))
def test_a_picture_that_stands_is_its_own_usual_one(level, frames):
    pictures = np.full((frames, 3, 3), level, np.uint8)
    assert (usual_of(pictures) == level).all()


# Clips with and without the fault.


def half_decoded(clip):
    for k in range(20, 40):
        clip[k, 40 + 7 * (k % 5) :] = (0, 135, 0)
    return clip


def barred(clip):
    for k in range(20, 40):
        dark = np.sin(np.arange(96) / 5.0 + k) > 0.3
        clip[k, dark] = clip[k, dark] // 3
    return clip


def smeared(clip):
    """Show stale parts of the wall in three blocks of the table, which creep on."""
    for k in range(20, 40):
        for row, column in ((52, 36), (52, 68), (68, 52)):
            stale = np.roll(clip[19], k - 18, axis=1)[:16, column : column + 16]
            clip[k, row : row + 16, column : column + 16] = stale
    return clip


def mixed_up(clip):
    rng = np.random.default_rng(0)
    for first in range(20, 40, 5):
        clip[first : first + 5] = clip[first + rng.permutation(5)]
    return clip


def swinging():
    """Return a clip with a broad arm that crosses the picture."""
    clip = made.room(arm=False)
    for k in range(60):
        clip[k, :44, k : k + 26] = (225, 225, 230)
    return clip


@pytest.mark.parametrize("spoil", [half_decoded, barred, smeared])
def test_broken_rows_and_blocks_are_corruption(spoil):
    ((kind, first, stop),) = found(spoil(made.room()))
    assert kind == BROKEN
    assert abs(first - 20) <= 2
    assert abs(stop - 40) <= 2


def test_mixed_up_frames_are_corruption():
    ((kind, first, stop),) = found(mixed_up(swinging()))
    assert kind == BROKEN
    assert abs(first - 20) <= 4
    assert abs(stop - 40) <= 4


@pytest.mark.parametrize("clip", [made.room(), swinging()], ids=["at work", "swinging"])
def test_an_honest_clip_has_no_broken_rows_blocks_or_order(clip):
    for instrument in (rows, seams, order):
        assert instrument(made.footage(clip)).events == ()


def test_a_riding_camera_has_no_usual_rows_and_no_order():
    clip = half_decoded(mixed_up(swinging()))
    for instrument in (rows, order):
        assert instrument(made.footage(clip, moves=True)).events == ()


def test_a_card_with_slanted_edges_breaks_no_rows():
    clip = made.room()
    rows_at, columns = np.indices((96, 96))
    card = np.abs(rows_at - 40 + 0.4 * columns) < 18
    clip[SPAN, card] = (30, 60, 120)
    assert [kind for kind, *_ in found(clip)] == ["occlusion"]


def broken_off(clip, rows=(70, 40, 96, 55, 62, 80, 30, 96)):
    """Leave the lower rows of frames empty, from another one on each time."""
    for k in range(20, 40):
        clip[k, rows[k % len(rows)] :] = 128
    clip[39, 60:] = 128
    return clip


def test_pictures_that_break_off_are_corruption_also_of_a_riding_camera():
    ((kind, first, stop),) = found(broken_off(made.room()))
    assert (kind, first) == (BROKEN, 20)
    assert abs(stop - 40) <= 1
    (event,) = lost_rows(made.footage(broken_off(made.room()), moves=True)).events
    assert (round(event.start_s * 15), round(event.end_s * 15)) == (20, 40)


def test_a_plain_part_of_the_scene_is_no_lost_picture():
    clip = made.room(noise=0)
    clip[:, 80:] = 128
    clip[20:40:3, 80:, 40:50] = 90  # a shadow comes and goes
    assert lost_rows(made.footage(clip)).events == ()


def test_rows_that_are_plain_all_the_while_are_not_lost_by_leaps():
    clip = made.room()
    clip[made.SPAN, 60:] = 128
    assert lost_rows(made.footage(clip)).events == ()
