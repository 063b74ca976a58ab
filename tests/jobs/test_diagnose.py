"""assay diagnose, end to end: with a model on this machine, with a judge of one's own, badly."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow.parquet as pq
import pytest

from assay.cli._app import run
from assay.episodes.glitches.reports import read_reports
from assay.errors import RunError
from assay.jobs._diagnose_units import decode, encode, unexamined, worker
from assay.jobs.bench_glitches import bench_glitches
from assay.jobs.compare import CompareSettings, compare
from assay.jobs.diagnose import DiagnoseSettings, diagnose
from assay.jobs.show import load
from assay.records import Event, Judged
from clips import cut_file, write_clip
from episodes_made import full_episode
from model_server import ModelServer, say
from models_loopback import write_instructed


def blurred(severity=4, end=0.9):
    told = {"dimension": "visual_quality", "type": "blur", "span_s": [0.2, end]}
    words = {"description": "the picture loses its focus", "evidence": "at 0.5 s"}
    return {**told, "severity": severity, **words}


def answer(asked):
    """A model that finds a blur in every clip."""
    return say(json.dumps({"events": [blurred()]}))


def assay(*arguments):
    """Run a command; return its exit code."""
    with pytest.raises(SystemExit) as caught:
        run([str(a) for a in arguments])
    return caught.value.code or 0


@pytest.fixture
def clips(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    return write_instructed(tmp_path / "clips", 3)


@pytest.fixture
def server():
    with ModelServer(answer) as server:
        yield server


def command(clips, server, out, *more):
    model = f"openai:stub@{server.url}"
    return ("diagnose", clips, "--judge", "vanilla", "--model", model, "--out", out, *more)


def test_reports_tables_pages_and_one_document(clips, server, tmp_path, capfd):
    out = tmp_path / "run"
    assert assay(*command(clips, server, out, "--json")) == 0
    told = capfd.readouterr()
    document = json.loads(told.out)
    assert told.out == (out / "diagnose.json").read_text()
    assert "3 calls sent" in told.err
    assert (document["clips"], document["events"], document["status"]) == (3, 3, {"ok": 3})
    # all 3 of 3 clips, and too few for an interval
    assert document["rates"]["visual_quality"]["value"] == 1.0
    assert document["rates"]["visual_quality"]["n"] == 3
    assert document["rates"]["visual_quality"]["low"] is None
    assert document["asking"]["calls"] == {"mean": 1.0, "most": 1}
    found = read_reports(out / "reports.jsonl", truth=True)
    assert [(e.type, e.start_s) for e in found["clip1"].events] == [("blur", 0.2)]
    assert found["clip1"].length_s == 2.0  # 16 frames at 8 a second
    events = pq.read_table(out / "events.parquet").to_pylist()
    assert {row["source"] for row in events} == {"vanilla"}
    rows = pq.read_table(out / "episodes.parquet").to_pylist()
    assert [(row["events"], row["events_visual_quality"], row["clean"]) for row in rows] == [
        (1, 1, False)
    ] * 3
    assert load(out).verb == "diagnose"
    assert assay("show", out) == 0


def test_the_tables_of_the_terminal_and_of_files(clips, server, tmp_path, capfd):
    out = tmp_path / "run"
    assert assay(*command(clips, server, out)) == 0
    assert "Clips with a fault of" in capfd.readouterr().out
    assert assay(*command(clips, server, out, "--format", "md")) == 0
    assert "| Picture | 100.0 † |" in capfd.readouterr().out
    assert assay(*command(clips, server, out, "--format", "csv")) == 0
    assert "all clips,visual_quality,1.0,,,3" in capfd.readouterr().out


def test_a_rule_fails_the_run_names_the_clips_and_asks_nothing_again(
    clips, server, tmp_path, capfd
):
    out = tmp_path / "run"
    assert assay(*command(clips, server, out)) == 0
    capfd.readouterr()
    assert assay(*command(clips, server, out, "--fail-on", "severity>=4")) == 1
    assert "severity>=4: 3 of 3 clips: clip0, clip1 and clip2." in capfd.readouterr().err
    assert assay(*command(clips, server, out, "--fail-on", "severity==5")) == 0
    assert server.count == 3
    assert assay(*command(clips, server, out, "--fail-on", "severity>=9")) == 2


def test_a_plan_supposes_what_leads_to_the_next_question(clips, server, tmp_path, capfd):
    asking = ("--model", f"openai:stub@{server.url}", "--out", tmp_path / "run", "--plan")
    assert assay("diagnose", clips, "--judge", "gaze", *asking) == 0
    # 3 clips of one window: grounding, windows, plan, 3 specialists, critic
    assert "21 calls to send" in capfd.readouterr().out
    assert assay("diagnose", clips, "--judge", "vanilla-3", *asking) == 0
    assert "9 calls to send" in capfd.readouterr().out
    assert server.count == 0
    assert not (tmp_path / "run").exists()


def test_one_bad_video_stops_that_clip_alone(clips, server, tmp_path, capfd):
    cut_file(clips / "clip1.mp4", 0.3)
    out = tmp_path / "run"
    assert assay(*command(clips, server, out)) == 1
    assert "Not examined, missing_frame: 1 of 3 clips, the first is clip1" in capfd.readouterr().err
    document = json.loads((out / "diagnose.json").read_text())
    assert document["status"] == {"ok": 2, "missing_frame": 1}
    assert document["rates"]["any"]["n"] == 2
    assert (document["rates"]["any"]["worst"], document["rates"]["any"]["best"]) == (
        pytest.approx(2 / 3),
        1.0,
    )
    assert "clip1" not in read_reports(out / "reports.jsonl")  # not examined is not clean


def test_what_failed_is_asked_again_only_by_retry(clips, tmp_path, capfd):
    out = tmp_path / "run"

    with ModelServer(lambda asked: say("nothing to see")) as server:
        assert assay(*command(clips, server, out)) == 1
        first = server.count
        assert first == 3 * 4  # one question and three more tries for each clip
        assert assay(*command(clips, server, out)) == 1
        assert server.count == first
        server.answering = answer
        assert assay(*command(clips, server, out, "--retry")) == 0
        assert server.count == first + 3
    assert json.loads((out / "diagnose.json").read_text())["status"] == {"ok": 3}


def test_events_that_can_not_be_meant_are_counted_and_told(clips, tmp_path, capfd):
    odd = [blurred(severity=7), {**blurred(), "type": "flicker"}, blurred(end=99)]
    odd.append({**blurred(), "span_s": [0.9, 0.2]})
    with ModelServer(lambda asked: say(json.dumps({"events": [blurred(), *odd]}))) as server:
        assert assay(*command(clips, server, tmp_path / "run", "--limit", 1)) == 0
    told = capfd.readouterr().err
    assert "bad_severity 1, bad_span 1, outside_clip 1, unknown_type 1" in told
    (line,) = (tmp_path / "run" / "examined.jsonl").read_text().splitlines()
    details = {bad["reason"]: bad["detail"] for bad in json.loads(line)["invalid"]}
    assert details["bad_severity"] == "severity is 7; 1 to 5 is allowed."
    assert "0.9" in details["bad_span"]
    # What was set aside stands in the reports, and is scored as in a file with the raw events.
    (report,) = read_reports(tmp_path / "run" / "reports.jsonl", truth=True).values()
    assert len(report.events) == 1
    assert {bad.reason: bad.detail for bad in report.invalid} == details
    found, raw = scored(tmp_path, "run/reports.jsonl"), scored(tmp_path, raw_of(tmp_path, odd))
    assert found["counts"] == raw["counts"]
    assert found["counts"]["predicted"] == 5
    assert found["precision"]["value"] == raw["precision"]["value"] == pytest.approx(1 / 5)


def raw_of(folder, odd):
    report = {"clip": "clip0", "length_s": 2.0, "events": [blurred(), *odd]}
    (folder / "raw.jsonl").write_text(json.dumps(report))
    return "raw.jsonl"


def scored(folder, reports):
    (folder / "true.jsonl").write_text(json.dumps({"clip": "clip0", "events": [blurred()]}))
    return bench_glitches({"said": folder / reports}, folder / "true.jsonl").document


def test_a_clip_without_instruction_is_told(tmp_path, server, capfd, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    folder = tmp_path / "bare"
    folder.mkdir()
    write_clip(folder / "clip.mp4", frames=16, fps=8)
    assert assay(*command(folder, server, tmp_path / "run")) == 0
    assert "Not looked for, for want of an instruction" in capfd.readouterr().err
    rates = json.loads((tmp_path / "run" / "diagnose.json").read_text())["rates"]
    assert (rates["task_progress"]["n"], rates["visual_quality"]["n"]) == (0, 1)


def test_a_clip_of_one_frame_is_one_moment(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    (tmp_path / "short").mkdir()
    write_clip(tmp_path / "short" / "clip.mp4", frames=1, fps=8)
    moment = {**blurred(), "span_s": [0, 0]}
    with ModelServer(lambda asked: say(json.dumps({"events": [moment]}))) as server:
        assert assay(*command(tmp_path / "short", server, tmp_path / "run")) == 0
    (report,) = read_reports(tmp_path / "run" / "reports.jsonl", truth=True).values()
    assert report.length_s == 0.0
    assert [(e.start_s, e.end_s) for e in report.events] == [(0.0, 0.0)]


def test_a_table_shown_later_is_the_one_that_was_printed(clips, server, tmp_path, capfd):
    assert assay(*command(clips, server, tmp_path / "run")) == 0
    printed = capfd.readouterr().out
    assert assay("show", tmp_path / "run") == 0
    assert capfd.readouterr().out == printed
    lines = printed.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["Any", "Task"]


def test_one_id_for_two_clips_is_refused_with_its_row(clips, server, tmp_path, capfd):
    (clips / "more").mkdir()
    write_clip(clips / "more" / "clip0.mp4", frames=4, fps=4)
    rows = ["file,episode,instruction", "clip0.mp4,same,go", "more/clip0.mp4,same,go"]
    (clips / "manifest.csv").write_text("\n".join([*rows, ""]))
    assert assay(*command(clips, server, tmp_path / "run")) == 2
    assert "same" in capfd.readouterr().err
    assert server.count == 0


def test_a_judge_that_finds_no_events_is_refused(clips, tmp_path, capfd):
    assert assay("diagnose", clips, "--judge", "ramp", "--out", tmp_path / "run") == 2
    assert "The judge ramp finds no events: it can't diagnose" in capfd.readouterr().err


@dataclass(frozen=True)
class Own:
    """A judge of one's own: finds what it is told to, in clips whose name it knows."""

    kind: str = "blur"
    severity: float = 3.0
    only: str = ""
    returns: str = "events"

    bound: ClassVar[str] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset()
    noise: ClassVar[None] = None

    def diagnose(self, episode):
        if self.returns == "list":
            return ["blur"]
        if self.returns == "none":
            return Judged(None)
        event = Event("visual_quality", self.kind, 0.0, 1.0, self.severity, "d", "e")
        return Judged((event,) if self.only in episode.id else ())


