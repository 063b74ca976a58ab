"""A simulated model of vision and language with fixed rates of error.

A clip is known by its number, which stands in its instruction; pictures are ignored. Per window of
2 s the model raises a false alarm with 0.30 and misses what is there with 0.30; spans are shifted
by up to 0.4 s; as a critic it keeps a false hypothesis with 0.15 and drops a true one with 0.10; a
specialist that is called for nothing finds something with 0.30. Looks at the same thing are shared
with probability `rho`, else independent, so that their correlation is `rho`.

Nothing here says how good a real model is: it shows what the structure makes of such rates.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges._gaze.windows import windows_of
from clips import write_clip
from model_server import say
from models_loopback import fitting

FALSE, MISS, JITTER_S, KEPT, DROPPED, FAR_OFF = 0.30, 0.30, 0.4, 0.15, 0.10, 0.20
EVENT_S, SEEN_S, WINDOWS = 3.0, 1.0, 120
# Clips and mean length [s] of the splits of the paper; 3 of 10 are clean.
SPLITS = {"GR1-Sim": (154, 8.69), "GR1-Real": (100, 5.81), "DROID-MV": (128, 17.31)}
DIMENSIONS = tuple(taxonomy().dimensions)
TYPES = taxonomy().types


def draw(*key):
    """Return a number in 0..1 that the key alone decides."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:7], "big") / 2**56


@dataclass(frozen=True)
class SimulatedClip:
    """A clip with one event or none; what a model wrongly sees in each window is fixed too."""

    number: int
    split: str
    length_s: float
    kind: str
    start_s: float

    @property
    def windows(self):
        return windows_of(self.length_s, WINDOWS)

    @property
    def seen_in(self):
        """The windows that show at least a second of the event."""
        end = self.start_s + EVENT_S
        shared = [(w, min(w.end_s, end) - max(w.start_s, self.start_s)) for w in self.windows]
        return [w.number for w, s in shared if self.kind and s >= SEEN_S - 1e-9]

    def false_kind(self, window):
        """What is wrongly seen in a window: another type in each, and never the true one."""
        others = [kind for kind in TYPES if kind != self.kind]
        others.sort(key=lambda kind: draw(self.number, "order", kind))
        return others[window - 1]

    def event(self, kind, start, sample, severity):
        """An event as the model words it, shifted."""
        shift = JITTER_S * (2 * draw(self.number, kind, "shift", sample) - 1)
        start = min(max(start, JITTER_S), self.length_s - EVENT_S - JITTER_S) + shift
        middle = start + EVENT_S / 2
        return {
            "dimension": TYPES[kind],
            "type": kind,
            "span_s": [start, start + EVENT_S],
            "severity": severity,
            "description": true_words(kind) if kind == self.kind else false_words(kind),
            "evidence": f"at {middle:.2f} s",
            "frames_s": [middle],
            "confidence": 0.8,
        }


def true_words(kind):
    return f"proven {kind}"


def false_words(kind):
    return f"imagined {kind}s thing"


@lru_cache(maxsize=4)
def simulated_clips(seed=0, share=1.0):
    """Return the clips of all splits; `share` takes fewer of each."""
    made = []
    for split, (count, length) in SPLITS.items():
        for _ in range(max(10, round(share * count))):
            number = len(made)
            kind = list(TYPES)[int(30 * draw(seed, number, "kind"))]
            room = length - EVENT_S - 2 * JITTER_S
            start = JITTER_S + room * draw(seed, number, "start")
            clean = number % 10 < 3
            made.append(
                SimulatedClip(number, split, length, "" if clean else kind, 0.0 if clean else start)
            )
    return tuple(made)


def write_simulated(folder, clips):
    """Write small videos of the right lengths with a manifest, and the references."""
    folder.mkdir()
    rows, lines, films = ["file,episode,instruction"], [], {}
    for clip in clips:
        if clip.split not in films:
            count = round(4 * clip.length_s)
            path = write_clip(
                folder / f"{clip.split}.mp4", frames=count, fps=count / clip.length_s, size=(32, 24)
            )
            films[clip.split] = path.read_bytes()
            path.unlink()
        (folder / f"{clip.number:04}.mp4").write_bytes(films[clip.split])
        rows.append(f"{clip.number:04}.mp4,{clip.number:04},Simulated clip {clip.number}.")
        events = []
        if clip.kind:
            span = [clip.start_s, clip.start_s + EVENT_S]
            one = {"type": clip.kind, "span_s": span, "severity": 3}
            events = [{**one, "description": true_words(clip.kind), "evidence": ""}]
        lines.append({"clip": f"{clip.number:04}", "dataset": clip.split, "events": events})
    (folder / "manifest.csv").write_text("\n".join([*rows, ""]))
    references = folder.parent / "references.jsonl"
    references.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return references


