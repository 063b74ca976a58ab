"""The demonstration, cut to one task and one attempt per policy."""

from __future__ import annotations

import json

import pytest

from assay.cli._app import run
from assay.jobs import demo


def run_demo(out):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "TASKS", ("place-in-basket",))
        with pytest.raises(SystemExit) as stopped:
            run(["demo", "--out", str(out), "--seeds", "1", "--jobs", "1"])
    return stopped.value.code or 0


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    out = tmp_path_factory.mktemp("shown") / "demo"
    assert run_demo(out) == 0
    return out


def test_the_demo_audits_what_was_rolled_out(shown):
    document = json.loads((shown / "audit" / "audit.json").read_text())
    cells = {cell["policy"]: cell for cell in document["cells"]}
    assert set(cells) == set(demo.POLICIES)
    assert cells["expert"]["mc"]["100"]["value"] == 1.0
    # It comes close and fails: that is its name.
    assert 0.75 <= cells["near-miss"]["mp"]["value"] < 1.0
    assert cells["early-stopper"]["mp"]["value"] < cells["near-miss"]["mp"]["value"]


def test_the_report_says_what_it_shows_and_compares_with_a_clock(shown):
    page = (shown / "audit" / "index.html").read_text(encoding="utf-8")
    assert demo.NOTE in page
    assert "Beside other judges" in page


def test_a_second_demo_repeats_nothing(shown):
    clips = sorted((shown / "rollouts").rglob("*.mp4"))
    before = {clip: clip.stat().st_mtime_ns for clip in clips}
    assert len(before) == 2 * len(demo.POLICIES)  # two views each
    assert run_demo(shown) == 0
    assert {clip: clip.stat().st_mtime_ns for clip in clips} == before
