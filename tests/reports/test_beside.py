"""What a report says of judges beside the main one, in words, tables and on the page."""

from __future__ import annotations

import copy
import json
import re

import pytest

from assay.errors import InputError
from assay.reports._beside import besides
from assay.reports._pages import index_page
from assay.reports.audit_page import write_audit_page
from assay.reports.document import check_audit
from assay.reports.opening import findings, opening
from assay.reports.tables import to_csv, to_markdown
from reports.cells import E, audit, cell
from reports.sample import POLICIES, sample_page

POLICY_NAMES = ("a", "b", "c")
RAMP = {"name": "ramp", "settings": {}, "bound": "cpu", "noise": None, "files": {}}


def swap(first, second, share=0.97):
    return {
        "policies": [first, second],
        "main": [0.8, 0.4],
        "beside": [0.5, 0.6],
        "share": share,
    }


def order(swapped=(), tied=(), *, task="lift", policies=POLICY_NAMES, **tau):
    """The orders of three policies at 0.8, 0.6 and 0.4 by the main judge."""
    count = len(policies)
    return {
        "task": task,
        "by": "mp",
        "policies": [
            {"policy": name, "n": 20, "main": 0.8 - 0.2 * i, "beside": 0.5}
            for i, name in enumerate(policies)
        ],
        "tau": {"value": 0.33, "low": -0.33, "high": 1.0, "n": count, "method": "by hand", **tau},
        "pairs": count * (count - 1) // 2,
        "swapped": list(swapped),
        "tied": [list(pair) for pair in tied],
        "parted": [],
    }


def beside(*orders, name="ramp", is_null=True, **changes):
    found = {
        "judge": {**RAMP, "name": name},
        "is_null": is_null,
        "epsilon": {"value": 0.01, "source": "assumed", "sigma": None},
        "cells": [
            {
                key: value
                for key, value in cell("lift", policy).items()
                if key not in ("success", "conditioned", "sensitivity", "reach")
            }
            | {"difference": E(0.25, 0.2, 0.3)}
            for policy in POLICY_NAMES
        ],
        "orders": list(orders),
        "difference": E(0.25, 0.2, 0.3, n=60),
    }
    return found | changes


def document(*others):
    return audit(*(cell("lift", policy) for policy in POLICY_NAMES), beside=list(others))


def said(*others):
    """The one sentence of the opening."""
    (sentence,) = [
        sentence
        for found in findings(document(*others))
        if found.topic == "Other judges"
        for sentence in found.sentences
    ]
    return sentence


ALL_TIED = [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (
            beside(order([swap("a", "b"), swap("b", "c", 0.6)], [("a", "c")])),
            (
                "Judged by ramp, a null judge that only looks at the clock, 2 of 3 pairs of "
                "policies change places by mean MP (1 of them in at least 95 % of resamples), "
                "and 1 is tied."
            ),
        ),
        (
            beside(order([swap("a", "b", None)]), name="mine:eyes", is_null=False),
            "Judged by mine:eyes, 1 of 3 pairs of policies changes places by mean MP.",
        ),
        (
            beside(order([], ALL_TIED), name="last-frame"),
            (
                "Judged by last-frame, a null judge that takes every end for success, all 3 pairs "
                "of policies are tied by mean MP."
            ),
        ),
        (
            beside(order(), name="random"),
            (
                "Judged by random, a null judge that throws dice, none of 3 pairs of policies "
                "changes places by mean MP."
            ),
        ),
        (
            beside(order([], ALL_TIED[:2]), name="constant"),
            (
                "Judged by constant, a null judge that gives every moment the same number, none of "
                "3 pairs of policies changes places by mean MP, but 2 are tied."
            ),
        ),
        (
            beside(order(policies=("a",)), name="mine:blind"),
            (
                "Judged by mine:blind, a null judge that sees neither frames nor signals, no two "
                "policies of a task can be compared."
            ),
        ),
        (
            beside(order(policies=("a", "b")), name="mine:eyes", is_null=False),
            "Judged by mine:eyes, the one pair of policies keeps its order by mean MP.",
        ),
        (
            beside(order([swap("a", "b")], policies=("a", "b")), name="mine:eyes", is_null=False),
            (
                "Judged by mine:eyes, the one pair of policies changes places by mean MP (in 97 % "
                "of resamples)."
            ),
        ),
        (
            beside(order([], [("a", "b")], policies=("a", "b"))),
            (
                "Judged by ramp, a null judge that only looks at the clock, the one pair of "
                "policies is tied by mean MP."
            ),
        ),
    ],
)
def test_the_sentence_is_computed(other, sentence):
    assert said(other) == sentence


