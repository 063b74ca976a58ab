"""Write the reference frames of tasks: what `tests/worlds/test_look.py` compares with.

.venv/bin/python scripts/look.py [TASK...]

Run it after a task was added, and after LOOK in src/assay/worlds/look.py was raised because the
look was changed on purpose. It draws the frames that are missing, and anew those of the tasks that
are named: your own while you work on it. Frames of other versions and of tasks that are gone are
removed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from assay import plugins
from assay.worlds.look import LOOK, reference_frame

FOLDER = Path(__file__).parent.parent / "tests" / "worlds" / "look"


def main(anew: Sequence[str]) -> None:
    """Render the missing frames of all tasks that are found, and those of the tasks in `anew`."""
    FOLDER.mkdir(exist_ok=True)
    names = {task: f"{task}-{LOOK}.png" for task in plugins.names("assay.worlds.tasks")}
    for old in FOLDER.glob("*.png"):
        if old.name not in names.values():
            old.unlink()
    for task in anew:
        plugins.find("assay.worlds.tasks", task)  # words what is wrong with a name
    for task, name in names.items():
        if task in anew or not (FOLDER / name).exists():
            Image.fromarray(reference_frame(task)).save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
