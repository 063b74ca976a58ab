from __future__ import annotations

import dataclasses
import io
from fractions import Fraction
from urllib.parse import quote

import av
import numpy as np
import pytest
from PIL import Image

from assay.records import Curve
from assay.reports import words
from assay.reports.audit_page import AuditPage, Clip, write_audit_page
from reports.cells import audit, cell, row
from reports.hostile import HOSTILE, hostile_page
from reports.sample import sample_page

pytestmark = pytest.mark.browser


def write_video(path, seconds=6, fps=10):
    """Write an H.264 video whose grey level tells the time."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = Fraction(1, fps)
        for number in range(seconds * fps):
            picture = np.full((48, 64, 3), 4 * number, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        container.mux(stream.encode())


@pytest.fixture(scope="module")
def with_video(tmp_path_factory):
    """Two episodes in one video: the first 2 s of it, and 2 to 6 s, which two views show."""
    folder = tmp_path_factory.mktemp("video")
    write_video(folder / "both views.mp4")
    rows, curves = [], {}
    for name, end in (("first", 2.0), ("second", 4.0)):
        times = np.arange(0, end + 0.01, 0.2)
        curves[name] = Curve(times, times / end, np.full(len(times), "ok"))
        rows.append(row(name, "pour", "act", curves[name]))
    src = quote("both views.mp4")
    clips = {
        "first": [Clip("front", src, 0.0, 2.0)],
        "second": [Clip("front", src, 2.0, 6.0), Clip("wrist", src, 2.0, None)],
    }
    page = AuditPage(audit(cell("pour", "act")), rows, curves, {}, {}, clips, "Two episodes")
    write_audit_page(page, folder)
    return folder


def test_the_report_opens_from_disk_and_asks_for_nothing_else(opened, report):
    window = opened(report)
    page = window.goto("index.html")
    page.wait_for_selector("table.list tbody tr")
    assert page.title() == "Five policies on three tabletop tasks"
    assert {url.partition(":")[0] for url in window.asked} <= {"file", "data"}
    assert all(url.startswith(("data:,", report.as_uri())) for url in window.asked)


def test_the_summary_sorts_by_a_click_and_back(opened, report, page):
    tab = opened(report).goto("index.html")
    expected = sorted(words.points(c["mp"]["value"]) for c in page.audit["cells"])
    shown = "td[data-metric=mp] .v"
    tab.click("table.summary thead [role=button]:has-text('MP')")
    assert tab.locator(shown).all_inner_texts() == sorted(expected, key=float)
    assert tab.locator("th[aria-sort=ascending]").inner_text().startswith("MP")
    tab.click("table.summary thead [role=button]:has-text('MP')")
    assert tab.locator(shown).all_inner_texts() == sorted(expected, key=float, reverse=True)


def test_a_head_sorts_wherever_it_is_clicked(opened, report):
    tab = opened(report).goto("index.html")
    for table in ("table.summary >> nth=0", "table.list"):
        head = tab.locator(f"{table} >> thead th:has-text('MP')")
        assert head.evaluate("(th) => getComputedStyle(th).cursor") == "pointer"
        head.click(position={"x": 2, "y": 2})
        assert head.get_attribute("aria-sort") != "none"


BOX = "(name) => document.querySelector(name).getBoundingClientRect().toJSON()"


# A4 at 96 dots an inch is 794 px wide; the margins of 14 mm take 106 of them.
def test_an_episode_fits_the_width_of_a_printed_page(opened, report):
    tab = opened(report).goto("episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".line-now")
    tab.set_viewport_size({"width": 688, "height": 1000})
    tab.emulate_media(media="print")
    chart, side = (tab.evaluate(BOX, name) for name in (".curve > svg", ".side"))
    assert chart["width"] == pytest.approx(688, abs=1)
    assert side["top"] >= chart["bottom"]


def test_what_is_folded_is_printed(opened, report):
    tab = opened(report).goto("index.html")
    folded = tab.locator("details")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert folded.get_attribute("open") is not None
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert folded.get_attribute("open") is None


def test_missing_numbers_sort_last_in_both_directions(opened, report):
    tab = opened(report).goto("index.html")
    for _ in range(2):
        tab.click("table.summary thead [role=button]:has-text('Success')")
        shown = tab.locator("td[data-metric=success_end] .number").all_inner_texts()
        assert shown[-5:] == ["n/a"] * 5
        assert "n/a" not in shown[:-5]


def test_the_list_filters_searches_and_sorts(opened, report, page):
    tab = opened(report).goto("index.html")
    tab.select_option("select[name=policy]", "sleeper")
    tab.select_option("select[name=status]", "invalid_value")
    assert tab.locator("[role=status]").inner_text() == "3 of 300 episodes"
    tab.select_option("select[name=status]", "")
    tab.fill("input[name=find]", "POUR-BEANS/00")
    assert tab.locator("table.list tbody tr").count() == 10
    tab.click("table.list thead button:has-text('MP')")
    found = [r for r in page.rows if r["episode"].startswith("sleeper/pour-beans/00")]
    expected = sorted((words.points(r["mp"]) for r in found), key=float, reverse=True)
    assert tab.locator("table.list tbody td:nth-child(8)").all_inner_texts() == expected


def test_the_choice_survives_a_visit_to_an_episode(opened, report):
    tab = opened(report).goto("index.html")
    tab.select_option("select[name=task]", "pour-beans")
    tab.click("table.list tbody a >> nth=0")
    tab.wait_for_selector(".curve path")
    tab.go_back()
    tab.wait_for_selector("table.list tbody tr")
    assert tab.input_value("select[name=task]") == "pour-beans"
    assert tab.locator("[role=status]").inner_text() == "100 of 300 episodes"


def test_pages_of_the_list_turn(opened, report):
    tab = opened(report).goto("index.html")
    assert tab.locator("table.list tbody tr").count() == 50
    tab.click(".pager button:has-text('next')")
    assert tab.locator(".pager span").inner_text() == "page 2 of 6"
    assert tab.locator("table.list tbody a >> nth=0").inner_text() == "wobbler/stack-cups/010"


def test_the_episode_page_draws_and_words_the_metrics(opened, report, page):
    found = page.rows[45]
    tab = opened(report).goto(f"episode.html#{quote(found['episode'], safe='')}")
    tab.wait_for_selector(".line-now")
    assert tab.locator("h1").inner_text() == found["episode"]
    assert tab.locator("#instruction").inner_text() == found["instruction"]
    shown = tab.locator(".metric b").all_inner_texts()
    assert shown == [words.points(found[key]) for key in ("mc", "mp", "ppl", "cra", "str")]
    assert tab.locator(".curve .milestone").count() == 4
    assert tab.locator(".curve .segment").count() == 3
    assert tab.locator(".curve .regret").count() >= 1
    assert tab.locator(".curve .still").count() >= 1


def test_moments_that_are_not_ok_break_the_line(opened, report):
    tab = opened(report).goto("episode.html#quitter%2Fstack-cups%2F003")
    tab.wait_for_selector(".curve .line-now")
    assert tab.locator(".curve .line-now").count() == 2
    assert tab.locator(".curve .bad-mark").count() == 6
    assert tab.locator(".metric b").all_inner_texts() == ["n/a"] * 5
    tab.locator(".curve").press("Home")
    for _ in range(21):
        tab.keyboard.press("ArrowRight")
    assert "not scored: missing_frame" in tab.locator(".readout").inner_text()


def test_an_episode_without_a_curve_says_so(opened, report):
    tab = opened(report).goto("episode.html#sleeper%2Fstack-cups%2F017")
    tab.wait_for_selector(".curve svg")
    assert "There is no curve" in tab.locator(".curve").inner_text()
    assert "not scored: invalid_value" in tab.locator("#facts").inner_text()


HOLD = """() => {
  const append = document.head.append.bind(document.head);
  document.head.append = (node) => {
    if (node.src.endsWith("data-000.js")) window.release = () => append(node);
    else append(node);
  };
}"""


# The first episode's shard is held back until the second episode, of another shard, is shown.
def test_a_slow_episode_does_not_overwrite_a_later_one(opened, report, page):
    first, later = (page.rows[i]["episode"] for i in (0, 250))
    tab = opened(report).goto("episode.html#nobody")
    tab.evaluate(HOLD)
    tab.evaluate("(id) => { location.hash = encodeURIComponent(id); }", first)
    tab.wait_for_function("() => window.release")
    tab.evaluate("(id) => { location.hash = encodeURIComponent(id); }", later)
    tab.wait_for_function("(id) => document.querySelector('h1').textContent === id", arg=later)
    tab.evaluate("() => { window.release(); return window.assay.record(0); }")
    tab.evaluate("() => new Promise(requestAnimationFrame)")
    assert tab.locator("h1").inner_text() == later
    assert tab.locator("#place").inner_text() == "251 of 300"


def test_a_message_leaves_nothing_of_the_episode_before(opened, report, page):
    tab = opened(report).goto(f"episode.html#{quote(page.rows[0]['episode'], safe='')}")
    tab.wait_for_selector(".line-now")
    tab.evaluate("location.hash = 'nobody'")
    tab.wait_for_selector("#episode p.not-ok")
    shown = [tab.locator(f"#{name}").inner_text() for name in ("instruction", "facts", "place")]
    assert shown == ["", "", ""]
    assert tab.locator("#next").get_attribute("href") is None


def test_an_unknown_episode_is_named(opened, report):
    tab = opened(report).goto("episode.html#nobody")
    assert 'no episode named "nobody"' in tab.locator("#episode p").inner_text()


def times_of(tab):
    return tab.evaluate("[...document.querySelectorAll('video')].map((v) => v.currentTime)")


def ready(tab, views):
    tab.wait_for_function(
        "(n) => { const all = [...document.querySelectorAll('video')];"
        " return all.length === n && all.every((v) => v.readyState >= 2 && !v.seeking); }",
        arg=views,
    )


# The plotting area runs from 46 px to 16 px before the right edge: 3 of 4 s lie at 3/4 of it.
# The second episode starts 2 s into the video, so 3 s of it are 5 s of the video.
def test_a_click_on_the_curve_seeks_every_view(opened, with_video):
    tab = opened(with_video).goto("episode.html#second")
    ready(tab, 2)
    box = tab.locator("div.curve").bounding_box()
    tab.mouse.click(box["x"] + 46 + 0.75 * (box["width"] - 62), box["y"] + 150)
    ready(tab, 2)
    assert times_of(tab) == pytest.approx([5.0, 5.0], abs=0.02)
    assert tab.locator(".readout b").inner_text() in ("2.99 s", "3.00 s", "3.01 s")


def test_dragging_follows_the_pointer(opened, with_video):
    tab = opened(with_video).goto("episode.html#first")
    ready(tab, 1)
    box = tab.locator("div.curve").bounding_box()
    tab.mouse.move(box["x"] + 60, box["y"] + 100)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 46 + 0.5 * (box["width"] - 62), box["y"] + 100)
    tab.mouse.up()
    ready(tab, 1)
    assert times_of(tab) == pytest.approx([1.0], abs=0.02)


# The video goes on after 2 s with the next episode; End must stay within the first.
def test_a_video_stays_within_its_episode(opened, with_video):
    tab = opened(with_video).goto("episode.html#first")
    ready(tab, 1)
    tab.keyboard.press("End")
    ready(tab, 1)
    assert 1.9 < times_of(tab)[0] < 2.0
    tab.keyboard.press("Home")
    tab.select_option("select[aria-label=Speed]", "4")
    tab.locator("div.curve").focus()
    tab.keyboard.press("Space")
    tab.wait_for_function(
        "() => document.getElementById('play').textContent === 'Play'"
        " && document.querySelector('.readout b').textContent === '2.00 s'"
    )
    assert times_of(tab)[0] < 2.0
    assert tab.evaluate("document.querySelector('video').paused")


def test_views_play_together_and_the_curve_follows(opened, with_video):
    tab = opened(with_video).goto("episode.html#second")
    ready(tab, 2)
    tab.keyboard.press("Space")
    tab.wait_for_function(
        "() => parseFloat(document.querySelector('.readout b').textContent) > 0.5"
    )
    tab.keyboard.press("Space")
    front, wrist = times_of(tab)
    assert front > 2.4
    assert wrist == pytest.approx(front, abs=0.3)


def test_keys_step_and_change_the_episode(opened, with_video):
    tab = opened(with_video).goto("episode.html#first")
    ready(tab, 1)
    for key, shown in (("ArrowRight", "0.20 s"), ("ArrowRight", "0.40 s"), ("ArrowLeft", "0.20 s")):
        tab.keyboard.press(key)
        assert tab.locator(".readout b").inner_text() == shown
    slider = tab.locator("div.curve")
    assert (
        slider.get_attribute("aria-valuetext")
        == "0.20 s progress 10.0, best so far 10.0, regret 0.0"
    )
    tab.keyboard.press("n")
    tab.wait_for_function("() => document.querySelector('h1').textContent === 'second'")
    assert tab.locator("#next").get_attribute("href") is None
    tab.keyboard.press("p")
    tab.wait_for_function("() => document.querySelector('h1').textContent === 'first'")


def test_a_curve_without_video_has_its_own_clock(opened, report):
    tab = opened(report).goto("episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".line-now")
    tab.keyboard.press("Space")
    tab.wait_for_function(
        "() => parseFloat(document.querySelector('.readout b').textContent) > 0.3"
    )
    assert tab.locator("#play").inner_text() == "Pause"


def test_hostile_words_run_nothing(opened, tmp_path):
    write_audit_page(hostile_page(), tmp_path)
    window = opened(tmp_path)
    tab = window.goto("index.html")
    assert tab.locator("h1").text_content() == HOSTILE
    tab.click("table.list tbody a")
    tab.wait_for_selector(".line-now")
    assert tab.locator("#name").text_content() == HOSTILE
    assert tab.locator("img").count() == 0


def test_the_tables_are_reached_by_keyboard(opened, report):
    tab = opened(report).goto("index.html")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the findings"
    tab.locator("table.summary thead [role=button] >> nth=0").focus()
    tab.keyboard.press("Enter")
    assert tab.locator("table.summary th >> nth=0").get_attribute("aria-sort") == "ascending"


def picture(tab):
    return Image.open(io.BytesIO(tab.screenshot())).convert("L")


def test_dark_print_and_narrow_pages_render(opened, report):
    dark = picture(opened(report, color_scheme="dark").goto("index.html"))
    assert dark.getpixel((2, 2)) < 60
    assert dark.getextrema()[1] > 200  # light words on it
    tab = opened(report, color_scheme="dark").goto("index.html")
    tab.emulate_media(media="print")
    paper = picture(tab)
    assert paper.getpixel((2, 2)) == 255
    assert paper.getextrema()[0] < 80
    assert not tab.locator("#list").is_visible()
    assert tab.locator(".chart").first.is_visible()


def test_nothing_is_wider_than_a_narrow_window(opened, report):
    tab = opened(report, screen={"width": 400, "height": 800}).goto("index.html")
    tab.set_viewport_size({"width": 400, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") == 400
    tab.goto(f"{report.as_uri()}/episode.html#steady%2Fstack-cups%2F000")
    tab.wait_for_selector(".line-now")
    assert tab.evaluate("document.documentElement.scrollWidth") == 400


def test_a_list_of_ten_thousand_shows_one_page_at_a_time(opened, tmp_path):
    page = sample_page(1)
    rows = [
        page.rows[i % 15] | {"episode": f"e{i:05d}", "mp": (i % 997) / 997} for i in range(10_000)
    ]
    write_audit_page(dataclasses.replace(page, rows=rows, curves={}, clips={}), tmp_path)
    tab = opened(tmp_path).goto("index.html")
    assert tab.locator("table.list tbody tr").count() == 50
    tab.click("table.list thead button:has-text('MP')")
    assert tab.locator("table.list tbody td:nth-child(8) >> nth=0").inner_text() == "99.9"
    tab.click("table.list tbody a >> nth=0")
    tab.wait_for_function("() => document.querySelector('h1').textContent === 'e00996'")
