"""The check of metaworld's 50 tasks says no when it should."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import metaworld_tasks

    yield metaworld_tasks
    for name in ("metaworld_tasks", "metaworld_envs", "metaworld_demos"):
        sys.modules.pop(name, None)


def rows(script, tasks, **changed):
    """Return four episodes of each task on which both sides agree, the expert's as successes."""
    found = [
        script.Row(task, policy, seed, own=won, table=won, progress=0.5)
        for task in tasks
        for policy, seed, won in [
            ("expert", 0, True), ("expert", 1, True), ("expert", 2, True), ("random", 0, False),
        ]
    ]  # fmt: skip
    return [*found[:-1], replace(found[-1], **changed)]


def test_there_are_fifty_tasks_with_a_sentence_each(script):
    assert len(script.INSTRUCTIONS) == 50
    assert len(set(script.INSTRUCTIONS.values())) == 50


def test_forty_five_tasks_are_enough_and_forty_four_are_not(script):
    tasks = sorted(script.INSTRUCTIONS)
    for count, expected in ((45, True), (44, False)):
        text, reached = script.page(rows(script, tasks[:count]), tasks, audited=True)
        assert reached is expected
        assert f"**{count} of 50**" in text


@pytest.mark.parametrize(
    ("changed", "shown"), [({"table": True}, "| 111 / 1 | **no**"), ({"own": None}, "111 / ?")]
)
def test_one_episode_that_differs_is_enough_to_say_no(script, changed, shown):
    tasks = sorted(script.INSTRUCTIONS)
    text, reached = script.page(rows(script, tasks, **changed), tasks, audited=True)
    assert not reached
    assert "**1 of 200**" in text
    assert shown in text


def test_an_audit_that_failed_says_no(script):
    tasks = sorted(script.INSTRUCTIONS)
    assert not script.page(rows(script, tasks), tasks, audited=False)[1]


def test_both_sides_are_read_from_their_own_files(script, tmp_path):
    (tmp_path / "audit").mkdir()
    (tmp_path / "flags" / "reach" / "expert").mkdir(parents=True)
    told = {"steps": 70, "success": 1.0}
    (tmp_path / "flags" / "reach" / "expert" / "0.json").write_text(json.dumps(told))
    table = [
        {"task": "reach", "policy": "expert", "seed": seed, "judge": judge, "mp": 1.0,
         "success_end": True}
        for seed in (0, 1) for judge in ("recorded", "ramp")
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "audit" / "episodes.parquet")
    first, second = script.rows_of(tmp_path)
    assert (first.own, first.table, first.is_equal) == (True, True, True)
    assert (second.own, second.is_equal) == (None, False)  # no one saw it
