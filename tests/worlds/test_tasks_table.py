"""The page of the worlds shows every task as it is."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_table_of_tasks_is_what_the_command_prints():
    command = runpy.run_path(str(ROOT / "scripts" / "task_table.py"))
    assert command["table"]() in (ROOT / "docs" / "worlds.md").read_text()
