"""Few labels, raters, and simulation against reality on their pages, in words and in a browser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.jobs.compare import CompareSettings, compare
from assay.reports import _human_methods, _real_words
from assay.reports._assisted_chart import assisted_chart
from assay.reports._assisted_words import assisted_lead, assisted_notes, remark
from assay.reports._rater_words import rater_figures, rater_words
from assay.reports._real_scatter import real_scatters
from assay.reports.real_tables import remarks
from human_made import audited, scores
from real_made import REAL, SIM, side_run

ENDS = {f"<b>{k:02d}": round(0.05 * k, 2) for k in range(20)}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Return the folder and the document of judges against people who labelled half."""
    root = tmp_path_factory.mktemp("people")
    run = audited(root, "audit", ends=ENDS, beside=("ramp",))
    rows = [
        (name, round(100 * (0.1 + 0.5 * end + shift), 2), who, 80 * end)
        for name, end in list(ENDS.items())[::2]
        for who, shift in (("<i>ann", 0.0), ("bob", 0.03 if end > 0.4 else 0.0))
    ]
    path = scores(root / "scores.csv", rows, "episode,score,rater,mp")
    return root / "out", compare([run], CompareSettings(root / "out", path)).document


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Return the folder and the document of simulation against reality, in two tasks."""
    root = tmp_path_factory.mktemp("real")
    tasks = ("lift", "<i>pour")
    means = ({f"<b>{k}": v for k, v in side.items()} for side in (SIM, REAL))
    runs = [side_run(root, n, m, tasks=tasks) for n, m in zip(("s", "r"), means, strict=True)]
    found = compare([runs[0]], CompareSettings(root / "out", real=(runs[1],), metrics=("mp",)))
    return root / "out", found.document


def figure(value, low=None, high=None, n=20, **more):
    return {"value": value, "low": low, "high": high, "n": n, "method": "", **more}


def row(**more):
    """Return a row of few labels as a document has it."""
    found = {
        "metric": "progress",
        "source": "score",
        "judge": "prm",
        "setting": "",
        "also": [],
        "null": False,
        "policy": None,
        "labels": 20,
        "others": 80,
        "unjudged": 0,
        "unscored": 0,
        "short": 0,
        "by": "its score of the episode",
        "strata": None,
        "mean": figure(0.42, 0.38, 0.46),
        "alone": figure(0.41, 0.33, 0.5),
        "judge_alone": figure(0.55, 0.5, 0.6, 100),
        "effective_labels": figure(45.2, 31.0, 80.0),
        "width_ratio": 0.47,
        "is_informative": True,
        "unseen": 0.139,
        "warnings": [],
        "note": "The gain is measured.",
        "why": None,
    }
    return {**found, **more}


def test_what_help_is_worth_in_words():
    poor = row(
        judge="clock",
        null=True,
        is_informative=False,
        warnings=["The judge carries no information that these labels can show: flat."],
        effective_labels=figure(None, why="flat"),
    )
    assert assisted_lead({"assisted": [row(), poor]}) == (
        "With prm's scores of 80 other episodes, 20 labels are worth 45.2 [31, 80]: mean progress"
        " 42.0 [38.0, 46.0] against 41.0 [33.0, 50.0] of the labels alone; prm alone says 55.0"
        " [50.0, 60.0], its bias included; no null judge shows a gain."
    )
    assert assisted_lead({"assisted": [{**poor, "null": False}]}).startswith(
        "clock adds nothing to 20 labels: the judge carries no information that these labels can"
    )
    # A null judge that helps by chance, or by time, is not passed over.
    lucky = row(judge="clock", null=True, effective_labels=figure(27.0, 21.0, 40.0))
    assert assisted_lead({"assisted": [row(), lucky]}).endswith(
        "; the null judge clock would make them worth 27 [21, 40]."
    )
    assert remark(lucky) == "needs no understanding: what a judge gains counts beyond this"
    assert assisted_lead({"assisted": [row(why="nobody")]}) == "A judge can't help here: nobody."
    assert assisted_lead({}) == ""


def test_what_a_row_leaves_out_is_said():
    found = row(strata={"by": "task", "count": 3}, unjudged=2, unscored=4)
    assert remark(found) == "by task, 3 parts; 2 labelled but not scored; 4 neither"
    notes = assisted_notes({"assisted": [row(short=1, warnings=["Turned round."])]})
    assert "up to 13.9 % of the episodes may be of a kind" in notes[2]
    assert notes[-2:] == [
        "1 episode with one scored moment: no curve, and no metric of one.",
        "prm, progress: Turned round.",
    ]
    assert assisted_notes({"assisted": [row(why="nobody")]}) == []


def test_the_chart_stands_at_its_numbers():
    # 33 .. 60 points are shown from 30 to 60 over 290..720 px: 42 is .4 of 430 px to the right.
    drawn = assisted_chart("progress", [row()])
    assert 'cx="462.0"' in drawn or 'cx="462"' in drawn
    assert drawn.count('class="line ') == 3
    assert drawn.count('stroke-dasharray="6 4"') == 1
    assert "prm alone, biased" in drawn
    bare = row(mean=figure(0.4), judge_alone=figure(None, why="none"))
    hollow = assisted_chart("progress", [bare])
    assert hollow.count("hollow") == 1
    assert hollow.count('class="line ') == 1


def test_every_figure_of_raters_says_what_it_means():
    kappa = {"kind": "fleiss", "categories": 3, "raters": 4, "left_out": 2, "things": 9}
    agreement = {
        "icc": figure(0.5, 0.2, 0.7),
        "alpha": {"scale": "ordinal", "things": 11, **figure(0.8, 0.6, 0.9)},
        "kappa": {**kappa, **figure(0.4, 0.1, 0.6)},
        "one_out": {"mean": figure(0.7, 0.5, 0.8), "raters": [{"name": "ann", **figure(0.7)}]},
        "pairwise": 0.66,
        "pairs": 3,
        "reliability": 0.8,
        "ceiling": 0.894,
        "per_thing": 4.0,
    }
    figures = rater_figures(agreement)
    assert len({one.meaning for one in figures}) == len(figures) == 6
    said = " ".join(rater_words(agreement))
    assert "Krippendorff's alpha, ordinal: 0.8 [0.6, 0.9] (n = 20), 1 when all agree" in said
    assert "3 categories by 4 raters each, without an order; 2 with another number" in said
    assert "(ann 0.7 †)" in said
    # Documents of older versions have fewer figures.
    old = {k: v for k, v in agreement.items() if k not in ("alpha", "kappa", "one_out")}
    assert len(rater_words(old)) == 3
    none = {**old, "icc": figure(None, why="no spread")}
    assert rater_words(none) == ["How far raters agree can't be told: no spread."]


def test_the_page_of_people_has_its_sections(people):
    out, document = people
    page = (out / "index.html").read_text()
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections == ["scatter", "figures", "labels", "raters", "passports", "making"]
    assert "<i>" not in page
    assert "Judge alone, biased" in page
    assert [r["metric"] for r in document["assisted"]] == ["progress", "progress", "mp", "mp"]


def test_every_method_has_its_line(people, real):
    for (out, document), module in ((people, _human_methods), (real, _real_words)):
        page = (out / "index.html").read_text().replace("&#x27;", "'")
        told = module.methods_of(document)
        assert told
        for key, method in told:
            assert module.METHODS[key] == method
            assert method.what in page
            assert f"<code>assay.{method.function}</code>" in page
            assert method.coverage
            assert method.cites or "bound" in key[1]


def test_the_page_of_reality_has_its_sections(real):
    out, document = real
    page = (out / "index.html").read_text()
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections == ["scatter", "figures", "policies", "passports", "making"]
    assert "<i>" not in page
    assert "<b>a" not in page
    assert len(document["comparisons"]) == 3  # both tasks, and each
    assert "MP, " not in _real_words.lead(document)
    assert "rank correlation 0.5 [" in _real_words.lead(document)
    # Means lie further apart than any five or ten of their episodes can move them.
    assert "Where an interval has next to no width, drawing episodes again hardly ever" in page


def test_policies_that_lie_close_are_warned_of(real):
    _, document = real
    rows = [{**row, "resolved": 1 if row["task"] else 2} for row in document["comparisons"]]
    said = remarks({**document, "comparisons": rows})
    # One of three pairs is less than half, two are more.
    assert [line for line in said if "too short" in line] == [
        f"MP in {task}: only 1 of 3 pairs told apart on both sides, so that the intervals here are"
        " too short: run more episodes."
        for task in ("<i>pour", "lift")
    ]


def test_marks_stand_at_their_means():
    # The plotting area is 40..306 by 12..262 px: x = 40 + 266 / 2, y = 262 - 250 * .2.
    policy = {"name": "a", "sim": figure(0.5, 0.4, 0.6), "real": figure(0.2)}
    one = {"task": None, "policies": [policy], "why": None}
    one |= {"pearson": figure(None), "mmrv": figure(0.0)}
    drawn = real_scatters(["a"], [one])
    assert re.search(r'cx="173(\.0)?" cy="212(\.0)?"', drawn)
    assert drawn.count('class="bar c0"') == 1  # reality has no interval here
    assert "hollow" in drawn
    assert "nothing to compare" in real_scatters(["a"], [{**one, "policies": []}])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([True, False, None]))
def test_ranks_share_ties_and_add_up(means, up):
    policies = [{"name": str(k), "sim": {"value": v}} for k, v in enumerate(means)]
    found = _real_words.ranks({"up_is_good": up}, {"policies": policies}, "sim")
    n = len(means)
    assert sum(found.values()) == pytest.approx(n * (n + 1) / 2, abs=1.0)
    best = max(means) if up is not False else min(means)
    first = [str(k) for k, v in enumerate(means) if v == best]
    assert min(found.values()) == min(found[name] for name in first)


def test_ranks_by_hand():
    policies = [
        {"name": n, "sim": {"value": v}} for n, v in zip("abc", (0.5, 0.2, 0.5), strict=True)
    ]
    row_of = {"policies": policies}
    assert _real_words.ranks({"up_is_good": True}, row_of, "sim") == {"a": 1.5, "b": 3.0, "c": 1.5}
    assert _real_words.ranks({"up_is_good": False}, row_of, "sim") == {"a": 2.5, "b": 1, "c": 2.5}


@pytest.mark.browser
def test_both_pages_in_a_browser(opened, people, real):
    page = opened(people[0]).goto("index.html")
    assert page.locator("#labels svg").count() == 2  # progress and MP
    assert page.locator("#labels tbody tr").count() == 4
    shown = page.locator("#labels svg text", has_text="recorded alone, biased").first
    assert shown.is_visible()
    assert shown.bounding_box()["width"] > 50
    assert page.locator("#raters tbody tr").count() >= 4
    page = opened(real[0]).goto("index.html")
    assert page.locator("#scatter .panel").count() == 3
    assert page.locator("#scatter .panel svg g .mark").count() == 9
    assert page.locator("#policies tbody tr").count() == 9
