"""The page of a watched run: what to do, the course of each interval, and no markup from names."""

from __future__ import annotations

import re

import pytest

from assay.jobs.watch import WatchSettings, watch
from assay.reports._watch_chart import course
from assay.reports._watch_words import change, lead, left_out, line
from assay.reports.watch_page import write_watch_page
from assay.reports.watch_tables import to_csv, to_markdown
from compared_made import policy_run

MP = {
    "name": "mp",
    "column": "mp",
    "threshold": None,
    "share": False,
    "low": 0.0,
    "high": 1.0,
    "up_is_good": True,
}


def stream(**more):
    """Return pi0 against act after 23 pairs, undecided unless told otherwise."""
    found = {"metric": "mp", "a": "pi0", "b": "act", "tasks": ["lift"], "level": 0.95}
    found |= {"interval_level": 0.975, "signs": True, "by": None}
    found |= {"mean_verdict": None, "mean_decided_at": None}
    found |= {"rounds": 23, "pairs": 23, "value": 0.041, "low": -0.03, "high": 0.112}
    found |= {"e_value": 3.0, "p_value": 0.3, "p_adjusted": 0.6, "verdict": None, "better": None}
    found |= {"decided_at": None, "more": 38, "more_low": 12, "more_high": 90, "chance": 0.97}
    found |= {"why": None, "waiting": 0, "unscored": {}, "repeats": 0}
    found["course"] = [[5, 0.1, -0.4, 0.6], [14, 0.05, -0.1, 0.2], [23, 0.041, -0.03, 0.112]]
    return {**found, **more}


def document(*streams, **more):
    found = {"metrics": [MP], "policies": ["pi0", "act"], "streams": [*streams], "level": 0.95}
    found |= {"settings": {"margin": 5.0}, "finished": False, "done": False, "warnings": []}
    found |= {"judge": {"name": "prm-mini", "differ": ""}, "notes": ["In order."], "runs": []}
    return {**found, **more}


def said(row, **more):
    return line(document(row, **more), row)


def test_one_line_says_what_to_do():
    begin = "mp: pi0 - act +4.1 [-3.0, +11.2] points after 23 pairs: "
    assert said(stream()) == f"{begin}continue, about 38 more [12, 90]"
    assert said(stream(more_high=None)) == f"{begin}continue, about 38 more [12, no end]"
    assert said(stream(), finished=True) == f"{begin}not decided; about 38 more [12, 90]"
    rare = stream(more=None, why="20 % of the futures do")
    assert said(rare) == f"{begin}continue (20 % of the futures do)"
    won = stream(verdict="above", better="pi0", decided_at=21, by="mean")
    assert said(won) == f"{begin}stop, pi0 has the higher mean (decided after 21)"
    alike = stream(verdict="alike", decided_at=1)
    assert said(alike) == f"{begin}stop, they differ by less than 5 points (decided after 1)"
    alone = stream(b=None, value=0.541, low=0.4, high=0.662, pairs=1)
    assert said(alone) == "mp: pi0 54.1 [40.0, 66.2] points after 1 episode: nothing to compare yet"
    few = stream(pairs=3, low=None, high=None, more=None, why="fewer than 5 values")
    assert said(few) == "mp: pi0 - act +4.1 † points after 3 pairs: continue (fewer than 5 values)"
    none = stream(pairs=0, value=None, more=None, why=None)
    assert said(none) == "mp: pi0 - act n/a after 0 pairs: continue (no pair yet)"
    assert change(document(none), none) == "n/a"


def test_a_verdict_by_signs_says_what_it_means():
    ahead = stream(verdict="above", better="pi0", decided_at=9, by="signs")
    begin = "mp: pi0 - act +4.1 [-3.0, +11.2] points after 23 pairs: stop, pi0 tends to be ahead"
    assert said(ahead) == f"{begin} scene by scene (decided by signs after 9)"
    rounds = {**ahead, "tasks": ["lift", "stack"]}
    assert said(rounds) == f"{begin} round by round (decided by signs after 9)"
    both = {**ahead, "mean_verdict": "above", "mean_decided_at": 20}
    assert said(both).endswith("(decided by signs after 9); and has the higher mean, since pair 20")
    # Mostly a little ahead and rarely far behind: the mean may say the opposite, and that is told.
    against = {**both, "mean_verdict": "below"}
    assert said(against).endswith("after 9); but act has the higher mean, since pair 20")
    leaning = {**ahead, "value": -0.01}
    assert said(leaning).endswith("after 9); but the mean so far leans the other way")
    assert lead(document(ahead)).endswith(
        "pi0 tends to be ahead of act in MP, scene by scene, since pair 9; by how much its mean is"
        " higher is open."
    )
    assert lead(document(against)).endswith(
        "since pair 9; but act has the higher mean, since pair 20."
    )
    assert "decided by signs: 9" in course(document(ahead), ahead)
    regret = document({**ahead, "by": "mean"}, metrics=[{**MP, "up_is_good": False}])
    assert "pi0 has the lower mean of MP than act, since pair 9." in lead(regret)


