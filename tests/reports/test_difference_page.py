"""The page of policies compared: sentences a reviewer can check, odd names, and every method."""

from __future__ import annotations

import re

import pytest

from assay.jobs.compare import CompareSettings, compare
from assay.reports._difference_methods import METHODS, methods_of
from assay.reports._difference_words import (
    lead,
    p_words,
    plan_words,
    sentence,
    strongest_first,
)
from assay.reports._forest import forest
from assay.reports._methods import listed
from assay.reports.difference_page import write_difference_page
from assay.reports.difference_tables import to_markdown
from compared_made import A, B, policy_run, rewritten

MP = {
    "name": "mp",
    "column": "mp",
    "threshold": None,
    "share": False,
    "low": 0.0,
    "high": 1.0,
    "up_is_good": True,
}
CRA = {**MP, "name": "cra", "column": "cra", "up_is_good": False}
TIME = {**MP, "name": "duration_s", "column": "duration_s", "high": None, "up_is_good": None}
SHARE = {**MP, "name": "mc@75", "column": "mc", "threshold": 0.75, "share": True}


def row(metric="mp", value=0.123, *, separable: bool | None = True, **more):
    """Return one comparison of pi0 and act as a document has it."""
    found = {"value": value, "low": value - 0.08, "high": value + 0.08, "n": 50, "p": 0.004}
    found |= {"sizes": [50, 50], "units": [50, 50], "effect": None, "improvement": None}
    found |= {"method": "bootstrap-t", "test": "sign flips", "paired": True}
    verdict = {"separable": separable, "higher": "a" if value > 0 else "b", "power": 0.8}
    verdict |= {"more": 38, "more_low": 12, "more_high": None, "interval_agrees": True}
    return {
        "metric": metric,
        "a": "pi0",
        "b": "act",
        "task": None,
        "paired": True,
        "clustered": False,
        "difference": found,
        "why": None,
        "p_adjusted": 0.004,
        "verdict": verdict,
        "needed": {"n": 88, "low": 62, "high": None, "why": "no upper end"},
        "reach": None,
        "unscored": [{}, {}],
        **more,
    }


def said(metric, *rows):
    document = {"metrics": [metric], "comparisons": [*rows], "policies": [{}, {}]}
    return sentence(document, rows[0])


def test_sentences_a_reviewer_would_accept():
    behind = "50 paired scenes, p = 0.004"
    assert said(MP, row(), row()) == (
        f"pi0 gets further than act: MP 12.3 points higher [4.3, 20.3], {behind} after Holm."
    )
    # The better one stands first, and the numbers are seen from it.
    assert said(MP, row(value=-0.123)) == (
        f"act gets further than pi0: MP 12.3 points higher [4.3, 20.3], {behind}."
    )
    assert said(CRA, row("cra")) == (
        f"act does better than pi0: CRA 12.3 points lower [4.3, 20.3], {behind}."
    )
    assert said(CRA, row("cra", -0.123)) == (
        f"pi0 does better than act: CRA 12.3 points lower [4.3, 20.3], {behind}."
    )
    assert said(SHARE, row("mc@75")).startswith("pi0 reaches MC 75 more often than act: ")
    assert said(TIME, row("duration_s")) == (
        f"pi0 and act differ: duration 0.123 s higher [0.043, 0.203], {behind}."
    )


def test_what_is_not_separable_says_what_would_do():
    assert said(MP, row(separable=False, value=0.02)) == (
        "pi0 and act are not separable by MP at this n: +2.0 [-6.0, +10.0] points, 50 paired"
        " scenes, p = 0.004; 38 more paired rollouts would give 80 % power [quartiles 12, no upper"
        " end]."
    )
    one = row(separable=False, paired=False)
    one["verdict"] |= {"more": 1, "more_high": 4, "interval_agrees": False}
    assert plan_words(one) == "1 more episode of each would give 80 % power [quartiles 12, 4]"
    assert "p = 0.004 (the interval is not adjusted); 1 more" in said(MP, one)
    one["verdict"]["more"] = 0
    assert plan_words(one).endswith("this n has 80 % power already")
    one["verdict"]["more"] = None
    assert plan_words(one) == "how many more would do can't be told (no upper end)"
    assert p_words(0.0001) == "p < 0.001"
    assert said(MP, row(separable=None)).startswith("pi0 and act can't be tested by MP (no test):")
    lost = row(difference=None, verdict=None, why="nothing")
    assert said(MP, lost) == "pi0 and act can't be compared by MP: nothing."