def own_run(clips, out, **options):
    settings = DiagnoseSettings(out, Own(**options), jobs=1, video="none")
    return diagnose([clips], settings)


def test_any_judge_that_diagnoses_will_do(clips, tmp_path):
    found = own_run(clips, tmp_path / "run", only="clip1")
    assert found.ok
    assert found.document["events"] == 1
    assert found.document["asking"] is None
    assert own_run(clips, tmp_path / "run", only="clip1").document == found.document


@dataclass(frozen=True)
class Stopping(Own):
    """Notes every clip that it looks at, and stops the whole run at one, as a full disk does."""

    notes: str = ""
    until: str = ""

    def diagnose(self, episode):
        with Path(self.notes).open("a") as file:
            file.write(f"{episode.id}\n")
        if episode.id == "clip2" and not Path(self.until).exists():
            raise RunError("The disk is full.")
        return super().diagnose(episode)


def test_a_run_that_was_stopped_goes_on_and_looks_at_nothing_twice(clips, tmp_path):
    notes, until = tmp_path / "looked.txt", tmp_path / "space"
    judge = Stopping(notes=str(notes), until=str(until))
    settings = DiagnoseSettings(tmp_path / "run", judge, jobs=1, video="none")
    with pytest.raises(RunError, match="The disk is full"):
        diagnose([clips], settings)
    assert not (tmp_path / "run" / "diagnose.json").exists()
    until.touch()
    assert diagnose([clips], settings).document["status"] == {"ok": 3}
    looked = notes.read_text().split()
    assert sorted(looked) == ["clip0", "clip1", "clip2", "clip2"]


