"""Paths that the format of RLDS datasets must claim."""

import numpy as np

from lerobot_sets import png
from rlds_made import write_rlds


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    layout = {
        "steps/action": ("float32", 2),
        "steps/is_first": ("bool",),
        "steps/language_instruction": "text",
        "steps/observation/image": "uint8",
    }
    episode = {
        "steps/action": np.zeros((3, 2), np.float32),
        "steps/is_first": np.array([1, 0, 0]),
        "steps/language_instruction": [b"push"] * 3,
        "steps/observation/image": [png(n) for n in range(3)],
    }
    folder = write_rlds(root / "demo/1.0.0", layout, [episode], name="bridge")
    return [folder, root / "demo", next(folder.glob("*.tfrecord*"))]
