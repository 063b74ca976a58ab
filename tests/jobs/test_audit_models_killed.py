"""An audit that asks a model and is killed repeats no call whose answer it had."""

import killed
from asked_killed import answers_in
from assay.judges import _asking as judges_asking
from clips import write_clip
from killed import files_of
from model_server import ModelServer
from models_loopback import by_schema, instruct

CLIPS, MOMENTS = 5, 40  # 200 moments
CALLS = CLIPS * (MOMENTS - 1)
AT_ONCE, JOBS = 4, 2
ASKERS = JOBS * judges_asking._AT_ONCE  # threads; most of them wait for a place


def start(folder, clips, server):
    words = ["audit", clips, "--out", "run", "--judge", "vlm-pairwise", "--fps", 10, "--no-video"]
    asking = ["--model", f"openai:stub@{server.url}", "--in-flight", AT_ONCE, "--jobs", JOBS]
    return killed.start(folder, [*killed.ASSAY, *words, *asking])


def test_a_resume_repeats_no_paid_call(tmp_path, monkeypatch):
    clips = tmp_path / "clips"
    clips.mkdir()
    for number in range(CLIPS):
        write_clip(clips / f"clip{number}.mp4", frames=MOMENTS, fps=10, first=100 * number)
    instruct(clips)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
    with ModelServer(by_schema, latency_s=0.01) as server:
        monkeypatch.setenv("ASSAY_LEDGER", str(whole / "ledger.sqlite"))
        assert start(whole, clips, server).wait(killed.DEADLINE_S) == 0
        assert server.count == CALLS
        assert server.most_at_once <= AT_ONCE < ASKERS
        ledger = cut / "ledger.sqlite"
        monkeypatch.setenv("ASSAY_LEDGER", str(ledger))
        assert killed.kill(start(cut, clips, server), lambda: server.count > CALLS * 3 // 2)
        sent, stored = server.count - CALLS, answers_in(ledger)
        # What held a place, on its way from the model or to the disk, is lost, and nothing else.
        assert sent - AT_ONCE <= stored <= sent
        assert start(cut, clips, server).wait(killed.DEADLINE_S) == 0
        assert server.count - CALLS - sent == CALLS - stored
    assert answers_in(ledger) == CALLS
    assert files_of(cut / "run") == files_of(whole / "run")
