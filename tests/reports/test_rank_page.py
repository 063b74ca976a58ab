"""The page of a ranking: every policy, its interval, odd names, and no fault in a browser."""

from __future__ import annotations

import json
import re

import pytest

from assay.jobs.rank import RankSettings, rank
from assay.reports._rank_figures import _ticks, dots, matrix, span_of
from assay.reports._rank_methods import methods_of
from assay.reports._rank_words import chance, lead, strength
from votes_made import counted, write

GAMES = {
    ("<b>1 & 2", "y"): (30, 10, 5),
    ("y", "z"): (12, 8, 0),
    ("z", "<b>1 & 2"): (4, 9, 1),
    ("king", "y"): (6, 0, 0),
    ("q", "r"): (3, 2, 0),
}


def row(beta=None, low=None, high=None, **more):
    plain = {"name": "x", "rank": 1, "tier": 1, "wins": 3, "losses": 1, "ties": 0}
    return {**plain, "beta": beta, "low": low, "high": high, **more}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("rank")
    rows = [(*votes, f"t{k % 2}") for k, votes in enumerate(counted(GAMES))]
    path = write(root / "votes.csv", rows, "a,b,outcome,task")
    rank(path, RankSettings(root / "out", by="task", against=path))
    return root / "out"


def test_numbers_are_worded():
    # A strength of log 3 wins 3 of 4 votes against an average policy.
    assert strength(row(0.549, 0.19, 0.91)) == "+0.55 [+0.19, +0.91]"
    assert strength(row(-0.001)) == "+0.00 †"
    assert strength(row()) == chance(row()) == "n/a"
    assert chance(row(1.0986, 0.0, 2.1972)) == "75.0 [50.0, 90.0]"


def test_the_page_names_every_policy_and_escapes_it(folder):
    page = (folder / "index.html").read_text()
    assert "<b>1" not in page
    assert page.count("&lt;b&gt;1 &amp; 2") > 3
    assert "king won all 6 decisive votes against others" in page
    assert "These policies share no scale with the ones above" in page
    assert "script" not in re.sub(r"<meta[^>]*>", "", page)


def test_every_method_has_its_line(folder):
    page = (folder / "index.html").read_text().replace("&#x27;", "'")
    ranked = json.loads((folder / "rank.json").read_text())
    told = dict(methods_of(ranked))
    assert [kind for kind, _ in told] == [
        *("strength", "pairs", "ranks left open", "first", "another ranking", "next pair"),
    ]
    for method in told.values():
        assert method.text in page
        assert f"<code>assay.{method.function}</code>" in page
        assert method.cites
    asked = {**ranked["settings"], "ties": "davidson", "cluster": "rater"}
    less = {**ranked, "settings": asked, "pairs": [], "next": [], "against": None}
    kinds = dict(methods_of(less))
    assert ("strength", "davidson") in kinds
    assert ("strength", "clustered") in kinds
    firm = {**asked, "regularise": 1.0, "cluster": None}
    assert next(iter(methods_of({**ranked, "settings": firm})))[0] == ("strength", "regularised")
    assert methods_of({**ranked, "interval": "", "pairs": [], "next": [], "policies": []}) == [
        pair for pair in told.items() if pair[0][0] == "another ranking"
    ]


def test_the_first_sentence_says_how_sure():
    two = [row(0.5, 0.1, 0.9), row(-0.5, -0.9, 0.2, name="y", rank=2)]
    ranked = {"votes": 9, "decisive": 8, "policies": two}
    assert lead(ranked).endswith("“y” can't be told from it: the intervals overlap.")
    apart = {**ranked, "policies": [two[0], {**two[1], "tier": 2}]}
    assert lead(apart).endswith("clear of all others.")
    few = {**ranked, "policies": [two[0], {**two[1], "tier": None}]}
    assert lead(few).endswith("clear of all others with an interval.")
    some = {**ranked, "policies": [two[0], row(name="z", rank=None, tier=None, why="because")]}
    assert "Of the 1 that share a scale, “x” is first" in lead(some)
    none = {**ranked, "policies": [row(rank=None, tier=None, why="it won all")]}
    assert lead(none).endswith("They give no policy a strength: it won all.")


def test_an_interval_is_drawn_where_it_is():
    # Ticks -1 .. 1 on 200 .. 764 px: .5 lies at 200 + .75 * 564 = 623.
    rows = [row(0.0, -1.0, 1.0), row(0.5, name="y", rank=2, tier=None, why="few")]
    drawn = dots(rows, span_of([rows]), "strengths")
    assert 'x1="200" y1="22" x2="764" y2="22" class="line c0"' in drawn
    assert 'cx="623"' in drawn
    assert "hollow" in drawn


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-0.3, 0.1), (-14, 3), (0, 1e-9), (-2, 9.7)])
def test_ticks_are_round_and_hold_the_range(low, high):
    ticks = _ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 9
    assert any(abs(tick) < 1e-12 for tick in ticks)


def test_a_matrix_of_too_many_is_not_drawn():
    assert matrix({"names": [str(k) for k in range(25)], "wins": []}) is None


@pytest.mark.browser
def test_a_browser_shows_it(opened, folder):
    page = opened(folder).goto("index.html")
    assert page.locator("#strengths svg circle").count() == 3
    assert page.locator("#by .panel").count() == 2
    assert page.locator("#wins svg rect").count() == 10
