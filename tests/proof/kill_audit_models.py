"""Kill an audit of 200 episodes that asks a model, run it again, and count what was paid twice.

    python tests/proof/kill_audit_models.py [--episodes 200] [--kills 3] [--seed 0]

The model is a server on this machine, which counts how often it gets each question. Exits with 1 if
an answer that was stored is asked for again, if a kill loses more answers than there are requests
at once, if a question is never asked, or if a file differs from an undisturbed run's.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import killed
from asked_killed import Paid, answers_in
from clips import write_clip
from model_server import ModelServer
from models_loopback import instruct

MOMENTS = 5
HOPS = MOMENTS - 1  # questions an episode
AT_ONCE = 8


def start(folder: Path, clips: Path, url: str) -> subprocess.Popen[bytes]:
    """Start the audit in `folder`, or take it up again; its ledger is there too."""
    os.environ["ASSAY_LEDGER"] = str(folder / "ledger.sqlite")
    words = ["audit", clips, "--out", "run", "--judge", "vlm-pairwise", "--fps", 5, "--no-video"]
    asking = ["--model", f"openai:stub@{url}", "--in-flight", AT_ONCE, "--jobs", 2]
    return killed.start(folder, [*killed.ASSAY, *words, *asking])


def whole(folder: Path, clips: Path, server: ModelServer) -> dict[str, bytes]:
    """Return the files of a run that nothing disturbs; every question is asked once."""
    folder.mkdir()
    paid = Paid()
    server.answering = paid.answer
    assert start(folder, clips, server.url).wait(killed.DEADLINE_S) == 0
    assert set(paid.times.values()) == {1}
    return killed.files_of(folder / "run")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    calls, rng, paid = options.episodes * HOPS, random.Random(options.seed), Paid()
    moments = sorted(rng.sample(range(calls // 10, calls * 9 // 10), options.kills))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        clips, folder = root / "clips", root / "cut"
        for made in (clips, folder):
            made.mkdir()
        for number in range(options.episodes):
            write_clip(clips / f"{number:03}.mp4", frames=MOMENTS, fps=5, first=10 * number)
        instruct(clips)
        with ModelServer(paid.answer, latency_s=0.02) as server:
            lost = met = 0
            for moment in moments:
                run = start(folder, clips, server.url)
                met += killed.kill(run, lambda least=moment: paid.sent >= least)
                lost = paid.sent - answers_in(folder / "ledger.sqlite")
                print(f"killed after {paid.sent} calls; {lost} lost so far")
            code = start(folder, clips, server.url).wait(killed.DEADLINE_S)
            expected = whole(root / "whole", clips, server)  # the address is part of the report
        stored = answers_in(folder / "ledger.sqlite")
        same = code == 0 and killed.files_of(folder / "run") == expected
    print(
        f"{options.episodes} episodes, {calls} calls, {met} of {options.kills} kills met it at"
        f" work: {paid.sent} sent, {paid.repeated} questions sent again of {lost} answers lost"
        f" (at most {AT_ONCE} a kill), {calls - stored} missing,"
        f" files {'identical' if same else 'DIFFERENT'}"
    )
    bounded = paid.repeated == lost <= AT_ONCE * options.kills
    whole_run = met == options.kills and stored == calls == len(paid.times)
    return 0 if same and bounded and whole_run else 1


if __name__ == "__main__":
    sys.exit(main())
