"""Judges as users write them: plain functions of frames and instruction."""

import numpy as np


def brightness(frames, instruction):
    """Return the mean brightness of each frame."""
    return frames.mean(axis=(1, 2, 3)) / 255.0


def too_few(frames, instruction):
    """Return one number, however many frames there are."""
    return [0.5]


def failing(frames, instruction):
    """Fail as a buggy judge would."""
    raise ZeroDivisionError("a bug in the judge")


def words(frames, instruction):
    """Return what a language model might say."""
    return ["about half"] * len(frames)


def imaginary(frames, instruction):
    """Return numbers that are none."""
    return [0.5j] * len(frames)


def masked(frames, instruction):
    """Return numbers of which the first is masked."""
    return np.ma.masked_array(np.full(len(frames), 0.5), mask=[True] + [False] * (len(frames) - 1))


def talking(frames, instruction):
    """Print as a debugging user does."""
    print("looking")  # noqa: T201 - the point of it
    return [0.5] * len(frames)


def unspeakable(frames, instruction):
    """Fail with a text that no file can hold."""
    raise ValueError("\ud800")
