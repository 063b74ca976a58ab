"""What a report says of the models that were asked."""

import dataclasses

import pytest

from assay.reports.asked import asked_notes, mixed_notes, plan_lines, usage_lines
from assay.reports.audit_page import Clip, write_audit_page
from reports.hostile import HOSTILE
from reports.sample import sample_page

MODEL = "openai:stub@http://localhost:1/v1"
ASKED = {
    "questions": 1200,
    "distinct": 1100,
    "status": {"ok": 1199, "refused": 1},
    "revisions": {"stub-2026-01": 1199},
    "pictures": 3600,
    "input_tokens": 120_000,
    "output_tokens": 12_000,
    "cost": 1.2345,
}
USED = {
    "calls": 1,
    "cached": 1099,
    "failed": 1,
    "input_tokens": 100,
    "output_tokens": 10,
    "cost": 0.00123,
    "pictures": 3,
}


def call(**more):
    plain = {
        "judge": "gvl",
        "model": MODEL,
        "status": "ok",
        "detail": "",
        "prompt": "How far is it in [picture 1] and [picture 2]?",
        "pictures": [
            {"key": "a", "view": "front", "t": 1.5},
            {"key": "b", "view": None, "t": None},
        ],
        "reply": '{"score": 85}',
        "input_tokens": 100,
        "output_tokens": None,
    }
    return plain | more


@pytest.fixture
def told():
    """The sample, whose first episode was asked about twice."""
    made = sample_page(1)
    first = made.rows[0]["episode"]
    calls = [call(), call(status="unparsed", detail=f"No number. {HOSTILE}", reply=HOSTILE)]
    return dataclasses.replace(
        made,
        audit={**made.audit, "asked": {MODEL: ASKED}},
        clips={first: [Clip("front", "", 0, None, "no video")]},
        calls=lambda episode: calls if episode == first else [],
        usage={"models": {MODEL: USED}},
    )


def test_the_sentences():
    assert asked_notes({}) == []
    (line,) = asked_notes({"asked": {MODEL: ASKED}})
    assert line == (
        f"{MODEL}: 1,200 questions (1199 ok, 1 refused), 120,000 + 12,000 tokens, 1.23 USD,"
        " answered as stub-2026-01."
    )
    assert usage_lines(None) == []
    (line,) = usage_lines({"models": {MODEL: USED}})
    assert line == (
        f"{MODEL}: 1 call sent, 1,099 answers from the ledger, 1 without an answer;"
        " 100 + 10 tokens, 0.0012 USD."
    )


TWO = {MODEL: ASKED | {"revisions": {"": 2, "<b>2027</b>": 1197}}}


@pytest.mark.parametrize(
    ("revisions", "said"),
    [
        ({"stub-2026-01": 1199}, "answered as stub-2026-01."),
        ({"": 1199}, "1.23 USD, its revision not told."),  # an endpoint need not name it
        ({}, "1.23 USD."),  # nothing was answered
        ({"A": 2, "B": 1197}, "answered as A: 2, B: 1,197."),
    ],
)
def test_who_answered_is_told(revisions, said):
    (line,) = asked_notes({"asked": {MODEL: ASKED | {"revisions": revisions}}})
    assert line.endswith(said)


def test_two_revisions_are_told_as_what_they_are():
    assert mixed_notes({}) == mixed_notes({"asked": {MODEL: ASKED}}) == []
    (line,) = mixed_notes({"asked": TWO})
    assert line == (
        f"{MODEL} answered as 2 revisions (not told: 2, <b>2027</b>: 1,197): they are not one"
        " model. Judge all episodes anew, with another --out."
    )


def test_the_report_shows_the_revision_that_answered(told, tmp_path):
    write_audit_page(told, tmp_path / "one")
    one = (tmp_path / "one" / "index.html").read_text()
    assert "<td>stub-2026-01</td>" in one
    assert "they are not one model" not in one
    write_audit_page(dataclasses.replace(told, audit=told.audit | {"asked": TWO}), tmp_path / "two")
    two = (tmp_path / "two" / "index.html").read_text()
    assert "<td>not told: 2, &lt;b&gt;2027&lt;/b&gt;: 1,197</td>" in two
    assert two.count("they are not one model") == 1


def test_a_plan_in_words():
    nothing = {"episodes": 3, "models": {}, "silent": {}}
    assert plan_lines(nothing) == ["Nothing would be asked of any model."]
    some = {"episodes": 3, "models": {MODEL: USED | {"cost": None}}, "silent": {"no_reference": 2}}
    head, line, silent, _ = plan_lines(some)
    assert head == "3 episodes; nothing was sent."
    assert line == (
        f"{MODEL}: 1 call to send with 3 pictures, 1,099 answers are there; 100 + 10 tokens,"
        " no price known."
    )
    assert silent == "Nothing to ask about: 2 no_reference."


def test_a_report_without_models_has_nothing_of_them(report):
    assert 'id="asked"' not in (report / "index.html").read_text()
    assert not list((report / "assets").glob("calls-*.js"))
    assert not (report / "assets" / "usage.js").exists()


def test_only_the_script_of_usage_tells_a_command_that_paid(told, tmp_path):
    write_audit_page(told, tmp_path / "a")
    write_audit_page(dataclasses.replace(told, usage=None), tmp_path / "b")
    for path in sorted((tmp_path / "a").rglob("*.*")):
        other = tmp_path / "b" / path.relative_to(tmp_path / "a")
        assert (path.read_bytes() == other.read_bytes()) == (path.name != "usage.js")
    (calls,) = (tmp_path / "a" / "assets").glob("calls-*.js")
    assert calls.name == "calls-00000.js"
    assert "<script" not in calls.read_text()


@pytest.mark.browser
def test_a_reader_sees_what_was_asked_and_answered(opened, told, tmp_path):
    write_audit_page(told, tmp_path)
    window = opened(tmp_path)
    index = window.goto("index.html")
    assert "1.23 USD" in index.locator("#asked tbody").inner_text()
    assert index.locator("#usage li").inner_text().startswith("When this report was made:")
    tab = window.goto("episode.html#" + told.rows[0]["episode"])
    tab.click("details.calls > summary")
    tab.wait_for_selector("details.call")
    folded = tab.locator("details.call > summary").all_inner_texts()
    assert folded[0] == "1 gvl: ok · 2 pictures, 100 + ? tokens"
    assert folded[1].startswith("2 gvl: unparsed")
    tab.click("details.call >> nth=0 >> summary")
    shown = tab.locator("details.call").nth(0)
    shown.locator("pre").nth(1).wait_for()
    assert shown.locator("pre").all_inner_texts() == [
        "How far is it in [picture 1] and [picture 2]?", '{"score": 85}'
    ]  # fmt: skip
    assert shown.locator("figcaption").all_inner_texts() == [
        "picture 1: front 1.50 s", "picture 2, not of this episode"
    ]  # fmt: skip
    shown.locator("figcaption button").click()
    assert tab.locator(".readout b").inner_text() == "1.50 s"
    tab.click("details.call >> nth=1 >> summary")
    assert tab.locator("details.call pre").nth(3).inner_text() == HOSTILE
    other = window.goto("episode.html#" + told.rows[1]["episode"])
    other.wait_for_selector("aside.side")
    assert other.locator("details.calls").count() == 0
