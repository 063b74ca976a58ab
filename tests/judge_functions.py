"""Judges as users write them: plain functions of frames and instruction."""


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
