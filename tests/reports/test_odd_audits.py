"""Audits at the edges, made by the real job: every page, table and sentence must cope."""

from __future__ import annotations

import dataclasses
import html
import json
import re

import numpy as np
import pytest
from rich.console import Console

from assay.reports._layout import Grid
from assay.reports.audit_page import write_audit_page
from assay.reports.document import check_audit
from assay.reports.opening import findings
from assay.reports.tables import to_csv, to_markdown, to_terminal
from reports.sample import audited, sample_page

RISE = (0.0, 0.4, 0.8, 1.0)
FALL = (0.0, 0.7, 0.6, 0.2)
LONG = "diffusion-transformer-large-finetuned-on-" + "everything-" * 8


def episode(name, task="pour", policy="act", progress=RISE, **more):
    found = {"episode": name, "task": task, "policy": policy, "progress": list(progress)}
    return json.dumps(found | {"t": list(range(len(progress)))} | more)


def failures_of_one_frame():
    """Three policies, six failures each, of one observation: a curve without a step has no STR."""
    return [
        episode(f"{p}-{i}", policy=p, progress=[0.1 * k + 0.01 * i], success=False)
        for k, p in enumerate(("act", "dp", "pi0"), start=1)
        for i in range(6)
    ]


def some_failures_of_one_frame():
    """As above, but dp and two more policies have steps, so that STR is known for three of five."""
    moving = [
        episode(f"{p}-{i}", policy=p, progress=FALL[: 2 + i % 3], success=False)
        for p in ("dp", "rt", "vq")
        for i in range(6)
    ]
    return [*moving, *(line for line in failures_of_one_frame() if '"policy": "dp"' not in line)]


def many(policies, tasks, episodes=2):
    rng = np.random.default_rng(1)
    return [
        episode(
            f"{t}/{p}/{i}",
            f"task-{t:02d}",
            f"policy-{p:02d}",
            np.round(np.sort(rng.random(4)), 3).tolist(),
            success=bool(rng.random() < 0.5),
        )
        for t in range(tasks)
        for p in range(policies)
        for i in range(episodes)
    ]


CASES = {
    "one frame each": failures_of_one_frame(),
    "one frame for some": some_failures_of_one_frame(),
    "one episode": [episode("a")],
    "one labelled episode": [episode("a", success=True)],
    "nothing scored": [episode("a", progress=[None, None]), episode("b", progress=[0.2, None])],
    "nothing scored, labels": [
        episode(f"{p}-{i}", policy=p, progress=[None], success=p == "act")
        for p in ("act", "pi0")
        for i in range(6)
    ],
    "one policy": [episode(f"{t}-{i}", task=t) for t in ("pour", "fold") for i in range(6)],
    "forty policies": many(40, 1),
    "sixty tasks": many(2, 60, 1),
    "fifteen policies on four tasks": many(15, 4, 6),
    "long names": [
        episode(f"{t}{p}{i}", t, p, FALL, success=False)
        for t in (LONG, f"{LONG}t")
        for p in (LONG, f"{LONG}2", f"{LONG}3")
        for i in range(5)
    ],
    "no successes": [episode(f"{i}", progress=FALL, success=False) for i in range(6)],
    "no failures": [episode(f"{i}", success=True) for i in range(6)],
}


def written(page, folder):
    """Write a page and all tables; return the text of the index without its tags."""
    check_audit(json.loads(json.dumps(page.audit)), "audit.json")
    write_audit_page(page, folder)
    assert to_csv(page.audit).count("\n") > len(page.audit["cells"])
    rows = [r for r in to_markdown(page.audit).splitlines() if r.startswith("|")]
    assert len({row.count(" | ") for row in rows if not row.startswith("|--")}) == 1
    console = Console(width=80, record=True, quiet=True)
    console.print(to_terminal(page.audit))
    text = (folder / "index.html").read_text("utf-8")
    assert not re.search(
        r"\b(None|nan|inf)\b", re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)
    )
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("name", CASES)
def test_odd_audits_give_a_page_and_tables(name, tmp_path):
    page = audited(tuple(CASES[name]))
    text = written(page, tmp_path)
    for found in findings(page.audit):
        assert all(sentence.endswith((".", "!")) for sentence in found.sentences)
    for policy in {row["policy"] for row in page.rows}:
        assert policy in text


