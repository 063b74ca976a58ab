from __future__ import annotations

import dataclasses
import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.judges.recorded import Recorded
from assay.records import Curve
from assay.reports import words
from assay.reports._layout import columns, success_columns
from assay.reports._quality import Scatter
from assay.reports._svg import nice_axis
from assay.reports.audit_page import AuditPage, Clip, write_audit_page
from reports.cells import E, audit, cell, reaches, row, success
from reports.hostile import HOSTILE, hostile_page
from reports.sample import sample_page


class Reader(HTMLParser):
    """Collects tags, and the text of every span of class "number" by its cell's metric."""

    def __init__(self):
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.numbers: list[tuple[str, str]] = []
        self._metric = ""
        self._depth = 0

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        if "data-metric" in found:
            self._metric = found["data-metric"]
        if tag == "span" and self._depth:
            self._depth += 1
        elif found.get("class") == "number":
            self._depth = 1
            self.numbers.append((self._metric, ""))

    def handle_endtag(self, tag):
        if tag == "span" and self._depth:
            self._depth -= 1

    def handle_data(self, data):
        if self._depth:
            metric, text = self.numbers[-1]
            self.numbers[-1] = metric, text + data


def read(path):
    reader = Reader()
    reader.feed(path.read_text("utf-8"))
    return reader


def texts(folder):
    return {
        p.relative_to(folder).as_posix(): p.read_text("utf-8")
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def test_the_folder_has_the_pages_and_their_assets(report):
    assert set(texts(report)) == {
        "index.html",
        "episode.html",
        "assets/report.css",
        "assets/common.js",
        "assets/report.js",
        "assets/chart.js",
        "assets/player.js",
        "assets/calls.js",
        "assets/recording.js",
        "assets/episode.js",
        "assets/episodes.js",
        "assets/data-000.js",
        "assets/data-001.js",
    }


def test_index_has_its_sections_and_figures(report):
    reader = read(report / "index.html")
    assert {"findings", "summary", "reach", "quality", "failures", "episodes"} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))
    assert reader.tags.count("figure") == 4
    assert reader.tags.count("figcaption") == 4


def test_every_chart_has_a_title_and_a_label(report):
    page = (report / "index.html").read_text("utf-8")
    charts = re.findall(r'<svg [^>]*class="chart[^>]*>(<title>[^<]+</title>)?', page)
    assert len(charts) == 3 + 3 + 3 + 2  # the task without labels has no failures
    assert all(charts)
    assert page.count('role="img" aria-label="') == len(charts)


def test_every_number_in_the_tables_is_worded_by_the_one_function(report, page):
    cells = page.audit["cells"]
    won = [found for found in cells if "n" in found["conditioned"]]
    expected = [
        (column.key, words.number(column.pick(found)))
        for rows, metrics in ((cells, columns(page.audit)), (won, success_columns()))
        for found in rows
        for column in metrics
    ]
    assert len(won) > 5
    assert read(report / "index.html").numbers == expected


def test_the_heading_says_that_epsilon_was_assumed(report):
    page = (report / "index.html").read_text("utf-8")
    assert '0.01, <em class="assumed">assumed</em>' in page
    assert "STR ε 0.003" in page
    assert "STR ε 0.03" in page


def test_what_changes_numbers_stands_in_the_heading_only_when_on(tmp_path, report):
    changed = sample_page(2, fill="previous", limit=3, judge=Recorded(clip=True))
    write_audit_page(dataclasses.replace(changed, clips={}), tmp_path)
    index = (tmp_path / "index.html").read_text("utf-8")
    assert "fill: previous, limit: 3" in index
    assert "clip on" in index
    whole = (report / "index.html").read_text("utf-8")
    assert "Changed on request" not in whole
    assert "clip" not in whole.split("<main")[0]


def test_successes_come_with_mean_interval_and_deviation(report, page):
    index = html.unescape((report / "index.html").read_text("utf-8"))
    found = next(c for c in page.audit["cells"] if c["conditioned"].get("n", 0) > 5)
    for key in ("ppl", "cra", "str"):
        told = words.details(key.upper(), found["conditioned"][key])
        assert re.search(r"\[[\d.]+, [\d.]+\], n = \d+, .*sd \d", told)
        assert f'title="{told}"' in index  # in the table
    scatter = index.split('id="quality"')[1].split("<table")[0]
    assert f"{found['policy']}: {words.details('PPL', found['conditioned']['ppl'])}" in scatter
    assert f"<small>{words.spread(found['conditioned']['ppl'])}</small>" in index


