"""The page and the tables of a passport: complete, escaped, and the same every time."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.reports.passport import to_markdown, to_terminal
from assay.reports.passport_page import write_passport_page

LINE = {
    "check": "static-video",
    "title": "static <video>|x",
    "domain": "your episodes",
    "verdict": "fail",
    "value": {"value": 0.5, "low": 0.25, "high": 0.75, "n": 6, "worst": 0.5, "best": 0.5},
    "quantity": "range",
    "unit": "",
    "limit": {"is": "at most", "value": 0.1, "source": "ours & others"},
    "meaning": "It moves.",
    "why": "1 of 7 not measured, the first: <cut off>",
    "more": {"least": 0.125},
    "drawn": {
        "episode": "<e>",
        "series": [{"name": "as recorded", "t": [0.0, 1.0], "v": [0.0, 1.0]}],
    },
}
UNMEASURED = LINE | {
    "verdict": "not run",
    "value": None,
    "meaning": "",
    "why": "it takes no goal",
    "drawn": {},
    "domain": "simulated worlds",
}
COST = LINE | {
    "verdict": "stated",
    "value": {"value": 1.25, "low": None, "high": None, "n": 2},
    "unit": "cpu-ms a frame",
    "limit": None,
    "why": "",
    "drawn": {"bins": [{"n": 3, "score": 0.25, "truth": 0.5}]},
    "domain": "simulated worlds",
}


@pytest.fixture
def document():
    return {
        "judge": {
            "name": "<script>alert(1)</script>",
            "settings": {"value": 0.5, "goal": None},
            "card": {},
            "files": {"code": "0123456789abcdef"},
            "noise": None,
        },
        "look": 1,
        "versions": {"assay": "0.1.0"},
        "domains": {
            "your episodes": {"subjects": 7, "note": "Strange <scenes>."},
            "simulated worlds": {"subjects": 1, "note": ""},
        },
        "checks": [LINE, UNMEASURED, COST],
    }


def test_the_page_escapes_what_it_is_given(tmp_path, document):
    write_passport_page(document, tmp_path)
    page = (tmp_path / "index.html").read_text()
    for raw in ("<script", "<video>", "<cut off>", "<scenes>", "<e>"):
        assert raw not in page
    assert "Passport of &lt;script&gt;" in page
    assert "50.0 [25.0, 75.0]" in page
    assert "Not run, because it takes no goal." in page
    assert "is a check that is not for this judge" in page
    assert "least 12.5" in page  # 0.125, on the scale of the value
    assert page.count("1 of 7 not measured") == 1
    assert "ours &amp; others" in page


def test_the_same_document_gives_the_same_bytes(tmp_path, document):
    write_passport_page(document, tmp_path / "one")
    write_passport_page(document, tmp_path / "two")
    one, two = ((tmp_path / name / "index.html").read_bytes() for name in ("one", "two"))
    assert one == two


def test_each_domain_has_its_own_count_and_there_is_no_sum(tmp_path, document):
    write_passport_page(document, tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "On your episodes: 0 checks passed, 1 failed" in page
    assert "On simulated worlds: 0 checks passed, 0 failed, 1 without a value." in page


def test_page_and_tables_say_on_which_tasks_of_the_worlds(tmp_path, document):
    worlds = document["domains"]["simulated worlds"]
    worlds |= {"subjects": 6, "tasks": ["lift-block", "<i>turn"]}
    title = f"{document['judge']['name']} on simulated worlds"
    assert f"**{title} (6 scenes of 2 tasks: lift-block, <i>turn)**" in to_markdown(document)
    write_passport_page(document, tmp_path)
    told = "6 scenes of 2 tasks: lift-block, &lt;i&gt;turn."
    assert told in (tmp_path / "index.html").read_text()
    del worlds["tasks"]  # as older passports have it
    assert f"**{title} (6 scenes)**" in to_markdown(document)


def test_markdown_keeps_its_columns(document):
    lines = to_markdown(document).splitlines()
    row = next(line for line in lines if "static" in line)
    assert row == (
        r"| static <video>\|x | FAIL | 50.0 [25.0, 75.0] | at most 10.0 | 6 | It moves. 1 of 7 not"
        r" measured, the first: <cut off>. |"
    )
    assert "| static <video>\\|x | stated | 1.25 † cpu-ms a frame | none | 2 | It moves. |" in lines
    assert "† no interval: fewer than 5 episodes with a value." in lines


def test_the_terminal_takes_brackets_for_text(document):
    sheet = io.StringIO()
    document["judge"]["name"] = "[red]judge"
    Console(file=sheet, width=160).print(to_terminal(document))
    assert "50.0 [25.0, 75.0]" in sheet.getvalue()
    assert "[red]judge on your episodes (7 episodes)" in sheet.getvalue()
    assert "not run, because it takes no goal" in sheet.getvalue()
    assert "static <video>|x: 1 of 7 not measured, the first: <cut off>" in sheet.getvalue()


def test_the_card_is_told_in_words_and_few_digits(tmp_path, document):
    document["judge"] |= {
        "noise": 0.0036906723456480413,
        "card": {"completion": 0.5562527924776077, "trained_on": "9 episodes: lift (9)"},
    }
    write_passport_page(document, tmp_path)
    page = (tmp_path / "index.html").read_text()
    told = "completion level 0.556; noise sigma 0.00369; trained on 9 episodes: lift (9)"
    assert told in page
    assert "0.5562527" not in page