def test_all_judges_share_one_sentence_of_the_opening():
    found = said(beside(order()), beside(order([], ALL_TIED), name="last-frame"))
    assert found.count(".") == 1
    assert "; judged by last-frame" in found
    assert found in opening(
        document(beside(order()), beside(order([], ALL_TIED), name="last-frame"))
    )


def test_nothing_is_said_of_judges_that_are_not_there():
    plain = audit(cell("lift", "a"))
    assert "Other judges" not in {found.topic for found in findings(plain)}
    assert besides(plain) is None
    page = index_page(plain, "Title")
    assert "beside" not in page.lower().replace("stands beside", "")
    assert "beside" not in to_csv(plain)


def text_of(markup):
    return " ".join(re.sub(r"<[^>]+>", " ", str(markup)).split())


def test_the_section_names_the_surest_swap_and_its_numbers():
    text = text_of(besides(document(beside(order([swap("b", "c", 0.6), swap("a", "b")])))))
    assert "ramp, a null judge that only looks at the clock" in text
    assert (
        "Most surely so on “lift”: recorded puts a above b (80.00 against 40.00), ramp puts b "
        "above a (60.00 against 50.00), and so in 97.0 % of resamples." in text
    )
    assert "curves lie 25.0 [20.0, 30.0] points (n = 60) away from those of recorded" in text
    assert "a and b (97 % of resamples) and b and c (60 % of resamples)" in text
    assert "a &gt; b &gt; c a = b = c 0.33 [-0.33, 1] 3 policies" in text


def test_what_is_missing_says_why():
    none = {"value": None, "low": None, "high": None, "why": "ramp tells no two policies apart"}
    nothing = E(None, None, None, 0, worst=1.0, best=0.0, why="no scored episode")
    other = beside(order([], ALL_TIED, **none), difference=nothing)
    text = text_of(besides(document(other)))
    assert "n/a ramp tells no two policies apart" in text
    assert "No episode has a curve of this judge and one of recorded." in text


def test_a_long_order_is_counted_not_listed():
    many = [f"p{i}" for i in range(9)]
    one = order(policies=many)
    one["policies"] = [p | {"main": 0.5} for p in one["policies"]]
    assert text_of(besides(document(beside(one)))).count("9 policies") == 3


def test_markdown_has_a_short_table_and_its_notes():
    none = {"value": None, "low": None, "high": None, "why": "ramp tells no two policies apart"}
    text = to_markdown(
        document(beside(order([swap("a", "b")]), order([], ALL_TIED, task="p|q", **none)))
    )
    assert "| ramp | lift | 3 | 0.33 [-0.33, 1] | 1 of 3 | 0 of 3 |" in text
    assert r"| ramp | p\|q | 3 | n/a | 0 of 3 | 3 of 3 |" in text
    assert "No tau-b or no interval: ramp tells no two policies apart." in text


def broken(change):
    found = copy.deepcopy(document(beside(order([swap("a", "b")]))))
    change(found["beside"][0])
    return found


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda b: b["cells"].pop(), "not those of the main judge"),
        (lambda b: b["orders"][0]["tau"].update(value=None), "a missing number has a why"),
        (lambda b: b["orders"][0]["tau"].update(value=1.5), "less than or equal to 1"),
        (lambda b: b["orders"][0]["swapped"][0].update(beside=[0.6, 0.5]), "the same order"),
        (lambda b: b["orders"][0]["tied"].append(["a"]), "at least 2 items"),
        (lambda b: b["cells"][0].update(n=21), "do not add up"),
        (lambda b: b.update(liked=True), "Extra inputs"),
    ],
)
def test_a_document_that_breaks_the_contract_is_refused(change, where):
    with pytest.raises(InputError, match=where):
        check_audit(broken(change), "audit.json")


@pytest.fixture(scope="module")
def judged():
    """A report with two null judges; some episodes have gaps, some can't be read."""
    return sample_page(20, beside=("ramp", "last-frame"))