@pytest.mark.parametrize(
    "by",
    [
        (),
        ("task",),
        ("policy",),
        ("scene",),
        ("seed",),
        ("world",),
        ("perturbation",),
        ("task", "policy", "seed"),
        ("policy", "world", "task"),
    ],
    ids=",".join,
)
def test_every_grouping_gives_a_page_and_tables(by, tmp_path):
    page = sample_page(2, by=by)
    written(page, tmp_path)
    assert len(Grid.of(page.audit).by_place) == len(page.audit["cells"])


def test_without_a_group_there_is_one_row_called_all_episodes(tmp_path):
    page = sample_page(2, by=())
    text = written(page, tmp_path)
    assert [cell["group"] for cell in page.audit["cells"]] == [{}]
    assert findings(page.audit)[0].sentences == (
        "30 episodes were judged as one group; all could be scored.",
    )
    assert to_markdown(page.audit).splitlines()[2].startswith("| all episodes | 30 / 30 |")
    assert "The success rate over all episodes is" in text


def test_what_was_not_recorded_is_said_and_not_left_blank(tmp_path):
    lines = (episode("a", world="table"), episode("b"), episode("c", world="none"))
    page = audited(lines, by=("world",))
    assert Grid.of(page.audit).series == ("none", "table", "not recorded")
    assert "not recorded" in written(page, tmp_path)


# Joined with a dot, both tasks and worlds read "a · b · c"; no cell may take the place of another.
def test_groups_that_read_the_same_keep_their_places():
    lines = (episode("x", "a · b", world="c"), episode("y", "a", world="b · c"))
    page = audited(lines, by=("task", "world"))
    assert Grid.of(page.audit).series == ("a · b · c", "a · b · c (another)")


def test_an_undefined_score_is_not_available_and_the_others_are_shown(tmp_path):
    page = audited(tuple(CASES["one frame for some"]))
    entries = {e["policy"]: e for e in page.audit["fingerprints"][0]["policies"]}
    assert entries["act"]["z"]["str"] is None
    assert entries["act"]["raw"]["str"] is None
    assert entries["act"]["z"]["mp"] is not None
    text = written(page, tmp_path)
    assert "STR z n/a, 6 failures" in (tmp_path / "index.html").read_text("utf-8")
    assert "act: undefined for too many failures: str" in text


def test_no_kind_of_failure_is_claimed_from_an_undefined_score():
    page = audited(tuple(CASES["one frame each"]))
    assert "How they fail" not in [found.topic for found in findings(page.audit)]


def test_success_rates_are_compared_even_if_nothing_is_scored(tmp_path):
    page = audited(tuple(CASES["nothing scored, labels"]))
    judged, lead = findings(page.audit)
    assert "nothing but success rates can be compared" in judged.sentences[1]
    assert lead.sentences[0].startswith("On “pour”, act has the highest success rate, 100.0 [")
    assert "Not shown: no scored episode." in written(page, tmp_path)


def test_missing_labels_are_the_reason_for_missing_failures(tmp_path):
    text = written(audited(tuple(CASES["one episode"])), tmp_path)
    assert "there are no failures" not in text
    assert text.count("Not shown: no success labels.") == 2


def test_a_status_is_explained_where_it_occurs(tmp_path):
    text = written(audited(tuple(CASES["nothing scored"])), tmp_path / "a")
    assert "missing_frame: a frame, a value or the whole recording is missing." in text
    text = written(audited(tuple(CASES["one episode"])), tmp_path / "b")
    assert "missing_frame" not in text


def test_many_lines_leave_out_their_intervals_and_say_so(tmp_path):
    page = audited(tuple(CASES["fifteen policies on four tasks"]))
    text = written(page, tmp_path)
    assert "a panel with more than 8 lines leaves out their intervals" in text
    figure = (tmp_path / "index.html").read_text("utf-8").split('id="reach"')[1]
    assert 'class="bar' not in figure.split('id="quality"')[0]


def test_a_long_title_is_set_smaller(tmp_path):
    page = dataclasses.replace(sample_page(1), title="Audit of " + ", ".join(["policy"] * 40))
    write_audit_page(page, tmp_path)
    assert '<h1 class="long">Audit of policy' in (tmp_path / "index.html").read_text("utf-8")
