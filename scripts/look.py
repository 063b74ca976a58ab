"""Write the reference frame of every task: what `tests/worlds/test_look.py` compares with.

.venv/bin/python scripts/look.py

Run it after a task was added, and after LOOK in src/assay/worlds/look.py was raised because the
look was changed on purpose. Frames of other versions and of tasks that are gone are removed.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from assay import plugins
from assay.worlds.look import LOOK, reference_frame

FOLDER = Path(__file__).parent.parent / "tests" / "worlds" / "look"


def main() -> None:
    """Render one frame for every task that is found."""
    FOLDER.mkdir(exist_ok=True)
    names = {task: f"{task}-{LOOK}.png" for task in plugins.names("assay.worlds.tasks")}
    for old in FOLDER.glob("*.png"):
        if old.name not in names.values():
            old.unlink()
    for task, name in names.items():
        Image.fromarray(reference_frame(task)).save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    main()
