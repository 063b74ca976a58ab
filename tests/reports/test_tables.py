from __future__ import annotations

import csv
import io

import pytest
from rich.console import Console

from assay.reports import words
from assay.reports._layout import columns
from assay.reports._terminal import broken
from assay.reports.tables import to_csv, to_markdown, to_terminal
from reports.cells import E, audit, cell, success


def lines_of(markdown):
    return [line.strip("| ").split(" | ") for line in markdown.splitlines() if line.startswith("|")]


def test_markdown_has_every_number_as_it_is_worded(page):
    rows = [
        row
        for row in lines_of(to_markdown(page.audit))[2:]
        if row[0] in ("stack-cups", "pour-beans")
    ]
    cells = [c for c in page.audit["cells"] if c["task"] != "fold-towel"]
    assert len(rows) == len(cells) == 10
    for row, found in zip(rows, cells, strict=True):
        for text, column in zip(row[3:], columns(page.audit), strict=True):
            assert text.startswith(words.number(column.pick(found)))


def test_markdown_numbers_the_reasons_of_missing_values():
    document = audit(cell("pour", "act", mp=E(None, n=0, why="no scored episode")))
    table = to_markdown(document)
    assert "| n/a [1] |" in table
    assert "\n[1] no success labels" in table
    assert "\n[2] no scored episode" in table


def test_markdown_shows_worst_and_best_of_unscored_cells_only():
    whole = cell("pour", "act")
    partly = cell(
        "pour",
        "pi0",
        status={"ok": 18, "unparsed": 2},
        mp=E(0.6, 0.5, 0.7, 18, worst=0.54, best=0.64),
    )
    assert "worst to best" not in to_markdown(audit(whole))
    assert "54.0 to 64.0" in to_markdown(audit(whole, partly))


def test_markdown_keeps_hostile_names_in_their_place():
    table = to_markdown(audit(cell("a|b\n<img src=x>", "[x](y)")))
    assert "| a\\|b \\<img src=x\\> | \\[x\\](y) |" in table


# Data keeps 0..1 and every digit. Success has three rows, MC four, MP, PPL, CRA and STR one each.
def test_csv_has_one_row_per_cell_and_metric():
    document = audit(cell("pour", "act", mp=E(0.6234, 0.551, 0.69), success=success(0.5, 0.3, 0.7)))
    rows = list(csv.DictReader(io.StringIO(to_csv(document))))
    assert [row["metric"] for row in rows] == [
        "success_end",
        "success_held",
        "success_once",
        "mc@25",
        "mc@50",
        "mc@75",
        "mc@100",
        "mp",
        "ppl",
        "cra",
        "str",
    ]
    assert rows[7] == {
        "task": "pour",
        "policy": "act",
        "metric": "mp",
        "value": "0.6234",
        "low": "0.551",
        "high": "0.69",
        "n": "20",
        "worst": "0.6234",
        "best": "0.6234",
        "why": "",
    }


def test_csv_leaves_missing_numbers_empty_and_says_why():
    row = next(csv.DictReader(io.StringIO(to_csv(audit(cell("pour", "act"))))))
    assert (row["value"], row["low"], row["n"], row["why"]) == ("", "", "0", "no success labels")


def test_csv_keeps_other_groups():
    document = audit(cell("", "", group={"world": 'a,"b"', "seed": 3}, task=None, policy=None))
    row = next(csv.DictReader(io.StringIO(to_csv(document))))
    assert (row["world"], row["seed"]) == ('a,"b"', "3")


def printed(document):
    console = Console(width=80, file=io.StringIO(), record=True)
    console.print(to_terminal(document))
    return console.export_text()


def test_terminal_shows_names_as_they_are():
    text = printed(audit(cell("[red]x[/red]", "act", mp=E(0.6234, 0.551, 0.69))))
    assert "[red]x" in text
    assert [number in text for number in ("62.3", "55.1", "69.0")] == [True] * 3


def test_terminal_cuts_no_number_in_80_columns(page):
    text = printed(page.audit)
    assert "…" not in text
    first = page.audit["cells"][0]
    value, low, high = (words.points(first["mp"][key]) for key in ("value", "low", "high"))
    rows = text.splitlines()
    at = next(i for i, row in enumerate(rows) if "quitter" in row)
    assert value in rows[at].split()
    assert rows[at].split()[-1] == words.points(first["str"]["value"])
    assert low in rows[at + 1].split()
    assert high in rows[at + 2].split()


def test_the_task_comes_first_whatever_the_order_of_keys():
    document = audit(cell("pour", "act", group={"policy": "act", "task": "pour"}))
    assert to_markdown(document).startswith("| task | policy | scored / n |")


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("place-in-basket", 11, ["place-in-", "basket"]),
        ("early-stopper", 11, ["early-", "stopper"]),
        ("early-stopper", 13, ["early-stopper"]),
        ("pour the beans", 8, ["pour the", "beans"]),
        ("unbreakable", 6, ["unbrea", "kable"]),
    ],
)
def test_names_break_where_a_reader_would(name, width, lines):
    assert broken(name, width).split("\n") == lines


def notes_of(document):
    """Return what is printed, with every line break and indent as one space."""
    return " ".join(printed(document).split())


def test_the_terminal_explains_only_the_marks_it_shows():
    whole = notes_of(audit(cell("pour", "act", success=success(0.5, 0.3, 0.7))))
    assert "Intervals are 95 %" in whole
    for mark in ("†", "n/a", "Statuses", "assumed", "n="):
        assert mark not in whole


def test_the_terminal_explains_its_marks():
    partly = cell(
        "pour",
        "act",
        status={"ok": 18, "unparsed": 2},
        success=success(0.5, 0.3, 0.7),
        mp=E(0.5, n=18),
        ppl=E(None, n=0, why="one moment alone"),
    )
    told = notes_of(audit(partly, epsilon={"value": 0.01, "source": "assumed", "sigma": None}))
    assert "n=20" in told
    assert "n=: the episodes behind a value, where they are not the scored ones." in told
    assert "† no interval: fewer than 5 episodes with a value." in told
    assert "n/a (PPL): one moment alone." in told
    assert "Statuses: 18 ok, 2 unparsed." in told
    assert "unparsed: the judge's answer could not be read as a number." in told
    assert "Epsilon 0.01 is assumed, not measured, and STR depends on it" in told


# Values of a diagnostic lie anywhere and are never put on the scale of 0 to 100.
def test_diagnostics_are_in_every_table():
    found = {"ppe": E(-12.3, -13.0, -11.0, 17), "rr": E(2.0, n=3)}
    document = audit(cell("pour", "act", diagnostics=found))
    assert "| pour | act | -12.3 [-13, -11] (n = 17) | 2 † (n = 3) |" in to_markdown(document)
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(to_csv(document)))}
    assert (rows["diagnostic:ppe"]["value"], rows["diagnostic:ppe"]["n"]) == ("-12.3", "17")
    told = notes_of(document)
    assert "ppe -12.3 [-13, -11] 17" in told
    assert "rr 2 † 3" in told
    assert "or all values equal" in told


def test_tables_without_diagnostics_do_not_speak_of_them():
    document = audit(cell("pour", "act"))
    for text in (to_markdown(document), to_csv(document), printed(document)):
        assert "iagnostic" not in text
