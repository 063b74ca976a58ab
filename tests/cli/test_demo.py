"""The demonstration, cut to one task and one attempt per policy."""

from __future__ import annotations

import json
import shutil

import pytest

from assay.cli._app import run
from assay.errors import MissingExtraError
from assay.jobs import demo
from judge_learned import Learned


def seeing(name):
    """Stand in for the embedded judge: it says what the truth says, and has a card."""
    assert name == "prm-mini"
    return Learned()


def blind(name):
    raise MissingExtraError("The embedded judge", "onnxruntime", "judges")


def run_demo(out, make_judge=seeing):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "TASKS", ("place-in-basket",))
        patch.setattr(demo, "make_judge", make_judge)
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


def test_the_judge_that_looks_stands_beside_truth_and_clock(shown):
    document = json.loads((shown / "audit" / "audit.json").read_text())
    assert document["judge"]["name"] == "judge_learned:Learned"
    assert [one["judge"]["name"] for one in document["beside"]] == ["oracle", "ramp"]
    page = (shown / "audit" / "index.html").read_text(encoding="utf-8")
    assert demo.NOTE in page
    assert "Beside other judges" in page


def test_a_second_demo_repeats_nothing(shown):
    clips = sorted((shown / "rollouts").rglob("*.mp4"))
    before = {clip: clip.stat().st_mtime_ns for clip in clips}
    assert len(before) == len(demo.VIEWS) * len(demo.POLICIES)
    assert run_demo(shown) == 0
    assert {clip: clip.stat().st_mtime_ns for clip in clips} == before


def test_without_the_network_the_truth_judges_and_the_reader_is_told(shown, tmp_path, capsys):
    shutil.copytree(shown / "rollouts", tmp_path / "rollouts")
    assert run_demo(tmp_path, blind) == 0
    told = capsys.readouterr().err
    assert (
        "The attempts will be judged by the exact progress alone. The embedded judge needs" in told
    )
    document = json.loads((tmp_path / "audit" / "audit.json").read_text())
    assert document["judge"]["name"] == "oracle"
    assert [one["judge"]["name"] for one in document["beside"]] == ["ramp"]
    assert demo.NOTE_BLIND in (tmp_path / "audit" / "index.html").read_text(encoding="utf-8")