def test_what_the_job_writes_keeps_the_contract(judged):
    found = check_audit(json.loads(json.dumps(judged.audit)), "audit.json")
    assert [one.judge.name for one in found.beside] == ["ramp", "last-frame"]
    # the ramp scores the curves with gaps; an unreadable episode it can't score either
    unread = [c.status.get("ok") for c in found.beside[0].cells if c.policy == "sleeper"]
    gaps = [c.status.get("ok") for c in found.beside[0].cells if c.policy == "quitter"]
    assert (unread, gaps) == ([19] * 3, [20] * 3)


@pytest.mark.browser
def test_the_episode_shows_every_judge_with_a_legend(judged, opened, tmp_path):
    write_audit_page(judged, tmp_path)
    tab = opened(tmp_path).goto("episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".curve path.line-now")
    assert tab.locator(".curve path.line-beside").count() == 2
    legend = tab.locator(".key li").all_inner_texts()
    assert [told.strip() for told in legend[:3]] == [
        "progress by recorded",
        "progress by ramp, which only looks at the clock",
        "progress by last-frame, which takes every end for success",
    ]
    style = "(line) => [getComputedStyle(line).stroke, getComputedStyle(line).strokeWidth]"
    main, ramp, last = (
        tab.locator(".curve path.line-now, .curve path.line-beside").nth(i).evaluate(style)
        for i in (2, 0, 1)
    )
    assert len({main[0], ramp[0], last[0]}) == 3
    assert float(main[1].rstrip("px")) > float(ramp[1].rstrip("px"))
    dashes = [
        tab.locator(".curve path.line-beside").nth(i).get_attribute("stroke-dasharray")
        for i in (0, 1)
    ]
    assert len(set(dashes) - {None}) == 2


@pytest.mark.browser
def test_a_reader_puts_curves_away_and_they_stay_away(judged, opened, tmp_path):
    write_audit_page(judged, tmp_path)
    tab = opened(tmp_path).goto("episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".curve path.line-now")
    boxes = tab.locator(".key input[type=checkbox]")
    assert boxes.count() == 3  # a box for each judge, none for what is shaded
    ramp = tab.locator(".curve path.line-beside").first
    boxes.nth(1).uncheck()
    assert not ramp.is_visible()
    assert tab.locator(".curve path.line-beside").nth(1).is_visible()
    boxes.nth(0).uncheck()
    assert not tab.locator(".curve path.line-now").is_visible()
    tab.keyboard.press("n")  # a box that has the focus stops no key but space
    tab.wait_for_function("() => location.hash.endsWith('001')")
    tab.wait_for_selector(".curve path.line-beside", state="attached")
    assert [box.is_checked() for box in tab.locator(".key input").all()] == [False, False, True]
    assert not tab.locator(".curve path.line-beside").first.is_visible()
    tab.locator(".key input").nth(1).check()
    assert tab.locator(".curve path.line-beside").first.is_visible()


@pytest.mark.browser
def test_the_readout_tells_every_judge(judged, opened, tmp_path):
    write_audit_page(judged, tmp_path)
    tab = opened(tmp_path).goto("episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".curve path.line-now")
    tab.locator(".curve").press("End")
    assert tab.locator(".readout").inner_text().endswith("; ramp 100.0; last-frame 100.0")


@pytest.mark.browser
def test_an_episode_that_nobody_scored_shows_no_line(judged, opened, tmp_path):
    write_audit_page(judged, tmp_path)
    tab = opened(tmp_path).goto("episode.html#sleeper%2Fstack-cups%2F017")
    tab.wait_for_selector(".key li")
    assert tab.locator(".line-now, .line-beside").count() == 3  # the samples of the legend
    assert "progress by ramp, which only looks at the clock (no curve)" in (
        tab.locator(".key").inner_text()
    )


@pytest.mark.browser
def test_the_section_has_a_table_per_judge_that_sorts(judged, opened, tmp_path):
    write_audit_page(judged, tmp_path)
    tab = opened(tmp_path).goto("index.html")
    assert tab.locator("#beside .judge").count() == 2
    assert tab.locator("nav a[href='#beside']").inner_text() == "Other judges"
    tab.locator("#beside summary").first.click()
    table = tab.locator("#beside table.summary").first
    assert table.locator("tbody").count() == 3 * len(POLICIES)
    head = table.locator("thead th:has-text('Apart')")
    head.click()
    shown = [float(v) for v in table.locator("td[data-metric=difference] .v").all_inner_texts()]
    assert shown == sorted(shown)
