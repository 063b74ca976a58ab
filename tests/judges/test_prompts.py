"""Prompts as data: places for words and pictures, and kind errors for those that don't fit."""

import pytest

from assay.errors import InputError, UnknownNameError, UsageError
from assay.judges._prompts import Prompt
from assay.models.base import Picture

ONE, TWO = Picture(b"1", "one", 1, 1), Picture(b"2", "two", 1, 1)


def test_words_and_pictures_go_where_they_belong():
    prompt = Prompt("Task: {task}\nSee {shot}. Say {{1}}.", "own.txt")
    parts = prompt.filled({"task": "lift", "shot": [ONE, " and ", TWO]})
    assert parts == ("Task: lift\nSee ", ONE, " and ", TWO, ". Say {1}.")


def test_a_line_with_nothing_in_it_is_left_out():
    prompt = Prompt("Goal: {goal}\nNow: {now}\n", "own.txt")
    assert prompt.filled({"goal": [], "now": [ONE]}) == ("Now: ", ONE, "\n")
    assert prompt.filled({"goal": "", "now": ""}) == ()


def test_what_is_filled_in_is_not_filled_again():
    assert Prompt("{task}", "own.txt").filled({"task": "a {task} {x}"}) == ("a {task} {x}",)


def test_an_unknown_place_names_the_nearest():
    prompt = Prompt("{instrution}", "own.txt")
    with pytest.raises(UnknownNameError, match=r"prompt own.txt .*'instrution'.*'instruction'"):
        prompt.check(("instruction", "before"))


def test_a_place_that_must_be_there_is_named():
    with pytest.raises(UsageError, match=r"prompt own.txt must say where \{before\} goes"):
        Prompt("{instruction}", "own.txt").check(("instruction", "before"), ("before",))


@pytest.mark.parametrize("text", ["a { b", "a } b", "{a"])
def test_a_lone_brace_is_explained(text):
    with pytest.raises(UsageError, match="braces that are meant are doubled"):
        Prompt(text, "own.txt").check(("a",))


@pytest.mark.parametrize("text", ["{a.b}", "{a[0]}", "{}"])
def test_a_prompt_reaches_nothing_but_its_fields(text):
    with pytest.raises(UnknownNameError, match="field for the prompt"):
        Prompt(text, "own.txt").check(("a",))


def test_a_prompt_that_can_not_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing.txt: the prompt can't be read"):
        Prompt.load("vlac", tmp_path / "nothing.txt")
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(InputError, match="from 1 to"):
        Prompt.load("vlac", tmp_path / "empty.txt")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        Prompt.load("vlac", tmp_path / "binary.txt")
