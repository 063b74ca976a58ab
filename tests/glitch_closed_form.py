"""What the rates of the simulated model (tests/glitch_vlm.py) must come to, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.judges._gaze.windows import batches
from glitch_vlm import DIMENSIONS, DROPPED, EVENT_S, FALSE, FAR_OFF, JITTER_S, KEPT, MISS, TYPES


@dataclass(frozen=True)
class Expected:
    """What one system must come to, in closed form, over the clips of all splits."""

    f1: float
    miou: float
    f1_iou: float
    severity_within_1: float
    clean_accuracy: float
    recall: float
    calls: float
    rounds: float


def expected(system, clips, rho, batch=8):
    """Return the expected figures of a system: the mean of each split's clips, then of splits."""
    forms = {clip.number: _ClipForm(system, clip, rho, batch) for clip in clips}
    splits = sorted({clip.split for clip in clips})

    def mean(value, chosen):
        own = [
            [value(forms[c.number]) for c in clips if c.split == s and chosen(c)] for s in splits
        ]
        return float(np.mean([np.mean(values) for values in own if values]))

    def glitchy(clip):
        return bool(clip.kind)

    iou = _iou_of_three(rho) if system == "vanilla-3" else _iou()
    f1 = mean(lambda form: form.f1, glitchy)
    return Expected(
        f1=f1,
        miou=iou,
        f1_iou=f1 * iou,
        severity_within_1=1 - FAR_OFF,
        clean_accuracy=mean(lambda form: form.clean, lambda clip: not clip.kind),
        recall=mean(lambda form: form.recall, glitchy),
        calls=float(np.mean([form.calls for form in forms.values()])),
        rounds=float(np.mean([form.rounds for form in forms.values()])),
    )


class _ClipForm:
    """The closed form of one clip: how likely the true event and each number of false ones are."""

    def __init__(self, system, clip, rho, batch):
        self.clip, self.rho, self.system = clip, rho, system
        one_look = not system.startswith("gaze")
        critic = system != "gaze without verifier" and not one_look
        if one_look:
            true, false = (_two_of_three(p, rho) for p in (1 - MISS, FALSE))
            if system != "vanilla-3":
                true, false = 1 - MISS, FALSE
            self.true, self.extra = true if clip.kind else 0.0, None
        else:
            looks = len(clip.seen_in)
            seen = rho * (1 - MISS) + (1 - rho) * (1 - MISS**looks) if clip.kind else 0.0
            self.seen, self.true = seen, seen * (1 - DROPPED if critic else 1)
            false = FALSE * (KEPT if critic else 1)
        self.false = false
        self.calls, self.rounds = (1 + 2 * (system == "vanilla-3"), 1) if one_look else (0, 0)
        if not one_look:
            self._count(critic, batch)

    @property
    def recall(self):
        return self.true

    @property
    def f1(self):
        """E[2T / (T + F + 1)]: with the event found, 2 / (2 + F)."""
        found = sum(p * 2 / (2 + k) for k, p in enumerate(self._alarms(hit=True)))
        return self.true * found

    @property
    def clean(self):
        return self._alarms(hit=False)[0]

    def _alarms(self, *, hit):
        """The distribution of false events that are reported, given that the true one is or not."""
        windows = len(self.clip.windows)
        if self.system != "gaze without router":
            return _binomial(windows, self.false)
        whole = np.array([1.0])
        for dimension in DIMENSIONS:
            n = sum(TYPES[self.clip.false_kind(w.number)] == dimension for w in self.clip.windows)
            own = _binomial(n, self.false)
            if not (hit and self.clip.kind and TYPES[self.clip.kind] == dimension):
                silent = (1 - FALSE) ** n  # a specialist with nothing to go by
                own = np.append(own, 0.0) if len(own) < 2 else own
                own[0] -= silent * FALSE * KEPT
                own[1] += silent * FALSE * KEPT
            whole = np.convolve(whole, own)
        return whole

    def _count(self, critic, batch):
        """Expected questions, and rounds of them."""
        windows = self.clip.windows
        quiet = {
            d: (1 - FALSE) ** sum(TYPES[self.clip.false_kind(w.number)] == d for w in windows)
            for d in DIMENSIONS
        }
        if self.clip.kind:
            quiet[TYPES[self.clip.kind]] *= 1 - self.seen
        silent = math.prod(quiet.values())  # nothing is noted in any window
        called = 6.0 if "router" in self.system else sum(1 - p for p in quiet.values())
        if "router" in self.system:
            silent = math.prod(p * (1 - FALSE) for p in quiet.values())
        grounding = 1
        asked = grounding + len(list(batches(windows, batch))) + 1
        anyone = 1.0 if "router" in self.system else 1 - silent
        self.calls = asked + called + critic * (1 - silent)
        self.rounds = 3 + anyone + critic * (1 - silent)


def _binomial(n, p):
    return np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def _two_of_three(p, rho):
    return rho * p + (1 - rho) * (3 * p**2 - 2 * p**3)


def _iou():
    """E[(L - |d|) / (L + |d|)], d uniform within the jitter: 2 L ln((L + j) / L) / j - 1."""
    return 2 * EVENT_S * math.log((EVENT_S + JITTER_S) / EVENT_S) / JITTER_S - 1


def _iou_of_three(rho, nodes=60):
    """The overlap of the union of two or three shifted spans with the true one, by quadrature."""
    at = JITTER_S * (2 * (np.arange(nodes) + 0.5) / nodes - 1)
    shifts = np.stack(np.meshgrid(at, at, at, indexing="ij"), axis=-1).reshape(-1, 3)

    def mean(of):
        low, high = of.min(axis=1), of.max(axis=1)
        shared = np.minimum(0.0, high) + EVENT_S - np.maximum(0.0, low)
        return float(np.mean(shared / (np.maximum(0.0, high) + EVENT_S - np.minimum(0.0, low))))

    p = 1 - MISS
    three, two = rho * p + (1 - rho) * p**3, (1 - rho) * 3 * p**2 * (1 - p)
    return (three * mean(shifts) + two * mean(shifts[:, :2])) / (three + two)
