"""Diagnose the clips of a folder without a model."""

from pathlib import Path

from assay.episodes.catalogue import read
from assay.judges import make_judge

judge = make_judge("instruments")
for episode in read(Path("runs/pi0")):
    judged = judge.diagnose(episode)
    for event in judged.value:
        print(f"{episode.id}, {event.start_s:.1f} s: {event.type}, {event.evidence}")
    print(episode.id, judged.status, judged.detail)
