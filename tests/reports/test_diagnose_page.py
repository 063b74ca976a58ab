"""The pages of a diagnosis in a browser: timeline, evidence, verdicts, what was dropped."""

import pytest

from assay.jobs.diagnose import DiagnoseSettings, diagnose
from assay.judges.base import Examination
from assay.records import Event, Judged
from clips import write_clip
from jobs.test_diagnose import Own

pytestmark = pytest.mark.browser

FOUND = Event(
    "object_scene_consistency",
    "object_disappearance",
    0.5,
    1.5,
    4.0,
    "the <b>block</b> is gone",
    "it is there at 0.4 s",
    0.9,
    verdict="accepted: frames at 0.4 s and 0.6 s",
    secondary=("physical_plausibility",),
    frames_s=(0.4, 0.6),
)
DROPPED = Event("visual_quality", "blur", 0.0, 0.3, 2.0, "it blurs", verdict="rejected: motion")


class Telling(Own):
    """A judge that also tells how it went."""

    def examine(self, episode):
        if "b" in episode.id:
            return Examination(Judged((), calls=5), rounds=5)
        return Examination(
            Judged((FOUND,), calls=5),
            rejected=(DROPPED,),
            trail=(("windows", [{"window": 1, "actions": ["<script>alert(1)</script>"]}]),),
            rounds=5,
            notes=("Windows were made longer.",),
        )


@pytest.fixture(scope="module")
def diagnosed(tmp_path_factory):
    root = tmp_path_factory.mktemp("diagnosed")
    (root / "clips").mkdir()
    for name in ("a", "b"):
        write_clip(root / "clips" / f"{name}.mp4", frames=20, fps=10)
    diagnose([root / "clips"], DiagnoseSettings(root / "run", Telling(), jobs=1))
    return root / "run"


def test_a_clip_shows_its_events_and_how_they_were_found(opened, diagnosed):
    tab = opened(diagnosed).goto("episode.html#a")
    tab.wait_for_selector(".glitch.found")
    assert tab.locator(".glitch.dropped").count() == 1
    assert tab.locator(".glitch-card").first.inner_text().startswith("object_disappearance")
    card = tab.locator(".glitches").inner_text()
    for words in (
        "the <b>block</b> is gone",
        "accepted: frames at 0.4 s",
        "severity 4",
        "also phys",
    ):
        assert words in card
    tab.locator(".glitches .frames button").nth(1).click()
    assert "0.60 s object_disappearance" in tab.locator(".readout").inner_text()
    tab.click("summary:has-text('Dropped: 1')")
    assert "rejected: motion" in tab.locator("details[open]").inner_text()
    tab.click("summary:has-text('Step by step')")
    assert "<script>" in tab.locator("pre").inner_text()


@pytest.fixture(scope="module")
def of_two_views(tmp_path_factory):
    root = tmp_path_factory.mktemp("views")
    (root / "clips").mkdir()
    rows = ["file,episode,view"]
    for number, view in enumerate(("front", "wrist")):
        write_clip(root / "clips" / f"{view}.mp4", frames=20, fps=10, first=100 * number)
        rows.append(f"{view}.mp4,a,{view}")
    (root / "clips" / "manifest.csv").write_text("\n".join([*rows, ""]))
    diagnose([root / "clips"], DiagnoseSettings(root / "run", Telling(), jobs=1))
    return root / "run"


def test_evidence_is_shown_in_every_view(opened, of_two_views):
    tab = opened(of_two_views).goto("episode.html#a")
    tab.wait_for_selector(".glitch.found")
    figures = tab.locator(".glitches .frames figure")
    assert figures.all_inner_texts() == [
        "front 0.40 s",
        "wrist 0.40 s",
        "front 0.60 s",
        "wrist 0.60 s",
    ]
    sources = figures.locator("video").evaluate_all("all => all.map((one) => one.src)")
    assert len(sources) == 4
    assert sources[0].partition("#")[0] != sources[1].partition("#")[0]
    assert [source.partition("#t=")[2] for source in sources] == [
        "0.401",
        "0.401",
        "0.601",
        "0.601",
    ]
    figures.nth(3).locator("button").click()
    assert "0.60 s object_disappearance" in tab.locator(".readout").inner_text()


def test_clips_are_listed_and_followed(opened, diagnosed):
    tab = opened(diagnosed).goto("index.html")
    assert tab.locator("#rates").inner_text().count("n = 2") == 7
    tab.click("#clips a:has-text('b')")
    tab.wait_for_selector(".glitches")
    assert "No event was found." in tab.locator(".glitches").inner_text()
    tab.keyboard.press("p")
    tab.wait_for_selector(".glitch.found")
    assert tab.title() == "a"


def test_keys_and_the_pointer_go_through_a_clip(opened, diagnosed):
    tab = opened(diagnosed).goto("episode.html#a")
    tab.wait_for_selector(".glitch.found")
    for key, shown in (("ArrowRight", "0.10 s"), ("End", "2.00 s"), ("ArrowLeft", "1.90 s")):
        tab.keyboard.press(key)
        assert tab.locator(".readout b").inner_text() == shown
    tab.locator(".glitch.found").click()  # in its middle, once the page stands still
    assert "1.00 s object_disappearance" in tab.locator(".readout").inner_text()
    tab.goto(tab.url.replace("#a", "#none"))
    tab.wait_for_selector("#episode .not-ok")
    assert 'no clip named "none"' in tab.locator("#episode").inner_text()
