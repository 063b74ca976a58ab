"""Overlaps in whole frames, from the command line to the document and the page."""

import json

import pytest

from assay.cli._app import run as command
from assay.errors import UsageError
from assay.jobs._bench_robustness import Asked
from assay.jobs.bench_glitches import GlitchBenchSettings, bench_glitches
from glitches_made import event, line, random_lines, rng, write


@pytest.fixture
def files(tmp_path):
    """One clip; in seconds the event is found with IoU 1.2 / 1.4, at 4 frames a second 5 / 6."""
    true = write(tmp_path / "true.jsonl", [line("a", event(start=1.0, end=2.4)), line("b")])
    said = write(tmp_path / "said.jsonl", [line("a", event(start=1.2, end=2.4)), line("b")])
    return said, true


def ran(files, capfd, *more):
    said, true = files
    words = ["bench", "glitches", "--reports", said, "--references", true, *more]
    with pytest.raises(SystemExit) as stopped:
        command([str(word) for word in words])
    return stopped.value.code or 0, *capfd.readouterr()


def test_the_command_line_counts_in_frames_and_says_so(files, capfd, tmp_path):
    for more, iou, recorded in (((), 1.2 / 1.4, None), (("--iou-fps", 4), 5 / 6, 4.0)):
        code, printed, _ = ran(files, capfd, "--json", *more)
        document = json.loads(printed)
        assert code == 0
        assert document["miou"]["value"] == pytest.approx(iou)
        assert document["f1_iou"]["value"] == pytest.approx(iou)
        assert document["settings"]["iou_fps"] == recorded
    out = tmp_path / "out"
    told = "Overlaps are counted in whole frames, 4 a second."
    assert told in ran(files, capfd, "--iou-fps", 4, "--format", "md", "--out", out)[1]
    assert told in (out / "index.html").read_text(encoding="utf-8")
    assert told not in ran(files, capfd, "--format", "md")[1]
    code, _, error = ran(files, capfd, "--iou-fps", 5, "--out", out)
    assert code == 2
    assert "another run (settings differ in iou_fps)" in error


@pytest.mark.parametrize("fps", ["0", "-4", "nan", "inf", "1e9"])
def test_rates_that_cannot_be_meant_are_refused(files, capfd, fps):
    code, printed, error = ran(files, capfd, "--iou-fps", fps, "--json")
    assert (code, printed) == (2, "")
    assert f"--iou-fps must be above 0 and at most 10000 frames a second, not {float(fps):g}" in (
        " ".join(error.split())
    )


def test_help_names_the_option(capfd):
    with pytest.raises(SystemExit):
        command(["bench", "--help"])
    assert "--iou-fps" in capfd.readouterr().out


def test_events_within_one_frame_are_the_same_time_and_a_type_is_found(files, tmp_path):
    # Frame 0 of 1 a second lasts from 0 to 1 s: both spans are that frame alone.
    true = write(tmp_path / "one.jsonl", [line("a", event(start=0.1, end=0.2))])
    said = write(tmp_path / "other.jsonl", [line("a", event(start=0.3, end=0.4))])
    for fps, found in ((None, 0.0), (1, 1.0)):
        how = GlitchBenchSettings(iou_fps=fps)
        document = bench_glitches({"said": said}, true, how).document
        assert document["f1"]["value"] == found
        assert document["by_type"]["blur"]["f1"]["value"] == found


def test_agreement_of_annotators_and_sweeps_count_in_frames_too(tmp_path):
    # IoU in seconds 1.2 / 1.4; at 4 frames a second 5 / 6.
    names = {"first": 1.0, "second": 1.2}
    made = {
        name: write(
            tmp_path / f"{name}.jsonl", [line("a", event(start=at, end=2.4, confidence=0.9))]
        )
        for name, at in names.items()
    }
    how = GlitchBenchSettings(iou_fps=4, asked=Asked(annotators=made, sweep="second"))
    found = bench_glitches({"second": made["second"]}, made["first"], how).document["robustness"]
    agreed = found["agreement"]["by_dimension"]["visual_quality"]["iou"]["value"]
    assert agreed == pytest.approx(5 / 6)
    assert found["sweep"]["0.30"]["f1_iou"]["value"] == pytest.approx(5 / 6)


def test_with_many_frames_a_second_every_figure_is_the_one_in_seconds(tmp_path):
    true = write(tmp_path / "true.jsonl", random_lines(rng(4), 20))
    said = write(tmp_path / "said.jsonl", random_lines(rng(5), 20))
    exact, counted = (
        bench_glitches({"said": said}, true, GlitchBenchSettings(iou_fps=fps)).document
        for fps in (None, 10_000)
    )
    # Spans last 0.1 s and more, 1,000 frames: no overlap changes by more than 2 / 999.
    for name in ("f1", "f1_iou", "miou"):
        assert counted[name]["value"] == pytest.approx(exact[name]["value"], abs=0.0021)


def test_python_refuses_too():
    with pytest.raises(UsageError, match="--iou-fps must be above 0"):
        GlitchBenchSettings(iou_fps=0.0)
