"""Measure bets that may be looked at after every rollout: their error, how soon they decide.

    python tests/proof/anytime.py --repetitions 10000

Prints six markdown tables: how often a true mean is ever ruled out, how often bets on signs take
policies that are alike for unlike, how often the rule of `assay compare --watch` errs (both kinds
of bets with half of the wealth each), what the intervals of the shipped code hold and how wide they
are, how many rollouts a verdict takes beside other stakes, and how good the guess of the remaining
rollouts is. Exits with 1 if the rule of `--watch` errs in more than 5 % of the streams of a
population.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.metrics.betting import BettingSettings, log_gains, log_mean, trace
from assay.metrics.deciding import joined
from assay.metrics.flipping import FlipSettings, log_flips
from assay.metrics.stopping import advise

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
HORIZON = 500
DIFFERENCES = BettingSettings()
PROGRESS = BettingSettings(low=0.0, high=1.0, null=0.5)


@dataclass(frozen=True)
class Stream:
    """Values as they come from rollouts, with their true mean."""

    name: str
    draw: Draw
    mean: float
    settings: BettingSettings = DIFFERENCES

    @property
    def at_truth(self) -> BettingSettings:
        """Return the settings that doubt what is true."""
        return replace(self.settings, null=self.mean)


def pick(values: list[float], chances: list[float]) -> Draw:
    return lambda rng, shape: rng.choice(values, shape, p=chances)


def gap(shift: float, spread: float) -> Draw:
    """Return differences of progress around `shift`, which is their mean as long as none is cut."""
    return lambda rng, shape: shift + spread * (rng.beta(4, 4, shape) - rng.beta(4, 4, shape))


def zeros(share: float, draw: Draw) -> Draw:
    return lambda rng, shape: np.where(rng.random(shape) < share, 0.0, draw(rng, shape))


def apart(a: Draw, b: Draw) -> Draw:
    return lambda rng, shape: a(rng, shape) - b(rng, shape)


def beta(a: float, b: float) -> Draw:
    return lambda rng, shape: rng.beta(a, b, shape)


NULLS = (
    Stream("win or loss, even", pick([-1, 1], [0.5, 0.5]), 0.0),
    Stream("80 % ties", pick([-1, 0, 1], [0.1, 0.8, 0.1]), 0.0),
    Stream("progress, alike", gap(0.0, 0.5), 0.0),
    Stream("80 % equal, else far apart", zeros(0.8, apart(beta(2, 1), beta(2, 1))), 0.0),
    Stream("skewed: beta(1, 3) - beta(5, 15)", apart(beta(1, 3), beta(5, 15)), 0.0),
    Stream("rare rout: 5 % -0.95, else 0.05", pick([-0.95, 0.05], [0.05, 0.95]), 0.0),
    Stream("progress, 80 % zeros", zeros(0.8, beta(2, 2)), 0.1, PROGRESS),
    Stream("progress near 1: beta(20, 1)", beta(20, 1), 20 / 21, PROGRESS),
    Stream("success, p = 0.1", pick([0, 1], [0.9, 0.1]), 0.1, PROGRESS),
)
SYMMETRIC = NULLS[:4]
"""The streams whose differences are as likely as their opposites: the null of bets on signs."""

APART = (
    Stream("win 30 %, loss 10 %, else tie", pick([-1, 0, 1], [0.1, 0.6, 0.3]), 0.2),
    Stream("win 65 %, else loss", pick([-1, 1], [0.35, 0.65]), 0.3),
    Stream("progress, +0.10", gap(0.10, 0.9), 0.10),
    Stream("progress, +0.05", gap(0.05, 0.9), 0.05),
    Stream("80 % equal, else +0.4", zeros(0.8, gap(0.4, 0.5)), 0.08),
)


def wealth(values: np.ndarray, settings: BettingSettings) -> np.ndarray:
    """Return the log wealth at the null after every value: (streams, T) gives (T, streams, 2)."""
    y = settings.scaled(values.reshape(-1)).reshape(values.shape)
    null, shares = settings.scaled(settings.null), np.array(settings.shares)
    logs = np.zeros((len(values), 2, len(shares)))
    found = np.empty((values.shape[1], len(values), 2))
    for t in range(values.shape[1]):
        logs += log_gains(y[:, t], null, shares)[:, :, 0]
        found[t] = log_mean(logs)
    return found


def errors(stream: Stream, repetitions: int, horizon: int = HORIZON, seed: int = 1) -> list[float]:
    """Return how often the true mean is ever ruled out: from both sides, above, below; by t-tests.

    The t-test is looked at after every value from the fifth, as people do.
    """
    values = stream.draw(np.random.default_rng(seed), (repetitions, horizon))
    best = wealth(values, stream.at_truth).max(axis=0)
    found = []
    for side in ("both", "above", "below"):
        limits = np.array(replace(stream.at_truth, side=side).thresholds)
        found.append(float((best >= limits).any(axis=1).mean()))
    return [*found, float((_t_tests(values - stream.mean) < 0.05).any(axis=1).mean())]


def flip_errors(
    stream: Stream, repetitions: int, horizon: int = HORIZON, seed: int = 1
) -> list[float]:
    """Return how often bets on signs ever decide: from both sides, above, below."""
    values = stream.draw(np.random.default_rng(seed), (repetitions, horizon))
    parts = np.array_split(values, max(1, repetitions // 250))
    best = np.concatenate([log_flips(part).max(axis=1) for part in parts])
    found = []
    for side in ("both", "above", "below"):
        limits = np.array(FlipSettings(side=side).thresholds)
        found.append(float((best >= limits).any(axis=1).mean()))
    return found


def watch_errors(
    stream: Stream, repetitions: int, horizon: int = HORIZON, seed: int = 1
) -> tuple[float, float]:
    """Return how often policies whose mean difference is 0 ever get a verdict as they are watched.

    First a verdict of either kind, which is an error where they could be swapped; then the mean
    ruled out by its half of the wealth, which is one in any case.
    """
    values = stream.draw(np.random.default_rng(seed), (repetitions, horizon))
    parts = np.array_split(values, max(1, repetitions // 250))
    half = np.array(replace(DIFFERENCES, level=0.975).thresholds)
    found, by_mean = 0, 0
    for part in parts:
        mean = np.moveaxis(wealth(part, DIFFERENCES), 0, 1)
        both = joined(mean, log_flips(part)).max(axis=1)
        found += int((both >= np.array(DIFFERENCES.thresholds)).any(axis=1).sum())
        by_mean += int((mean.max(axis=1) >= half).any(axis=1).sum())
    return found / repetitions, by_mean / repetitions


def _t_tests(values: np.ndarray) -> np.ndarray:
    """Return the p-value of the t-test after every value from the fifth on."""
    from scipy.special import stdtr

    n = np.arange(1, values.shape[1] + 1)
    sums, squares = np.cumsum(values, axis=1), np.cumsum(values**2, axis=1)
    variance = np.maximum(squares - sums**2 / n, 1e-12)[:, 4:] / (n[4:] - 1)
    t = np.abs(sums[:, 4:]) / np.sqrt(n[4:] * variance)
    return 2 * stdtr(n[4:] - 1, -t)


def held(stream: Stream, repetitions: int, moments: tuple[int, ...]) -> tuple[float, list[float]]:
    """Return how often the kept interval holds the mean at all moments, and its mean widths."""
    draws = stream.draw(np.random.default_rng(2), (repetitions, max(moments)))
    covered, widths = 0, np.zeros(len(moments))
    for values in draws:
        found = trace(values, stream.settings)
        inside = (found.kept_low <= stream.mean) & (stream.mean <= found.kept_high)
        covered += bool(inside.all())
        places = np.array(moments) - 1
        widths += (found.kept_high - found.kept_low)[places]
    return covered / repetitions, (widths / repetitions).tolist()


def learnt(values: np.ndarray, how: str, alpha: float = 0.05) -> np.ndarray:
    """Return the log wealth, (T, streams, 2), of stakes that are learnt from the values before.

    "plug-in" and "aGRAPA" as in Waudby-Smith and Ramdas (2024), against a difference of 0.
    """
    y, half = (values + 1) / 2, 0.5
    streams, horizon = y.shape
    total, squares = np.full(streams, 0.5), np.full(streams, 0.25)
    logs, found = np.zeros((streams, 2)), np.empty((horizon, streams, 2))
    mean, variance = total.copy(), squares.copy()
    for t in range(1, horizon + 1):
        if how == "plug-in":
            stake = np.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t)))
            up = down = np.minimum(stake, half / half)
        else:
            stake = (mean - half) / (variance + (mean - half) ** 2)
            up, down = np.clip(stake, 0, 0.9 / half), np.clip(-stake, 0, 0.9 / half)
        off = y[:, t - 1] - half
        logs += np.log1p(np.stack([up * off, -down * off], axis=1))
        found[t - 1] = logs
        total += y[:, t - 1]
        mean = total / (t + 1)
        squares += (y[:, t - 1] - mean) ** 2
        variance = squares / (t + 1)
    return found


def waits(logs: np.ndarray) -> np.ndarray:
    """Return after how many values each stream rules 0 out; one past the horizon if it never does.

    Args:
        logs: Log wealth, of shape (T, streams, 2).
    """
    hits = (logs >= np.array(DIFFERENCES.thresholds)).any(axis=2)
    return np.where(hits.any(axis=0), np.argmax(hits, axis=0) + 1, len(logs) + 1)


def soon(stream: Stream, repetitions: int) -> dict[str, np.ndarray]:
    """Return the waits of all kinds of stakes on the same streams."""
    values = stream.draw(np.random.default_rng(3), (repetitions, HORIZON))
    found = {"ours": waits(wealth(values, stream.settings))}
    return found | {how: waits(learnt(values, how)) for how in ("plug-in", "aGRAPA")}


def guessed(stream: Stream, repetitions: int, seen: int) -> tuple[int, int, int, int]:
    """Return how many streams were undecided, guessed, decided by the middle, and by the late end.

    The guess is made after `seen` values; the stream then goes on. A late end beyond the horizon
    holds whatever comes.
    """
    values = stream.draw(np.random.default_rng(4), (repetitions, seen + 1000))
    flips = np.moveaxis(log_flips(values), 1, 0)
    waited = waits(joined(wealth(values, stream.settings), flips))
    undecided = guesses = middle = late = 0
    for row, wait in zip(values, waited.tolist(), strict=True):
        if wait <= seen:
            continue
        undecided += 1
        advice = advise(row[:seen], stream.settings, signs=True)
        if advice.more is None:
            continue
        guesses += 1
        middle += wait - seen <= advice.more
        late += advice.more_high is None or wait - seen <= advice.more_high
    return undecided, guesses, middle, late


def print_errors(repetitions: int) -> None:
    error = math.sqrt(0.05 * 0.95 / repetitions)
    print(f"{repetitions} streams of {HORIZON}, looked at after every value; alpha 0.05.")
    print(f"Monte-Carlo error at 0.05: {error:.4f}. `covered` is the share of streams whose")
    print("interval holds the true mean at all moments.\n")
    print("| stream | both sides | above | below | covered | t-test, looked at as often |")
    print("|---|---|---|---|---|---|")
    for stream in NULLS:
        both, above, below, usual = errors(stream, repetitions)
        print(
            f"| {stream.name} | {both:.4f} | {above:.4f} | {below:.4f} | {1 - both:.4f}"
            f" | {usual:.3f} |",
            flush=True,
        )


def print_flip_errors(repetitions: int) -> None:
    print(f"\n{repetitions} streams of {HORIZON} of policies that are alike: bets on signs.\n")
    print("| stream | both sides | above | below |\n|---|---|---|---|")
    for stream in SYMMETRIC:
        shown = " | ".join(f"{error:.4f}" for error in flip_errors(stream, repetitions))
        print(f"| {stream.name} | {shown} |", flush=True)


def print_watch_errors(repetitions: int) -> float:
    """Print how often the rule of --watch errs; return the largest error."""
    print(f"\n{repetitions} streams of {HORIZON} with a mean difference of 0, as they are watched.")
    print("A verdict by signs is an error only where policies could be swapped.\n")
    print("| stream | could be swapped | any verdict | mean ruled out |\n|---|---|---|---|")
    worst = 0.0
    for stream in (one for one in NULLS if one.settings is DIFFERENCES):
        swapped = stream in SYMMETRIC
        found, by_mean = watch_errors(stream, repetitions)
        worst = max(worst, found if swapped else by_mean)
        told = "yes" if swapped else "no"
        print(f"| {stream.name} | {told} | {found:.4f} | {by_mean:.4f} |", flush=True)
    print(f"\nThe largest error: {worst:.4f} of 0.05.")
    return worst


def print_widths(repetitions: int) -> None:
    moments = (20, 50, 100, 200)
    print(f"\n{repetitions} streams of {max(moments)} through `trace`: what no moment ruled out.\n")
    print(
        "| stream | covered at all moments | " + " | ".join(f"width at {n}" for n in moments) + " |"
    )
    print("|---|---|" + "---|" * len(moments))
    for stream in (*NULLS[:4], NULLS[6], NULLS[8], *APART[:3]):
        covered, widths = held(stream, repetitions, moments)
        shown = " | ".join(f"{width:.3f}" for width in widths)
        print(f"| {stream.name} | {covered:.3f} | {shown} |", flush=True)


def print_waits(repetitions: int) -> None:
    print(f"\n{repetitions} streams of at most {HORIZON}: rollouts until a verdict, and the share")
    print("with one. Waits are cut at the horizon.\n")
    kinds = ("ours", "plug-in", "aGRAPA")
    print("| stream | " + " | ".join(f"{kind}: median | mean | decided" for kind in kinds) + " |")
    print("|---|" + "---|" * 3 * len(kinds))
    for stream in APART:
        cells = []
        for found in soon(stream, repetitions).values():
            cut = np.minimum(found, HORIZON)
            cells += [
                f"{np.median(cut):.0f}",
                f"{cut.mean():.0f}",
                f"{(found <= HORIZON).mean():.3f}",
            ]
        print(f"| {stream.name} | " + " | ".join(cells) + " |", flush=True)


def print_guesses(repetitions: int) -> None:
    print(f"\nThe guess of the remaining rollouts as they are watched, over {repetitions} streams:")
    print("wanted are 0.5 and 0.9 of those with a guess.\n")
    print("| stream | seen | undecided | with a guess | done by the middle | by the late end |")
    print("|---|---|---|---|---|---|")
    for stream in APART:
        for seen in (10, 30):
            undecided, guesses, middle, late = guessed(stream, repetitions, seen)
            some = max(guesses, 1)
            print(
                f"| {stream.name} | {seen} | {undecided} | {guesses} | {middle / some:.2f}"
                f" | {late / some:.2f} |",
                flush=True,
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=10_000)
    repetitions = parser.parse_args().repetitions
    print_errors(repetitions)
    print_flip_errors(repetitions)
    worst = print_watch_errors(repetitions)
    print_widths(max(1, repetitions // 50))
    print_waits(max(1, repetitions // 10))
    print_guesses(max(1, repetitions // 100))
    return int(worst > 0.05)


if __name__ == "__main__":
    sys.exit(main())
