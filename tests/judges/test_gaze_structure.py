"""What gaze makes of a simulated model with known rates; the campaign is in tests/proof."""

import pytest

from glitch_closed_form import expected
from glitch_vlm import simulated_clips, write_simulated
from proof.glitch_structure import measure, outside

SHARE = 0.01  # ten clips of each split
CLIPS = simulated_clips(0, SHARE)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated")
    return folder, write_simulated(folder / "clips", CLIPS)


@pytest.mark.parametrize("system", ["gaze", "vanilla-3"])
def test_every_figure_holds_its_closed_form(simulated, system):
    folder, references = simulated
    found, asking = measure(folder, system, CLIPS, references, 0.5)
    assert outside(system, 0.5, found, asking, expected(system, CLIPS, 0.5), slack=0.8) == []


def test_closed_forms_by_hand():
    # Recall of one look is 1 - 0.30. Two of three looks find 3 x 0.7^2 - 2 x 0.7^3 = 0.784 when
    # they are independent, and 0.7 when they are always the same.
    assert expected("vanilla", CLIPS, 0.0).recall == pytest.approx(0.7)
    assert expected("vanilla-3", CLIPS, 0.0).recall == pytest.approx(0.784)
    assert expected("vanilla-3", CLIPS, 1.0).recall == pytest.approx(0.7)
    # A clean clip of W windows stays clean with 0.7^W, and with a critic with (1 - 0.3 x 0.15)^W;
    # the splits have 8, 5 and 17 windows.
    clean = sum(0.7**w for w in (8, 5, 17)) / 3
    assert expected("vanilla", CLIPS, 0.0).clean_accuracy == pytest.approx(clean)
    critic = sum(0.955**w for w in (8, 5, 17)) / 3
    assert expected("gaze", CLIPS, 0.0).clean_accuracy == pytest.approx(critic)
    # A span of 3 s that is shifted by up to 0.4 s: (1 / 0.4) int_0^0.4 (3 - x) / (3 + x) dx
    assert expected("gaze", CLIPS, 0.0).miou == pytest.approx(0.8774, abs=1e-4)


def test_the_published_clips_take_fewer_questions_than_the_published_schedule():
    every = simulated_clips(0, 1.0)
    found = expected("gaze", every, 0.5)
    assert len(every) == 382
    assert found.calls <= 9.0
    assert found.rounds <= 5.0