def test_the_clearest_pair_stands_first():
    # Told apart before not, then the smaller p, then the larger difference; what has none is last.
    made = [
        ("a", "b", None, None),
        ("a", "c", False, (0.2, 0.05)),
        ("b", "c", True, (0.01, -0.1)),
        ("a", "d", True, (0.001, 0.02)),
        ("b", "d", True, (0.01, -0.3)),
        ("c", "d", False, (0.06, 0.01)),
    ]
    rows = []
    for a, b, separable, found in made:
        if found is None:
            rows.append(row(a=a, b=b, difference=None, verdict=None, why="nothing"))
        else:
            p, value = found
            rows.append(row(a=a, b=b, value=value, separable=separable, p_adjusted=p))
    tasks = [{**one, "task": task} for one in rows for task in ("lift", "stack")]
    other = {**rows[1], "metric": "cra"}
    document = {"metrics": [MP, CRA], "comparisons": [other, *tasks, *rows], "policies": [{}] * 4}
    found = strongest_first(document)
    order = ["ad", "bd", "bc", "cd", "ac", "ab"]
    assert [one["a"] + one["b"] for one in found[:6]] == order
    assert found[6] == other
    assert [one["a"] + one["b"] for one in found[7:]] == [pair for pair in order for _ in range(2)]
    assert [one["task"] for one in found[7:]] == ["lift", "stack"] * 6


def test_the_forest_stands_at_its_numbers():
    # Points -10..25 over 262..700 px: 0 is 10 / 35 of 438 px to the right, 12.3 is 22.3 / 35.
    drawn = forest(MP, [row(value=0.123), row(value=0.02, task="lift"), row(difference=None)])
    assert 'cx="541.07"' in drawn
    assert drawn.count('class="line c0"') == 1
    assert drawn.count('class="line c1"') == 1
    assert '<line x1="387.14" y1="8" x2="387.14"' in drawn
    assert "+12.3 [+4.3, +20.3], p = 0.004" in drawn


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """Return the comparison of three oddly named policies in two tasks, one of them perturbed."""
    root = tmp_path_factory.mktemp("page")
    runs = []
    for name, tops in {"a": (*A, *A), "b": (*B, *B), "c": (*B, *B[:5], None)}.items():
        later = {"scene": "x", "perturbation": "glare"}
        changes = {
            f"e{k}": {**later, "scene": f"scene-{k - 6}"}
            if k > 8
            else {"task": "stack" if k > 5 else "lift"}
            for k in range(12)
        }
        runs.append(f"<i>{name}={rewritten(policy_run(root, name, tops), changes)}")
    metrics = ("mp", "mp@50")
    found = compare(runs, CompareSettings(root / "out", metrics=metrics)).document
    return root / "out", found


def test_the_page_has_its_sections_and_no_markup_from_names(document):
    out, found = document
    page = (out / "index.html").read_text()
    sections = ["differences", "figures", "policies", "unscored", "drops", "power"]
    assert re.findall(r'<section id="(\w+)"', page) == [*sections, "passports", "making"]
    assert "<i>" not in page
    assert "&lt;i&gt;a" in page
    assert "What has no value is left out: it is not a zero." in page
    assert found["groups"]["mp"].keys() == {"<i>a", "<i>b", "<i>c"}
    assert "letters" in page
    assert "of the 3 pairs" not in lead(found)  # three pairs are told in full
    assert to_markdown(found).count("\n| MP | ") == 3 + 3 * 2


def test_the_same_document_gives_the_same_bytes(document, tmp_path):
    out, found = document
    write_difference_page(found, tmp_path)
    assert (tmp_path / "index.html").read_bytes() == (out / "index.html").read_bytes()


def test_every_method_has_its_line(document):
    out, found = document
    page = (out / "index.html").read_text()
    told = methods_of(found)
    assert {("many", "holm"), ("many", "letters"), ("test", "exact mcnemar")} <= {
        k for k, _ in told
    }
    for key, method in told:
        assert METHODS[key] == method
        assert method.what in page.replace("&gt;", ">").replace("&#x27;", "'")
        assert f"<code>assay.{method.function}</code>" in page
        assert method.coverage
        assert method.cites or "bound" in key[1]


def test_a_method_without_a_line_is_not_hidden():
    document = {"policies": [], "comparisons": [row()], "drops": []}
    document["comparisons"][0]["needed"]["method"] = "tea leaves"
    key, method = methods_of(document)[-1]
    assert (key, method.text) == (("needed", "tea leaves"), "no line is written of it.")
    assert "<code>" not in listed([(key, method)])
