"""The scripts that measure judges: what they call met, and which columns their pages have."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.benchmarks.footage.draws import TASKS

SCRIPTS = Path(__file__).parent.parent / "scripts"


@pytest.fixture
def script(monkeypatch):
    """Return a function that imports a file of scripts/; they import each other by name."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield importlib.import_module
    for name in {"leave_one_out", "judge_figures", "weights", "passports"} - before:
        sys.modules.pop(name, None)


def estimate(value):
    return {"value": value, "low": None, "high": None, "n": 9, "worst": value, "best": value}


def document(**overall):
    """Return what a run of judges says of one task, as far as the table reads it."""
    judges = [
        {
            "name": name,
            "null": name == "pixel-change",
            "overall": {"average": estimate(value)},
            "bins": {"small": {"average": estimate(value)}},
            "orders": {"anti-time": estimate(value)},
        }
        for name, value in overall.items()
    ]
    return {"items": 9, "judges": judges, "best_null": "pixel-change"}


@pytest.mark.parametrize(
    ("alone", "goal", "good"),
    [(0.60, 0.80, True), (0.90, 0.60, False), (0.90, 0.70, False), (0.90, 0.71, True)],
)
def test_the_judge_with_a_goal_must_be_above_the_pixels_on_every_task(script, alone, goal, good):
    found = script("leave_one_out")
    fine = document(**{"never seen": 0.9, "never seen, goal": 0.9, "pixel-change": 0.7})
    other = document(**{"never seen": alone, "never seen, goal": goal, "pixel-change": 0.7})
    met, text = found.table({"lift-block": fine, "open-drawer": other})
    assert met is good
    told = "above pixel-change on every task" if good else "not above pixel-change: open-drawer"
    assert f"With a goal: {told}." in text


def test_both_columns_are_asked_the_same(script, monkeypatch, tmp_path):
    found, asked = script("leave_one_out"), []
    monkeypatch.setattr(found, "trained", lambda fold, asked: "prm-mini")
    monkeypatch.setattr(found, "build", lambda *told: None)
    monkeypatch.setattr(found, "runs", lambda split, task, asked, most=None: [tmp_path / split])

    def bench(folder, settings):
        asked.append(settings)
        return SimpleNamespace(document="the document")

    monkeypatch.setattr(found, "bench", bench)
    options = SimpleNamespace(out=tmp_path, sets=tmp_path)
    assert list(found.scored("a", options)) == [(n, "the document") for n in found.FOLDS["a"]]
    for settings in asked:
        assert settings.by_curve
        assert [judge.goal is None for judge in settings.judges.values()] == [True, False]


def test_where_a_robot_was_left_out_is_told_apart(script):
    found = script("leave_one_out")
    good, bad = (
        document(**{"never seen": 0.9, "never seen, goal": aimed, "pixel-change": 0.7})
        for aimed in (0.9, 0.6)
    )
    met, text = found.table({"lift-block": good, "lift-block, desk-arm": bad})
    assert met
    told = "above pixel-change on every task; where the robot had not been seen, not above"
    assert f"With a goal: {told} pixel-change: lift-block, desk-arm." in text


def test_every_task_and_every_other_robot_is_left_out_once(script):
    found = script("leave_one_out")
    left = [name for names in found.FOLDS.values() for name in names]
    assert sorted(left) == sorted([*TASKS, *found.ROBOTS])


def line(title, verdict, value=None):
    limit = {"is": "at most", "value": 0.1, "source": "ours"}
    told = {"check": title, "title": title, "verdict": verdict, "domain": "simulated worlds"}
    shown = None if value is None else estimate(value)
    return {**told, "value": shown, "limit": limit, "unit": "", "why": "", "meaning": ""}


def test_the_page_of_passports_has_a_column_with_a_goal(script):
    found = script("passports")
    assert found.AIMED in found.JUDGES
    assert found.GOALS[found.AIMED] == "worlds"
    assert found.file_of(found.AIMED) == "prm-mini-with-goal"  # which no judge is called
    plain = {"checks": [line("goal = start", "not run")]}
    aimed = {"checks": [line("goal = start", "pass", 0.02)]}
    text = found.page({"prm-mini": plain, found.AIMED: aimed})
    assert "| check | limit | n | prm-mini | prm-mini, goal |" in text
    (row,) = [row for row in text.splitlines() if row.startswith("| goal = start")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[3] == "not run"
    assert cells[4].startswith("2.0")


def rests_on(*tasks, scenes=48):
    """Return a passport on these tasks of the worlds; an older one names none."""
    named = {"tasks": list(tasks)} if tasks else {}
    worlds = {"simulated worlds": {"subjects": scenes, **named}}
    return {"checks": [line("loop motion", "pass", 0.02)], "domains": worlds}


def test_the_page_of_passports_says_on_which_tasks(script):
    found = script("passports")
    same = rests_on("lift-block", "turn-knob")
    text = found.page({"ramp": same, "oracle": same})
    assert "\nAll were examined on 2 tasks: lift-block, turn-knob.\n" in text
    text = found.page({"ramp": rests_on(), "oracle": rests_on(scenes=120), "prm-mini": same})
    assert "Not all were examined on the same tasks, so that columns can't be compared:" in text
    assert "\n- ramp: 48 scenes of tasks that their passports don't name.\n" in text
    assert "\n- prm-mini: 2 tasks: lift-block, turn-knob.\n" in text


def test_a_column_is_examined_as_it_says(script, monkeypatch, tmp_path):
    found, asked = script("passports"), []

    def certify(settings):
        asked.append(settings)
        return SimpleNamespace(out=tmp_path, document={"checks": []})

    (tmp_path / "certify.json").write_text("{}")
    monkeypatch.setattr(found, "certify", certify)
    monkeypatch.setattr(found, "KEPT", tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    for judge in ("prm-mini", found.AIMED):
        found.document_of(judge, tmp_path / "runs")
    assert [one.tasks for one in asked] == [TASKS, TASKS]
    told = [(one.out.name, one.judge, one.goal, one.seeds) for one in asked]
    assert told == [
        ("prm-mini", "prm-mini", None, 2),
        ("prm-mini-with-goal", "prm-mini", "worlds", 1),
    ]
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        "prm-mini-with-goal.json",
        "prm-mini.json",
    ]
