"""Building pulse from episodes of no world."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from assay.benchmarks.pulse.items import Item
from assay.episodes.lerobot.writer import write_lerobot
from assay.errors import InputError, UsageError
from assay.jobs._policy_kinds import PolicyKinds
from assay.jobs._pulse_items import read_items, write_items
from assay.jobs.build import BuildSettings, build
from assay.records import Segment
from lerobot_sets import made_episode


def item(**about):
    """Return a pair of a backtracker's; all words but a few are "a"."""
    told = dict.fromkeys(("item", "source", "episode", "task", "instruction", "category"), "a")
    known = {"policy": "backtracker", "perturbation": None, "seed": 1, "setting": "Sim"}
    truth = {"route": "potential", "y": 1, "hop": 0.2, "bin": "small", "order": "forward"}
    times = {"t_before": 0.0, "t_after": 1.0, "distance_s": 1.0}
    return Item(**told, **known, **truth, **times, phi_before=0.1, phi_after=0.3, **about)


def demonstrations(root, count=3, **changes):
    """Write demonstrations of 30 s with two subtasks; the second one fails. No pictures."""
    segments = (Segment("reach", 0.0, 10.0), Segment("lift", 10.0, 29.9))
    about = {"world": None, "views": {}, "segments": segments, "perturbation": None, **changes}
    made = [made_episode(k, 300, **about) for k in range(count)]
    write_lerobot(root, made, fps=10)
    return root


def test_subtasks_of_successes_make_pairs(tmp_path):
    source = demonstrations(tmp_path / "arm")
    result = build([source], BuildSettings(tmp_path / "out", setting="Real", per_episode=50))
    items = read_items(tmp_path / "out" / "items.parquet")
    assert {item.route for item in items} == {"segments"}
    assert {item.episode for item in items} == {"run-0", "run-2"}
    assert {(item.setting, item.category) for item in items} == {("Real", "arm")}
    # floor(300 / 30) = 10 chunks over 2 phases: 5 states each, so that Phi goes in tenths.
    assert {round(10 * item.phi_before, 6) % 1 for item in items} == {0.0}
    assert sum(item.y for item in items) == 0
    assert result.document["regression_share"] == 0.0
    (why,) = result.document["episodes"]["left_out"]
    assert why.startswith("no success")
    assert {item.wrong_object for item in items} == {None}


def test_the_record_of_a_rollout_says_who_acted(tmp_path):
    policies = {"bad": {"name": "wrong-object"}, "wrong-object": {"name": "expert"}}
    record = {"schema": "assay.rollout/1", "settings": {"policies": policies}}
    (tmp_path / "rollout.json").write_text(json.dumps(record))
    kinds = PolicyKinds.of(tmp_path)
    assert kinds.kind("bad") == "wrong-object"
    assert kinds.kind("wrong-object") == "expert"
    assert kinds.kind("backtracker") is None  # nobody of that name took part
    assert kinds.kind("mine", renamed=True) is None  # it may be either
    del policies["wrong-object"]
    (tmp_path / "rollout.json").write_text(json.dumps(record))
    assert PolicyKinds.of(tmp_path).kind("mine", renamed=True) == "wrong-object"


@pytest.mark.parametrize(
    "text", [None, "nothing", "[]", "{}", '{"schema": "x/1", "settings": {"policies": {}}}']
)
def test_without_a_record_a_label_counts_that_is_a_policys_name_to_the_letter(tmp_path, text):
    if text is not None:
        (tmp_path / "rollout.json").write_text(text)
    kinds = PolicyKinds.of(tmp_path)
    assert kinds.kind("wrong-object") == "wrong-object"
    assert kinds.kind("not-wrong-object-at-all") is None
    assert kinds.kind("bad") is None


def test_items_of_before_are_undone_by_the_label(tmp_path):
    items = [item(wrong_object=False), item(wrong_object=None)]
    write_items(tmp_path / "new.parquet", items)
    bare = pq.read_table(tmp_path / "new.parquet").drop_columns(["undone"])
    pq.write_table(bare, tmp_path / "old.parquet")
    assert [item.undone for item in read_items(tmp_path / "new.parquet")] == [None, None]
    assert [item.undone for item in read_items(tmp_path / "old.parquet")] == [True, None]


def test_a_finished_benchmark_is_left_as_it_is(tmp_path):
    source = demonstrations(tmp_path / "arm")
    settings = BuildSettings(tmp_path / "out", setting="Real", category="panda")
    first = build([source], settings)
    written = (first.out / "items.parquet").stat().st_mtime_ns
    second = build([source], settings)
    assert second.document == first.document
    assert (first.out / "items.parquet").stat().st_mtime_ns == written
    assert {item.category for item in read_items(first.out / "items.parquet")} == {"panda"}


def test_where_it_was_filmed_must_be_said(tmp_path):
    source = demonstrations(tmp_path / "arm", count=1)
    with pytest.raises(UsageError, match="--setting Real, Sim, UMI or Human"):
        build([source], BuildSettings(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_episodes_without_a_success_make_no_benchmark(tmp_path):
    source = demonstrations(tmp_path / "arm", count=1, outcome=None)
    with pytest.raises(InputError, match="not known to be a success"):
        build([source], BuildSettings(tmp_path / "out", setting="Real"))


def test_a_file_that_holds_no_items_is_refused(tmp_path):
    (tmp_path / "items.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match="holds no items"):
        read_items(tmp_path / "items.parquet")
