"""The page of a comparison: points that lead to their episodes, lines, and odd names."""

from __future__ import annotations

import re

import pytest

from assay.jobs.compare import CompareSettings, compare
from assay.reports._compare_scatter import MOST_DOTS, Dot, scatters
from human_made import ENDS, audited, scores

NAMES = {"<b>1 & 2": 0.1, "a#1": 0.5, "ü/3": 0.9}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a comparison of oddly named episodes."""
    root = tmp_path_factory.mktemp("page")
    run = audited(root, "audit", ends={**ENDS, **NAMES}, beside=("ramp",))
    ends = {**ENDS, **NAMES}.items()
    rows = [(name, 90 * end + (7 if k % 2 else 0)) for k, (name, end) in enumerate(ends)]
    path = scores(root / "scores.csv", rows)
    compare([run], CompareSettings(root / "compared", path))
    return root / "compared"


def test_every_point_leads_to_its_episode(folder):
    page = (folder / "index.html").read_text()
    addresses = re.findall(r'<a href="(\.\./audit/episode\.html#[^"]+)"', page)
    assert len(addresses) == 2 * 9  # the judge and the clock
    assert "../audit/episode.html#%3Cb%3E1%20%26%202" in addresses
    assert "<b>1" not in page
    assert "&lt;b&gt;1 &amp; 2: judge 10.0, people 9.0 (1 rater)" in page


def row(slope, intercept, n=3):
    figure = {"value": 0.5, "low": None, "high": None, "n": n}
    return {
        "judge": "j",
        "setting": "",
        "also": [],
        "status": {"ok": n, "refused": 2},
        "pearson": figure,
        "slope": {"value": slope},
        "intercept": {"value": intercept},
    }


def dots(humans):
    return [Dot("e", None, "t", "p", human, 1, 0.5, "../run") for human in humans]


def test_the_line_ends_where_the_scale_does():
    # judge = 2 people - .5 reaches 0 at .25 and 1 at .75; people's scores go from 0 to 1.
    # The plotting area is 40..306 by 12..262 px: x = 40 + 266 * (.25, .75).
    drawn = scatters([(row(2.0, -0.5), dots([0.0, 0.4, 1.0]))])
    assert 'points="106.5,262.0 239.5,12.0" class="line c6"' in drawn
    assert "not scored: 2 refused" in drawn


def test_a_line_outside_and_a_flat_one():
    assert "line c6" not in scatters([(row(1.0, 5.0), dots([0.0, 1.0]))])
    assert 'points="40.0,137.0 306.0,137.0" class="line c6"' in scatters(
        [(row(0.0, 0.5), dots([0.0, 1.0]))]
    )
    assert "nothing to compare" in scatters([(row(None, None, 0), [])])


def test_too_many_points_are_thinned():
    drawn = scatters([(row(1.0, 0.0), dots([0.5] * (2 * MOST_DOTS + 1)))])
    assert drawn.count("<a ") == -(-(2 * MOST_DOTS + 1) // 3)
    assert "one point of 3 is drawn" in drawn


@pytest.mark.browser
def test_a_click_on_a_point_opens_its_episode(opened, folder):
    window = opened(folder)
    page = window.goto("index.html")
    assert page.locator("#scatter .panel").count() == 2
    page.locator('#scatter a[href$="#a%231"]').first.click()
    page.wait_for_selector(".line-now")
    assert page.locator("#name").inner_text() == "a#1"
