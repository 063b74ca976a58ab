"""The campaign of flaws: whom it rolls out, and that its statements can be asked of any task."""

import numpy as np
import pytest

from assay import plugins
from policy_stub import SERVED
from proof.flaws import POLICIES, TASKS, figures, fits, is_half_clean, is_scripted, say, statements

NAMES = [name for name in plugins.names(POLICIES) if is_scripted(name)]


def attempts(ends):
    """Return curves that rise from 0 to these ends in five steps."""
    return [np.linspace(0.0, end, 6) for end in ends]


def test_servers_and_what_needs_something_are_left_out():
    assert {"expert", "jittery", "dropper", "wrong-effector"} <= set(NAMES)
    assert not set(NAMES) & {*SERVED, "cloned", "replayed"}


@pytest.mark.parametrize("task", plugins.names(TASKS))
def test_every_statement_can_be_asked_of_every_task(task, capsys):
    table = {name: figures(attempts([0.5] * 6), 0.001) for name in NAMES if fits(task, name)}
    found = [say(statement, table, {task: table}) for statement in statements(NAMES)]
    assert len(found) == 8
    assert not all(found)  # all policies alike are not told apart
    assert f"not by itself: {task}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ends", "clean"),
    [
        # Three of six succeed, and rise steadily: PPL is (3 * 1 + 3 * 0.2) / 6 = 0.6.
        ([1.0, 1.0, 1.0, 0.2, 0.2, 0.2], True),
        ([1.0] * 6, False),
        ([0.2] * 6, False),
    ],
)
def test_half_of_the_attempts_are_clean_or_not(ends, clean):
    row = figures(attempts(ends), 0.001)
    assert is_half_clean(row) is clean
    assert row["PPL"].value == pytest.approx(np.mean(ends))
