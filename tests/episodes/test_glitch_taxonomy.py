"""The taxonomy of glitches is whole, and says the same everywhere."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.episodes.glitches.reports import ClipReport, read_reports, write_reports
from assay.episodes.glitches.taxonomy import taxonomy
from assay.errors import UnknownNameError
from assay.records import Event


def test_six_dimensions_of_five_types_each_with_a_meaning():
    known = taxonomy()
    assert len(known.dimensions) == 6
    assert {len(d.types) for d in known.dimensions.values()} == {5}
    assert len(known.types) == 30
    meanings = [text for d in known.dimensions.values() for text in d.types.values()]
    assert len(set(meanings)) == 30
    assert all(text.endswith(".") for text in meanings)
    assert sorted(known.severity) == [1, 2, 3, 4, 5]
    assert set(known.order) == set(known.dimensions)


def test_the_cascade_prefers_what_is_seen_most_directly():
    known = taxonomy()
    assert known.leading(frozenset({"task_progress", "visual_quality"})) == "visual_quality"
    assert (
        known.leading(frozenset({"task_progress", "physical_plausibility"}))
        == "physical_plausibility"
    )


def test_an_unknown_type_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'object_floating'"):
        taxonomy().dimension_of("object_float")


def test_reports_come_back_as_they_were_written(tmp_path):
    event = Event(
        "visual_quality",
        "blur",
        0.5,
        1.25,
        2.5,
        "b",
        "e",
        confidence=0.4,
        secondary=("task_progress",),
        frames_s=(0.6,),
    )
    said = [ClipReport("a", "x", (event,), length_s=3.0), ClipReport("b")]
    write_reports(tmp_path / "r.jsonl", said)
    assert list(read_reports(tmp_path / "r.jsonl", truth=True).values()) == said


def test_the_page_has_the_words_of_the_file():
    script = Path(__file__).parents[2] / "scripts" / "glitch_taxonomy.py"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0
