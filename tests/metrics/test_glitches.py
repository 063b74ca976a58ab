"""Scores of reported events: values by hand, published ones, and a slow reference."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from assay.errors import UsageError
from assay.metrics.glitches.figures import (
    Clips,
    clip_scores,
    detection,
    figures,
    mean_of_strata,
)
from assay.metrics.glitches.matching import Marked, candidates, match
from assay.metrics.glitches.tallies import tally
from assay.metrics.overlap import Spans


def marked(*events):
    """Return events given as (clip, start, end, dimension, severity)."""
    table = np.array(events, dtype=np.float64).reshape(-1, 5)
    numbers = table[:, 3].astype(np.int64)
    spans = Spans(table[:, 1:3], table[:, 0].astype(np.int64))
    return Marked(spans, numbers, numbers, table[:, 4])


def scored(predicted, true, clips, similarity=None, bonus=0.25, **how):
    pairs = candidates(predicted, true)
    alike = np.ones(len(pairs.iou)) if similarity is None else similarity
    return tally(predicted, true, match(predicted, true, pairs, alike, bonus), clips, **how)


def test_the_bonus_decides_who_is_paired():
    # p = [0, 2] of X; r1 = [0, 1.1] of Y: IoU .55, C .55; r2 = [1, 2] of X: IoU .5, C .625.
    said, true = marked((0, 0, 2, 0, 3)), marked((0, 0, 1.1, 1, 3), (0, 1, 2, 0, 3))
    pairs = candidates(said, true)
    for bonus, wanted in ((0.25, 1), (0.0, 0)):
        found = match(said, true, pairs, np.ones(2), bonus)
        assert pairs.second[found.taken].tolist() == [wanted]


def test_the_bonus_never_enters_a_score():
    # One pair of the same dimension, fully alike, IoU 1/3: sums are 1 and 1/3, not 1.25.
    sums = scored(marked((0, 0, 2, 0, 3)), marked((0, 1, 3, 0, 3)), 1)
    assert sums.alike.tolist() == [1.0]
    assert sums.alike_iou[0] == pytest.approx(1 / 3)


def test_scores_of_a_clip_by_hand():
    # Two reported, three true; one pair with S = .8 and IoU .5, severities 2 and 4.
    said = marked((0, 0, 1, 0, 2), (0, 8, 9, 0, 5))
    true = marked((0, 0, 2, 0, 4), (0, 4, 5, 1, 1), (0, 6, 7, 2, 2))
    found = clip_scores(scored(said, true, 1, np.array([0.8])))
    wanted = {
        "precision": 0.8 / 2,
        "recall": 0.8 / 3,
        "f1": 2 * 0.8 / 5,
        "f1_iou": 2 * 0.4 / 5,
        "precision_overlap": 0.8,
        "recall_overlap": 0.8,
        "f1_overlap": 0.8,
        "miou": 0.5,
        "severity_exact": 0.0,
        "severity_within_1": 0.0,
        # One matched, and severities 1 and 2 missed.
        "severity_weighted_recall": 0.8 / (1 + 3),
        "severity_weighted_f1": 2 * 0.4 * 0.2 / 0.6,
        "f1_all": 2 * 0.8 / 5,
    }
    for name, value in wanted.items():
        assert found[name][0] == pytest.approx(value), name
    assert np.isnan(found["clean_accuracy"][0])


def test_an_unmeant_event_counts_as_reported():
    # One right event and one that can't be meant: precision 1/2, recall 1.
    one = marked((0, 0, 1, 0, 3))
    found = clip_scores(scored(one, one, 1, invalid=np.array([1.0])))
    assert (found["precision"][0], found["recall"][0]) == (0.5, 1.0)


def test_half_severities_are_rounded_up():
    # 2.5 is 3: exactly 3, and within 1 of 4 but not of 5.
    for other, exact, near in ((3, 1, 1), (4, 0, 1), (5, 0, 0)):
        sums = scored(marked((0, 0, 1, 0, 2.5)), marked((0, 0, 1, 0, other)), 1)
        assert (sums.exact[0], sums.within_1[0]) == (exact, near)


def test_a_pair_below_the_least_iou_does_not_count():
    # IoU of [0, 2] and [1, 3] is 1/3.
    said, true = marked((0, 0, 2, 0, 3)), marked((0, 1, 3, 0, 3))
    assert scored(said, true, 1, least_iou=0.3).matched[0] == 1
    assert scored(said, true, 1, least_iou=0.5).matched[0] == 0


def test_clean_clips_and_detection_by_hand():
    # Clips: 0 hit, 1 missed, 2 false alarm, 3 clean and silent.
    said = marked((0, 0, 1, 0, 3), (2, 0, 1, 0, 3))
    true = marked((0, 0, 1, 0, 3), (1, 0, 1, 0, 3))
    sums, clips = scored(said, true, 4), Clips(np.zeros(4, dtype=np.int64))
    found = figures(sums, clips)
    assert found["f1"].value == 0.5  # over clips 0 and 1
    assert found["clean_accuracy"].value == 0.5  # over clips 2 and 3
    assert found["f1_all"].value == 0.5  # 1, 0, 0, 1
    whole = detection(sums, clips)
    assert {name: e.value for name, e in whole.items()} == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
    }


def test_datasets_count_the_same():
    # Dataset 0: nine clips with F1 1; dataset 1: one clip with F1 0. Mean of means .5, not .9.
    rows = [(clip, 0, 1, 0, 3) for clip in range(10)]
    said, true = marked(*rows[:9]), marked(*rows)
    datasets = np.array([0] * 9 + [1])
    assert figures(scored(said, true, 10), Clips(datasets))["f1"].value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("precision", "recall", "f1"),
    [(0.331, 0.206, 0.254), (0.695, 0.663, 0.679), (0.584, 0.549, 0.566)],
)
def test_the_harmonic_mean_of_the_published_rows(precision, recall, f1):
    """Printed precision, recall and F1 of three systems (seed paper, main table)."""
    from assay.metrics.glitches.figures import _harmonic

    assert _harmonic(np.array(precision), np.array(recall)) == pytest.approx(f1, abs=6e-4)


REFERENCE = (
    *("precision", "recall", "f1", "f1_iou", "f1_all", "miou", "clean_accuracy"),
    *("severity_exact", "severity_within_1", "severity_weighted_recall", "severity_weighted_f1"),
)


def reference(said, true, clips, alike):
    """Score clip by clip with scipy, as one would write it first; return the means."""
    found = {}
    for clip in range(clips):
        i, j = (np.flatnonzero(side.spans.clips == clip) for side in (said, true))
        kept = [
            (close, iou, said.severities[i[a]], true.severities[j[b]], j[b])
            for a, b, close, iou in paired(said, true, i, j, alike)
        ]
        for name, value in of_one_clip(i, j, kept, true).items():
            found.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def paired(said, true, i, j, alike):
    """Return the pairs of one clip, by their places in i and j, with similarity and IoU."""
    fits, close, overlaps = (np.zeros((len(i), len(j))) for _ in range(3))
    for a, p in enumerate(i):
        for b, r in enumerate(j):
            (s0, e0), (s1, e1) = said.spans.times[p], true.spans.times[r]
            shared = max(0.0, min(e0, e1) - max(s0, s1))
            overlaps[a, b] = shared / (e0 - s0 + e1 - s1 - shared)
            same = said.dimensions[p] == true.dimensions[r]
            close[a, b] = alike(p, r)
            fits[a, b] = close[a, b] * overlaps[a, b] * (1.25 if same else 1.0)
    rows, columns = linear_sum_assignment(fits, maximize=True)
    return [
        (a, b, close[a, b], overlaps[a, b])
        for a, b in zip(rows, columns, strict=True)
        if fits[a, b] > 0
    ]


def of_one_clip(i, j, kept, true):
    """Return the figures that a clip has, from its pairs (S, IoU, severities, the true one)."""
    if not len(j):
        return {"clean_accuracy": float(not len(i)), "f1_all": float(not len(i))}
    total = sum(close for close, *_ in kept)
    missed = sum(true.severities[r] for r in j if r not in [pair[4] for pair in kept])
    found = {
        "precision": total / len(i) if len(i) else 0.0,
        "recall": total / len(j),
        "f1": 2 * total / (len(i) + len(j)),
        "f1_iou": 2 * sum(close * iou for close, iou, *_ in kept) / (len(i) + len(j)),
        "severity_weighted_recall": total / (len(kept) + missed),
    }
    p, r = found["precision"], found["severity_weighted_recall"]
    found["severity_weighted_f1"] = 2 * p * r / (p + r) if p + r else 0.0
    found["f1_all"] = found["f1"]
    if kept:
        apart = [abs(halves_up(mine) - halves_up(theirs)) for _, _, mine, theirs, _ in kept]
        found["miou"] = sum(iou for _, iou, *_ in kept) / len(kept)
        found["severity_exact"] = sum(a == 0 for a in apart) / len(kept)
        found["severity_within_1"] = sum(a <= 1 for a in apart) / len(kept)
    return found


def halves_up(severity):
    return int(Decimal(float(severity)).quantize(Decimal(1), ROUND_HALF_UP))


def drawn(rng, clips, most):
    rows = []
    for clip in range(clips):
        for _ in range(int(rng.integers(0, most + 1))):
            start = rng.uniform(0, 5)
            rows.append(
                (
                    *(clip, start, start + rng.uniform(0.2, 3)),
                    *(rng.integers(3), rng.integers(2, 11) / 2),
                )
            )
    return marked(*rows)


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 5))
def test_equal_to_the_slow_reference(seed, clips, most):
    rng = np.random.default_rng(seed)
    said, true = drawn(rng, clips, most), drawn(rng, clips, most)
    table = rng.uniform(0, 1, (len(said), len(true)))
    pairs = candidates(said, true)
    sums = scored(said, true, clips, table[pairs.first, pairs.second])
    found = figures(sums, Clips(np.zeros(clips, dtype=np.int64), resamples=100))
    wanted = reference(said, true, clips, lambda p, r: table[p, r])
    for name in REFERENCE:
        value = found[name].value
        assert value == (pytest.approx(wanted[name]) if name in wanted else None), name


@given(st.integers(0, 10_000), st.integers(5, 20))
def test_scores_stay_in_range_and_a_perfect_report_is_one(seed, clips):
    rng = np.random.default_rng(seed)
    said, true = drawn(rng, clips, 3), drawn(rng, clips, 3)
    every = figures(scored(said, true, clips), Clips(np.arange(clips) % 2, resamples=100))
    for name, e in every.items():
        assert e.value is None or 0.0 <= e.value <= 1.0, name
        assert e.low is None or 0.0 <= e.low <= e.value <= e.high <= 1.0, name
    best = figures(scored(true, true, clips), Clips(np.arange(clips) % 2, resamples=100))
    for name in ("f1", "miou", "f1_iou", "severity_exact", "clean_accuracy"):
        assert best[name].value in (None, pytest.approx(1.0)), name


@pytest.mark.parametrize("clips", [3, 7, 10, 49, 60])
def test_a_perfect_report_is_exactly_one(clips):
    rng = np.random.default_rng(clips)
    true = drawn(rng, clips, 3)
    best = figures(scored(true, true, clips), Clips(np.arange(clips) % 3, resamples=100))
    for name in ("f1", "precision", "recall", "f1_all", "severity_weighted_f1", "clean_accuracy"):
        assert best[name].value in (None, 1.0), name
        assert best[name].high in (None, 1.0), name


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 3)), min_size=1, max_size=60))
def test_the_mean_of_datasets_is_that_of_weighted_clips(rows):
    values = np.array([value for value, _ in rows])
    _, strata = np.unique([home for _, home in rows], return_inverse=True)
    weights = 1 / np.bincount(strata)[strata] / (strata.max() + 1)
    assert mean_of_strata(values, strata) == pytest.approx((weights * values).sum(), abs=1e-12)


@pytest.mark.parametrize(
    "bad", [np.array([1.5]), np.array([-0.1]), np.array([]), np.array([np.nan])]
)
def test_a_similarity_outside_its_range_is_refused(bad):
    one = marked((0, 0, 1, 0, 3))
    with pytest.raises(UsageError, match=r"similarity in 0\.\.1"):
        match(one, one, candidates(one, one), bad)