# All reach .5 and half of them 1: the line stays up to .5, falls there, and stays down to the end.
# The plotting area is 40..306 by 202..12 pixels, so .5 lies at 173 across and at 107 up.
def test_the_line_of_reachability_falls_in_steps(tmp_path):
    found = cell(
        "pour", "act", reach=[[0.0, 1.0], [0.5, 1.0], [1.0, 0.5]], mc=reaches(1, 1, 1, 0.5)
    )
    write_audit_page(AuditPage(audit(found), [], {}, {}, {}, {}, "t"), tmp_path)
    line = re.search(r'<polyline points="([^"]+)"', (tmp_path / "index.html").read_text("utf-8"))[1]
    at = list(dict.fromkeys(line.split()))
    assert at == ["40.0,12.0", "173.0,12.0", "173.0,107.0", "306.0,107.0"]


# Successes with CRA .0004 and PPL .97: on axes of 0..5 and 0..100 all points would lie in a corner.
def test_the_axes_of_the_scatter_fit_what_they_show():
    won = {"on": "end", "n": 20, "ppl": E(0.97, 0.96, 0.98), "cra": E(0.0004, 0.0003, 0.0005)}
    document = audit(cell("pour", "act", conditioned=won | {"str": E(0.2, 0.1, 0.3)}))
    scatter = Scatter.of(document, "cra")
    assert (scatter.x_ticks[0], scatter.x_ticks[-1]) == (0.9, 1.0)
    assert scatter.y_ticks == pytest.approx([0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001])
    assert Scatter.of(document, "str").y_ticks == pytest.approx([0, 0.1, 0.2, 0.3])


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.001, 0.1]))
def test_an_axis_holds_its_values_in_two_to_eleven_round_ticks(a, b, least):
    low, high = sorted((a, b))
    ticks = nice_axis(low, high, least)
    assert 0 <= ticks[0] <= low + 1e-9
    assert high - 1e-9 <= ticks[-1] <= 1
    assert ticks[-1] - ticks[0] >= least - 1e-9
    assert 2 <= len(ticks) <= 11
    assert ticks == sorted(set(ticks))


def test_hostile_words_stay_words(tmp_path):
    write_audit_page(hostile_page(), tmp_path)
    for name, text in texts(tmp_path).items():
        assert "<img" not in text, name
        assert "\u2028" not in text or name.endswith(".html"), name
    assert html.escape(HOSTILE) in (tmp_path / "index.html").read_text("utf-8")


def test_no_file_names_a_remote_place(report):
    for name, text in texts(report).items():
        found = set(re.findall(r"(?:https?:|wss?:|ftp:)?//[\w.-]+\.\w+[^\s\"']*", text))
        assert found <= {"http://www.w3.org/2000/svg"}, name
        assert "@import" not in text, name


def test_the_policy_of_both_pages_allows_this_folder_alone(report):
    for name in ("index.html", "episode.html"):
        text = html.unescape((report / name).read_text("utf-8"))
        assert "default-src 'none'; script-src 'self' file:; style-src 'self' file:;" in text
        assert "<script>" not in text
        assert " style=" not in text


@pytest.mark.parametrize(
    "src", ["https://example.org/a.mp4", "//example.org/a.mp4", "data:video/mp4,x"]
)
def test_a_remote_video_is_refused(tmp_path, src):
    page = dataclasses.replace(sample_page(1), clips={"e": [Clip("front", src, 0, None)]})
    with pytest.raises(UsageError, match=r"of episode 'e' is not on this machine"):
        write_audit_page(page, tmp_path)


def test_the_same_page_gives_the_same_bytes(tmp_path, report):
    write_audit_page(sample_page(), tmp_path)
    assert texts(tmp_path) == texts(report)