@pytest.mark.parametrize("returns", ["list", "none"])
def test_a_judge_that_breaks_its_contract_is_told_so(returns):
    data = worker(Own(returns=returns))()(full_episode())
    found = decode(data).found.judged
    assert found.status == "invalid_value"
    assert "breaks its contract" in found.detail


def test_events_of_a_judge_that_can_not_be_meant_are_kept_apart():
    found = decode(worker(Own(severity=7))()(full_episode())).found
    assert found.judged.value == ()
    assert [bad.reason for bad in found.invalid] == ["bad_severity"]


def test_what_the_journal_holds_comes_back_whatever_was_said():
    half = "\ud800 and all"
    assert decode(encode(unexamined("refused", half))).found.judged.detail == r"\ud800 and all"


def test_two_generators_are_compared_by_their_events(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    folders = [write_instructed(tmp_path / name, 6) for name in ("first", "second")]
    runs = [
        own_run(folder, tmp_path / f"run-{folder.name}", only=only)
        for folder, only in zip(folders, ("clip", "none"), strict=True)
    ]
    settings = CompareSettings(tmp_path / "compared", across_judges=True)
    named = [f"one={runs[0].out}", f"two={runs[1].out}"]
    document = compare(named, settings).document
    (row,) = document["comparisons"]
    # one event in each of six clips against none
    assert (row["metric"], row["a"], row["b"]) == ("events", "one", "two")
    assert row["difference"]["value"] == pytest.approx(1.0)
    assert document["metrics"][0]["up_is_good"] is False
    both = diagnose(
        [f"one={folders[0]}", f"two={folders[1]}"],
        DiagnoseSettings(tmp_path / "both", Own(only="one"), jobs=1, video="none"),
    ).document
    (apart,) = both["differences"]
    assert (apart["a"], apart["b"], apart["value"]) == ("one", "two", 1.0)
    assert apart["low"] < 1.0
    assert re.search(r"one.*two", (tmp_path / "both" / "index.html").read_text())
