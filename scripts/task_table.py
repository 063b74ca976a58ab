"""Print the table of tasks in docs/worlds.md; `tests/worlds/test_tasks_table.py` compares the two.

.venv/bin/python scripts/task_table.py
"""

from __future__ import annotations

import sys

from assay import plugins
from assay.worlds.tasks.base import LONG, Task

FOLDER = "assay.worlds.tasks"


def row(task: Task) -> str:
    """Return a task's row: long-horizon tasks are marked, and their subgoals are counted alone."""
    names = [subgoal.name for subgoal in task.subgoals]
    long = len(names) >= LONG
    steps = f"{len(names)}, from {names[0]} to {names[-1]}" if long else ", ".join(names)
    name = f"`{task.name}`{' (long)' if long else ''}"
    return f"| {name} | {task.instruction} | {steps} | {', '.join(task.wrongs)} |"


def table() -> str:
    """Return the table of all tasks, in markdown."""
    rows = [row(plugins.find(FOLDER, name)()) for name in plugins.names(FOLDER)]
    head = ["| task | instruction | subgoals | can go wrong |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
