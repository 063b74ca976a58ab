"""Pictures made in memory, episodes that show them, and files that hold them."""

from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from assay.records import Episode, View

SIDE = 64  # the size that pixels are compared at, so nothing is resized


@dataclass(frozen=True, eq=False)
class Shown:
    """A fixture: picture k is shown at t = k seconds."""

    pictures: list = field(default_factory=list)

    def key(self):
        return f"shown:{id(self.pictures)}"

    def clock(self):
        return np.arange(float(len(self.pictures)))

    def at(self, times):
        for t in times:
            yield self.pictures[min(int(t), len(self.pictures) - 1)]


def grey(level, side=SIDE):
    """A picture of one grey level."""
    return np.full((side, side, 3), level, dtype=np.uint8)


def block(left, top=20, side=SIDE):
    """A white block of a quarter of the side on a dark table."""
    picture = np.full((side, side, 3), 40, dtype=np.uint8)
    picture[top : top + side // 4, left : left + side // 4] = 255
    return picture


def episode(pictures, name="e", task="push", moves=False, view="front", **changes):
    """An episode whose one view shows `pictures`, one a second."""
    fields = {"id": name, "task": task, "views": {view: View(Shown(pictures), moves=moves)}}
    return Episode(**{**fields, **changes})


def save(path, picture):
    """Write `picture` as an image, in the format of the path's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path)
    return path
