"""Diagnoses to be killed: instruments that log what they look at, and gaze over a paid model."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import killed
from asked_killed import Paid, answers_in
from assay.judges.base import Examination
from assay.judges.instruments import Instruments
from assay.records import Episode
from clips import write_clip
from glitch_vlm import SimulatedClip, SimulatedModel, write_simulated
from killed import Verb, files_of, keys, note
from model_server import ModelServer

__all__ = ["AT_ONCE", "Asking", "Logged", "Spent", "kill_asking", "measuring", "write_measured"]

AT_ONCE = 8


@dataclass(frozen=True)
class Logged(Instruments):
    """Measure, and note each clip in a file."""

    def examine(self, episode: Episode) -> Examination:
        note(episode.id)
        return super().examine(episode)


def write_measured(folder: Path, count: int) -> Path:
    """Write clips of two seconds that flicker, so that there is something to report."""
    folder.mkdir()
    for number in range(count):
        write_clip(folder / f"clip{number:03}.mp4", frames=30, fps=15, first=100 * number)
    return folder


def measuring(clips: Path, jobs: int) -> Verb:
    """Return the verb with a judge that measures."""
    judge = ["--judge", "diagnose_killed:Logged", "--jobs", jobs, "--no-video"]
    return Verb(
        words=["diagnose", clips, *judge, "--out", "run"],
        stored=lambda folder: keys(folder / "run" / "journal.sqlite"),
        result=lambda folder: files_of(folder / "run"),
    )


@dataclass(frozen=True)
class Asking:
    """The verb with gaze over a model of this machine, which answers as it is told.

    Attributes:
        clips: What is diagnosed.
        server: Where the model is; its address is part of the report.
    """

    clips: Path
    server: ModelServer

    def start(self, folder: Path) -> subprocess.Popen[bytes]:
        """Start it in `folder`, or take it up again; its ledger is there too."""
        folder.mkdir(exist_ok=True)
        words = ["diagnose", self.clips, "--judge", "gaze", "--set", "side=16", "--no-video"]
        model = ["--model", f"openai:simulated@{self.server.url}", "--in-flight", AT_ONCE]
        kept = ["--ledger", "ledger.sqlite", "--jobs", 2, "--out", "run"]
        return killed.start(folder, [*killed.ASSAY, *words, *model, *kept])


@dataclass(frozen=True)
class Spent:
    """What a diagnosis that was killed cost.

    Attributes:
        calls: Questions of an undisturbed run, each of which it asks once.
        kills: How often it was killed at work.
        sent: Questions of the killed run, all told.
        repeated: Those that had come before.
        lost: Answers that were on their way when it was killed.
        missing: Answers of the undisturbed run that it never got.
        identical: Whether it ended with the same files.
    """

    calls: int
    kills: int
    sent: int
    repeated: int
    lost: int
    missing: int
    identical: bool

    @property
    def sound(self) -> bool:
        bounded = self.repeated == self.lost <= AT_ONCE * self.kills
        return bounded and self.identical and not self.missing


def kill_asking(root: Path, simulated: Sequence[SimulatedClip], moments: Sequence[float]) -> Spent:
    """Kill gaze after each of some shares of its questions, let it end, and compare.

    Args:
        root: A folder for all of it.
        simulated: The clips, of which the model knows the truth.
        moments: When to kill, in shares of the questions of an undisturbed run, rising.
    """
    write_simulated(root / "clips", simulated)
    once, paid = (Paid(SimulatedModel(simulated)) for _ in range(2))
    cut = root / "cut"
    with ModelServer(once.answer, latency_s=0.02) as server:
        verb = Asking(root / "clips", server)
        assert verb.start(root / "whole").wait(killed.DEADLINE_S) == 0
        assert not once.repeated
        server.answering = paid.answer
        kills = lost = 0
        for moment in moments:
            least = moment * once.sent
            kills += killed.kill(verb.start(cut), lambda least=least: paid.sent >= least)
            lost = paid.sent - answers_in(cut / "ledger.sqlite")
        code = verb.start(cut).wait(killed.DEADLINE_S)
    same = code == 0 and files_of(cut / "run") == files_of(root / "whole" / "run")
    missing = len(once.times.keys() - paid.times.keys())
    return Spent(once.sent, kills, paid.sent, paid.repeated, lost, missing, same)