def test_the_list_holds_the_numbers_as_they_are_worded(report, page):
    script = (report / "assets/episodes.js").read_text("utf-8")
    data = json.loads(script.removeprefix("window.assayEpisodes(").removesuffix(");\n"))
    shown = ["n/a" if tenths is None else f"{tenths / 10:.1f}" for tenths in data["ppl"]]
    assert shown == [words.points(row["ppl"]) for row in page.rows]
    assert data["ids"] == [row["episode"] for row in page.rows]


def test_an_audit_of_nothing_still_gives_a_page(tmp_path):
    write_audit_page(AuditPage(audit(), [], {}, {}, {}, {}, "t"), tmp_path)
    assert read(tmp_path / "index.html").ids[-1] == "list"


def index_of(document, folder):
    write_audit_page(AuditPage(document, [], {}, {}, {}, {}, "t"), folder)
    return (folder / "index.html").read_text("utf-8")


def test_diagnostics_stand_apart_on_their_own_scale(tmp_path):
    found = {"ppe": E(12.3, 11.0, 13.0, 17), "rr": E(None, n=0, why="undefined for every episode")}
    index = index_of(audit(cell("pour", "act", diagnostics=found)), tmp_path)
    assert "12.3 [11, 13] <small>n = 17</small>" in index
    assert "n/a <small>undefined for every episode</small>" in index


@pytest.mark.parametrize("settings", [{}, {"note": ""}])
def test_without_a_note_there_is_no_notice(tmp_path, settings):
    assert 'class="notice"' not in index_of(audit(settings=settings), tmp_path)


def test_the_note_of_a_run_stands_under_its_heading(tmp_path):
    index = index_of(audit(settings={"note": "Made-up <curves>."}), tmp_path)
    assert '</h1><p class="notice" role="note">Made-up &lt;curves&gt;.</p>' in index


def test_the_page_says_how_its_numbers_are_read(tmp_path, report):
    index = html.unescape((report / "index.html").read_text("utf-8"))
    for said in (
        "Intervals are 95 %: of shares (Success, MC) by Wilson, of means by the studentised",
        "Success is over the labelled episodes, scored or not; all other columns are over scored",
        "for Success the unlabelled ones",
        "under 27 settings",
        "throughout the last 0.5 s",
    ):
        assert said in index
    assert "Worst to best" not in index_of(audit(cell("pour", "act")), tmp_path)


# 20 scored episodes, of which 15 are labelled: if the other 5 fail, 9 of 20 succeed, else 14.
def test_unlabelled_episodes_give_success_a_range(tmp_path):
    rate = success(0.6, 0.36, 0.8, 15) | {"end": E(0.6, 0.36, 0.8, 15, worst=0.45, best=0.7)}
    index = index_of(audit(cell("pour", "act", success=rate)), tmp_path)
    assert '<th colspan="3" scope="row">worst to best</th><td>45.0 to 70.0</td><td></td>' in index


# A cell without a scored episode has no line, and so no n in the caption or the label.
def test_labels_of_figures_count_as_their_captions_do(tmp_path):
    lost = cell("pour", "pi0", status={"unparsed": 20}, reach=[])
    index = index_of(audit(cell("pour", "act"), lost), tmp_path)
    assert "n = 20 scored episodes a line." in index
    assert "reaching each progress: pour. act n = 20." in index


# 400 progress values of at most 5 digits and a comma, rows of about 500 bytes, and stretches of
# stillness: 4 kB an episode at the most.
def test_ten_thousand_episodes_stay_small(tmp_path):
    rng = np.random.default_rng(3)
    ok = np.full(400, "ok")
    times = np.arange(400) / 5
    curves = {f"e{i}": Curve(times, np.sort(rng.random(400)), ok) for i in range(100)}
    first = row("", "pour", "act", curves["e0"])
    rows, every = [], {}
    for number in range(10_000):
        name = f"e{number:05d}"
        every[name] = curves[f"e{number % 100}"]
        rows.append(first | {"episode": name})
    write_audit_page(AuditPage(audit(cell("pour", "act")), rows, every, {}, {}, {}, "t"), tmp_path)
    sizes = {p.name: p.stat().st_size for p in (tmp_path / "assets").iterdir()}
    assert len([name for name in sizes if name.startswith("data-")]) == 50
    assert sum(sizes.values()) < 10_000 * 4_000
    assert sizes["episodes.js"] < 1_500_000
