"""Building pulse from episodes of no world."""

from __future__ import annotations

import pytest

from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import InputError, UsageError
from assay.jobs._pulse_items import read_items
from assay.jobs.build import BuildSettings, build
from assay.records import Segment
from lerobot_sets import made_episode


def demonstrations(root, count=3, **changes):
    """Write demonstrations of 30 s with two subtasks; the second one fails. No pictures."""
    segments = (Segment("reach", 0.0, 10.0), Segment("lift", 10.0, 29.9))
    about = {"world": None, "views": {}, "segments": segments, "perturbation": None, **changes}
    made = [made_episode(k, 300, **about) for k in range(count)]
    write_lerobot(root, made, fps=10)
    return root


def test_subtasks_of_successes_make_pairs(tmp_path):
    source = demonstrations(tmp_path / "arm")
    result = build([source], BuildSettings(tmp_path / "out", setting="Real", per_episode=50))
    items = read_items(tmp_path / "out" / "items.parquet")
    assert {item.route for item in items} == {"segments"}
    assert {item.episode for item in items} == {"run-0", "run-2"}
    assert {(item.setting, item.category) for item in items} == {("Real", "arm")}
    # floor(300 / 30) = 10 chunks over 2 phases: 5 states each, so that Phi goes in tenths.
    assert {round(10 * item.phi_before, 6) % 1 for item in items} == {0.0}
    assert sum(item.y for item in items) == 0
    assert result.document["regression_share"] == 0.0
    (why,) = result.document["episodes"]["left_out"]
    assert why.startswith("no success")
    assert {item.wrong_object for item in items} == {None}


def test_a_finished_benchmark_is_left_as_it_is(tmp_path):
    source = demonstrations(tmp_path / "arm")
    settings = BuildSettings(tmp_path / "out", setting="Real", category="panda")
    first = build([source], settings)
    written = (first.out / "items.parquet").stat().st_mtime_ns
    second = build([source], settings)
    assert second.document == first.document
    assert (first.out / "items.parquet").stat().st_mtime_ns == written
    assert {item.category for item in read_items(first.out / "items.parquet")} == {"panda"}


def test_where_it_was_filmed_must_be_said(tmp_path):
    source = demonstrations(tmp_path / "arm", count=1)
    with pytest.raises(UsageError, match="--setting Real, Sim, UMI or Human"):
        build([source], BuildSettings(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_episodes_without_a_success_make_no_benchmark(tmp_path):
    source = demonstrations(tmp_path / "arm", count=1, outcome=None)
    with pytest.raises(InputError, match="not known to be a success"):
        build([source], BuildSettings(tmp_path / "out", setting="Real"))


def test_a_file_that_holds_no_items_is_refused(tmp_path):
    (tmp_path / "items.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match="holds no items"):
        read_items(tmp_path / "items.parquet")
