"""The page and the table of a training: whatever names say, and whatever is missing."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from assay.reports.training import COLUMNS, to_terminal
from assay.reports.training_page import Example, write_training_page

HOSTILE = '<script>alert("x")</script>'
KNOWN = {"value": 0.9, "low": 0.8, "high": 1.0, "n": 9}
MISSING = {"value": None, "low": None, "high": None, "n": 0, "why": "no episode has such moments"}


def training(**changes):
    """A `train.json` of one task, with hostile names wherever the data can put one."""
    row = {"judge": "this judge", **dict.fromkeys(COLUMNS, KNOWN), "anti_time": MISSING}
    document = {
        "tasks": [{"task": HOSTILE, "instructions": [HOSTILE], "trained": 4, "held_out": 1}],
        "episodes": {"trained": 4, "held_out": 1},
        "labels": {"successes": 5, "failures": 0, "unknown": 0},
        "held_out_by": "episode",
        "views": [HOSTILE],
        "settings": {"fps": 5.0},
        "size": 96,
        "start": "scratch",
        "stopped": "all steps were taken",
        "history": [
            {"step": 1, "loss": 1.5, "valid_error": 0.3, "valid_pairs": None},
            {"step": 2, "loss": 0.5, "valid_error": 0.2, "valid_pairs": None},
        ],
        "judged_on": "held_out",
        "judged": 1,
        "judges": [row, {**row, "judge": "ramp"}],
        "calibration": [],
        "blind_spots": [HOSTILE],
        "targets": {"time": 5},
        "origins": {"time": "the elapsed time until success"},
        "inputs": [{"path": HOSTILE, "episodes": 5}],
        "unreadable": [{"episode": HOSTILE, "detail": HOSTILE}],
    }
    return {**document, **changes}


def example():
    """One episode with a gap in what is known; its first picture is red."""
    times = np.arange(4.0)
    red = np.zeros((4, 6, 3), np.uint8)
    red[..., 0] = 255
    known = np.array([0.0, np.nan, 0.6, 1.0])
    return Example(HOSTILE, HOSTILE, times, {"known": known, "ramp": times / 3}, [(0.0, red)])


@pytest.fixture
def page(tmp_path):
    write_training_page(training(), [example()], tmp_path)
    return (tmp_path / "index.html").read_text()


def test_names_are_text(page):
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_what_is_missing_says_why(page):
    assert "no episode has such moments" in page
    assert "nothing was held out" in page  # no look gave a share of pairs
    assert "nothing is known" in page  # no bin of the calibration
    assert "nan" not in page.lower()


def test_a_gap_parts_the_line(page):
    # the known curve is drawn as two pieces, the ramp as one
    drawing = page[page.index('id="examples"') :]
    assert drawing.count("<polyline") == 3


def test_the_picture_is_the_frame(page):
    data = re.search(r"data:image/png;base64,([^\"]+)", page).group(1)
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
    assert shown.shape == (4, 6, 3)
    assert (shown == [255, 0, 0]).all()


def test_the_same_training_gives_the_same_page(page, tmp_path):
    write_training_page(training(), [example()], tmp_path / "again")
    assert (tmp_path / "again" / "index.html").read_text() == page


def test_the_table_has_a_row_for_each_judge():
    table = to_terminal(training())
    assert table.row_count == 2
    assert [str(column.header) for column in table.columns][:2] == ["judge", "pairs %"]