def test_the_first_sentence_tells_how_far_it_is():
    won = stream(verdict="below", better="act", decided_at=21, by="mean")
    told = "act has the higher mean of MP than pi0, since pair 21."
    assert lead(document(won)) == f"Stop: every comparison has its verdict. {told}"
    assert lead(document(won, stream())) == (
        "Continue: 1 of 2 comparisons not decided. The next verdict may take about 38 more pairs."
        f" {told}"
    )
    alike = stream(verdict="alike", decided_at=9)
    assert lead(document(alike)).endswith("pi0 and act differ by less than 5 points in MP.")
    lost = document(stream(more=None), finished=True)
    assert lead(lost) == "The run is finished: 1 of 1 comparison not decided."
    assert lead(document(stream(b=None))) == "There is one policy, pi0: nothing to compare yet."


def test_what_is_not_in_the_figures_is_told():
    row = stream(unscored={"refused": 2, "transport": 1}, waiting=4, repeats=1)
    assert left_out(row) == [
        "3 pairs without a value, left out and not 0 (2 refused, 1 transport)",
        "4 pairs waiting for one of every other task",
        "1 repetition of a scene, not counted",
    ]
    text = to_markdown(document(row))
    assert "- mp, pi0 and act: 4 pairs waiting for one of every other task." in text
    assert "| MP | pi0 less act | +4.1 [-3.0, +11.2] | 23 pairs | 0.6 | continue," in text
    head, first = to_csv(document(row)).splitlines()
    assert dict(zip(head.split(","), first.split(","), strict=True))["more"] == "38"


def test_the_course_stands_at_its_numbers():
    # Ticks -40..60 points over 260 - 12 - 38 = 210 px: 0 is 40 / 100 of them above the foot.
    drawn = course(document(stream()), stream(decided_at=14, verdict="above", better="pi0"))
    assert re.search(r'<line x1="52" y1="138" x2="426" y2="138" class="axis">', drawn)
    # Pairs 0..23 over 440 - 52 - 14 = 374 px: 14 is at 52 + 374 * 14 / 23.
    assert 'x1="279.65"' in drawn
    assert "decided: 14" in drawn
    corners = re.search(r'<polygon points="([^"]+)" class="fill c0"', drawn)[1].split()
    assert len(corners) == 6
    assert "no pair yet" in course(document(stream()), stream(course=[], pairs=0))


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """Return the watch of three oddly named policies, one with a gap."""
    root = tmp_path_factory.mktemp("page")
    tops = {"a": [1.0] * 9, "b": [0.2] * 9, "c": [0.1] * 8 + [None]}
    runs = [f"<i>{name}={policy_run(root, name, own)}" for name, own in tops.items()]
    settings = WatchSettings(root / "out", metrics=("mp",), margin=5, once=True)
    return watch(runs, settings)


def test_the_page_has_its_sections_and_no_markup_from_names(watched):
    page = (watched.out / "index.html").read_text()
    assert re.findall(r'<section id="(\w+)"', page) == [
        *("now", "courses", "left", "passports", "making")
    ]
    assert "<i>" not in page
    assert "&lt;i&gt;a" in page
    assert page.count('class="panel"') == 3
    methods = re.findall(r"<dt>([^<]+: [^<]+)</dt>", page)
    assert methods == [
        "interval and verdict: betting",
        "verdict: signs",
        "several comparisons: Bonferroni",
        "how many more: futures",
    ]
    assert "<code>assay.metrics.deciding.decide</code>" in page
    assert "95 % together, up to 99.17 % each" in page
    assert (watched.out / "assets" / "report.css").stat().st_size > 0
    assert not list(watched.out.rglob("*.partial"))


def test_a_page_of_a_running_watch_follows_it(watched, tmp_path):
    write_watch_page(watched.document, tmp_path)
    assert (tmp_path / "index.html").read_bytes() == (watched.out / "index.html").read_bytes()
    write_watch_page(watched.document, tmp_path, is_followed=True)
    page = (tmp_path / "index.html").read_text()
    assert '<meta http-equiv="refresh" content="10"><title>' in page


@pytest.mark.browser
def test_the_page_opens_from_disk(opened, watched):
    window = opened(watched.out)
    page = window.goto("index.html")
    assert page.title() == "<i>a, <i>b and <i>c watched"
    assert page.locator("#courses svg.chart").count() == 3
    box = page.locator("#courses svg.chart .fill").first.bounding_box()
    assert box["width"] > 50
    assert box["height"] > 10
    assert {url.partition(":")[0] for url in window.asked} <= {"file", "data"}
