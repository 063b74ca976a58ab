"""A judge in one function: where on the table is the white block?"""

import numpy as np


def progress(frames: np.ndarray, instruction: str) -> np.ndarray:  # noqa: ARG001 - not read here
    """Return one number in 0..1 per frame; `frames` is uint8 RGB of shape (T, H, W, 3)."""
    columns = frames.mean(axis=(1, 3))  # brightness of each column, of shape (T, W)
    left = (columns > 60).argmax(axis=1)  # the first white one
    return np.minimum(left / (columns.shape[1] - 16), 1.0)  # the block is 16 pixels wide