class SimulatedModel:
    """Answers as the rates say; `rho` correlates looks at the same thing."""

    def __init__(self, clips, rho=0.0):
        self.clips = {clip.number: clip for clip in clips}
        self.rho = rho
        self.looks = Counter()

    def __call__(self, asked):
        text = asked.text
        clip = self._clip(text)
        form = asked.body.get("response_format")
        wanted = form["json_schema"]["schema"]["properties"] if form else {"events": None}
        (part, *_) = [name for name in _PARTS if name in wanted] or ["grounding"]
        answer = getattr(self, f"_{part}")(clip, text, form)
        thought = "" if form else "<think>hm</think>"
        return say(thought + json.dumps(answer))

    def _clip(self, text):
        found = re.search(r"Simulated clip (\d+)", text)
        if found is None:  # the one who divides and routes is told observations alone
            found = re.search(r"in clip (\d+)", text)
        return self.clips[int(found[1])]

    def _grounding(self, clip, text, form):
        return fitting(form["json_schema"]["schema"])

    def _windows(self, clip, text, form):
        numbers = [int(n) for n in re.findall(r"^Window (\d+):", text, re.MULTILINE)]
        seen = dict(self._candidates(clip))
        empty = {
            name: []
            for name in (
                *("object_changes", "robot_changes", "normal_or_hidden", "uncertain"),
                "candidate_anomalies",
            )
        }
        return {
            "windows": [
                {
                    **empty,
                    "window": n,
                    "actions": [f"work in clip {clip.number}"],
                    "progress": "some",
                    "candidate_anomalies": [f"type={kind}" for kind in seen.get(n, ())],
                }
                for n in numbers
            ]
        }

    def _segments(self, clip, text, form):
        """Two halves, each with the dimensions of what was noted in its windows."""
        entry = form["json_schema"]["schema"]["properties"]["segments"]["items"]["properties"]
        noted = self._noted(text)
        halves = [1, len(noted) // 2 + 1] if len(noted) > 1 else [1]
        ends = [*halves[1:], len(noted) + 1]
        made = []
        for first, end in zip(halves, ends, strict=True):
            kinds = [kind for n in range(first, end) for kind in noted[n]]
            routes = {"dimensions": sorted({TYPES[kind] for kind in kinds}), "reason": "noted"}
            one = {"subtask": f"step {first}", "first_window": first}
            made.append({**one, **(routes if "dimensions" in entry else {})})
        return {"segments": made}

    def _dimensions(self, clip, text, form):
        kinds = [kind for own in self._noted(text).values() for kind in own]
        return {"dimensions": sorted({TYPES[kind] for kind in kinds}), "reason": "noted"}

    def _noted(self, text):
        lines = re.findall(r"^Window (\d+): .*? s (\{.*\})$", text, re.MULTILINE)
        return {
            int(n): [c.removeprefix("type=") for c in json.loads(said)["candidate_anomalies"]]
            for n, said in lines
        }

    def _hypotheses(self, clip, text, form):
        dimension = re.search(r"faults of one kind, (\w+)", text)[1]
        kinds = {k: n for n, own in self._candidates(clip) for k in own if TYPES[k] == dimension}
        if not kinds and draw(clip.number, "called", dimension) < FALSE:
            own = (k for k in taxonomy().dimensions[dimension].types if k != clip.kind)
            kinds = {next(own): 1}
        return {"hypotheses": [self._worded(clip, kind, n, "gaze") for kind, n in kinds.items()]}

    def _decisions(self, clip, text, form):
        made = []
        for name, said in re.findall(r"^(h\d+): (\{.*\})$", text, re.MULTILINE):
            one = json.loads(said)
            true = one["type"] == clip.kind
            stands = draw(clip.number, "critic", one["type"]) >= (DROPPED if true else 1 - KEPT)
            action = "ACCEPT" if stands else "REJECT"
            told = {"merge_with": "", "rationale": "seen" if stands else "not seen"}
            made.append({**one, "hypothesis": name, "decision": action, **told})
        return {"decisions": made}

    def _events(self, clip, text, form):
        asked = (clip.number, "think" in text, "No fault, though" in text)
        sample, self.looks[asked] = self.looks[asked], self.looks[asked] + 1
        found = []
        if clip.kind and self._look(clip, sample) >= MISS:
            found.append(self._worded(clip, clip.kind, 1, sample))
        for window in clip.windows:
            shared = draw(clip.number, window.number, "shared") < self.rho
            own = draw(clip.number, "false", window.number, "all" if shared else sample)
            if own < FALSE:
                found.append(
                    self._worded(clip, clip.false_kind(window.number), window.number, sample)
                )
        return {"events": found}

    def _look(self, clip, look):
        shared = draw(clip.number, "shared") < self.rho
        return draw(clip.number, "look", "all" if shared else look)

    def _candidates(self, clip):
        """What each window shows to this model: by window, true and false types."""
        for window in clip.windows:
            kinds = []
            if window.number in clip.seen_in and self._look(clip, window.number) >= MISS:
                kinds.append(clip.kind)
            if draw(clip.number, "false", window.number, "gaze") < FALSE:
                kinds.append(clip.false_kind(window.number))
            yield window.number, kinds

    def _worded(self, clip, kind, window, sample):
        start = clip.start_s if kind == clip.kind else clip.windows[window - 1].start_s - 0.5
        far = draw(clip.number, kind, "severity") < FAR_OFF
        return clip.event(kind, start, sample, 5 if far else 3)


_PARTS = ("windows", "segments", "hypotheses", "decisions", "events", "dimensions")
