"""What models say, and what may be read from it: never the first number that comes along."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models.answers import Unusable, choice, choices, integer, number, numbers, with_reason

PERCENT = number(0, 100)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"score": 85}', 85),
        ('```json\n{"score": 85}\n```', 85),
        ('Here you are: {"reason": "two of 3 done", "score": 85} Good luck!', 85),
        ('{"Score": "85 %"}', 85),
        ('{"progress": 85}', 85),
        ("85", 85),
        ("85.", 85),
        ("85%", 85),
        ("(0-100): 85", 85),
        ("Score (0-100): 85", 85),
        ("On a scale from 0 to 100: 85", 85),
        ("Score [0, 100] = 85", 85),
        ("**Score:** 85", 85),
        ("Score: 8.5/10", 85),  # 8.5 of 10 is 85 of 100
        ("Score: 7/10", 70),
        ("8 out of 10", 80),
        ("Progress: 7 of 10", 70),  # the same, in fewer words
        ("Score: 85, not 80", 85),
        ("Score: 85 because the drawer is not closed", 85),
        ("The arm has not moved, 10%", 10),
        ("No progress: 0", 0),
        ("Score: 85 because 3 blocks are placed", 85),
        ("1. The arm moved.\n2. The block is up.\nScore: 60", 60),
        ("I see 3 blocks.\n85", 85),
        ("First score: 20. Final score: 85", 85),
        ("<think>maybe 20, or 30</think>The score is 85", 85),
        ("2 of the blocks lie there. <answer>85</answer>", 85),
        ("so it is \\boxed{85}", 85),
        ("Score: 85/100, that is 85%", 85),
        ("12.5", 12.5),
        ("8.5e1", 85),
    ],
)
def test_a_number_is_read(text, value):
    assert PERCENT(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I can't see the block.",
        "(0-100)",
        "between 40 and 60",
        "Score: 40 or 50",
        "Score: 40-50",
        "3 blocks, 85 done",
        "Score: 20\nScore: 85",
        "Progress: 2 blocks. Score: 85",
        "3 out of 4 blocks are placed",
        "block2 is in zone3",
        "3,85",  # a decimal comma, or two numbers
        '{"score": 8',  # cut short: it may have been 85
        '{"score": true}',
        '{"score": null}',
        '{"left": 1, "right": 2}',
        "N/A",
        "<think>85",
        "Score: not 85",
        "It is certainly not 85.",
        "The score isn't 85",
        "85 is wrong",
        "Progress: 3 of 4 steps are done, so 75",
        "Progress: 3 of 4 steps are done, 1 is left",
        "Progress: 2 blocks are placed",
        "2 of the blocks are placed",
        "There are 3 in the box",
        "Progress: 3 so far",
        "3/4 blocks are placed",
        '{"score": 1' + "0" * 400 + "}",
        '{"score": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "{" + '"a":{' * 100_000,
        "Score: 5/1" + "0" * 400,
    ],
)
def test_where_no_number_is_clear_none_is_read(text):
    with pytest.raises(Unusable) as caught:
        PERCENT(text)
    assert caught.value.status == "unparsed"


@pytest.mark.parametrize("text", ["NaN", "Score: nan", '{"score": NaN}', "inf", "101", "-1", "1e9"])
def test_a_number_outside_is_found_but_not_allowed(text):
    with pytest.raises(Unusable, match=r"outside 0\.\.100") as caught:
        PERCENT(text)
    assert caught.value.status == "invalid_value"


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        (number(-100, 100), "Score: +12", 12),
        (number(-100, 100), "-40%", -40),
        (number(-100, 100), "\u221240", -40),  # a minus sign, not a hyphen
        (number(-1, 1), "-40%", -0.4),  # 40 % of the way down
        (number(-1, 1), "-0.25", -0.25),
        (number(0, 1), "85%", 0.85),
        (number(0, 10), "85%", 8.5),
        (integer(1, 5), "4/5", 4),
        (integer(-1, 1), "+1", 1),
    ],
)
def test_signs_and_scales(reader, text, value):
    assert reader(text) == pytest.approx(value)


def test_a_score_on_an_unknown_scale_is_not_converted():
    # does 1..5 begin at 1 or at 0 of 10? It can't be told.
    with pytest.raises(Unusable, match=r"another scale \(7/10\)"):
        integer(1, 5)("7/10")


def test_a_whole_number_is_whole():
    with pytest.raises(Unusable, match=r"3\.5 is not a whole number") as caught:
        integer(1, 5)("3.5")
    assert caught.value.status == "invalid_value"


@given(st.floats(0, 100))
def test_what_was_asked_for_is_read_exactly(value):
    assert PERCENT(json.dumps({"score": value})) == value


@given(st.text(max_size=60))
def test_no_text_gives_a_number_outside(text):
    try:
        found = PERCENT(text)
    except Unusable:
        return
    assert 0 <= found <= 100


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ('{"answer": "+1"}', "+1"),
        ('{"answer": 1}', "+1"),
        ('{"answer": -1}', "-1"),
        ("+1", "+1"),
        ("1", "+1"),
        ("-1.", "-1"),
        ("Answer: -1", "-1"),
        ("The answer is +1 because the block is up", "+1"),
        ("Answer: +1, not -1", "+1"),
        ("I would say -1 here", "-1"),
        ("-1, since the block has not moved", "-1"),
        ("The answer is -1 because it did not help", "-1"),
    ],
)
def test_a_sign_is_chosen(text, option):
    assert choice(("+1", "-1"))(text) == option


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("B", "B"),
        ("b", "B"),
        ("(B)", "B"),
        ("B. The drawer", "B"),
        ("**B**", "B"),
        ("<ANSWER>B</ANSWER>", "B"),
        ("A block moves, so the answer is (B).", "B"),
        ("Answer: B) the drawer", "B"),
        ("The answer is B, not A.", "B"),
    ],
)
def test_a_letter_is_chosen_where_it_stands_as_one(text, option):
    assert choice(("A", "B", "C"))(text) == option


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("E", "invalid_value"),
        ("Answer: E", "invalid_value"),
        ('{"answer": "E"}', "invalid_value"),
        ("A block moves.", "unparsed"),
        ("(A) or (B)", "unparsed"),
        ("I can't tell.", "unparsed"),
        ("", "unparsed"),
        ("The answer is not A.", "unparsed"),
        ("Not B.", "unparsed"),
        ("The answer isn't (A).", "unparsed"),
        ("Neither A nor B.", "unparsed"),
        ("Answer: A. is not the one", "unparsed"),
        ("Answer: A, isn't right", "unparsed"),
        ("Not (A), so (B)?", "unparsed"),
        ("Answer: (A) or (B)", "unparsed"),
        ("Answer: A, or (B)", "unparsed"),
        ('{"answer": "not A"}', "invalid_value"),
    ],
)
def test_what_is_no_option_is_not_chosen(text, status):
    with pytest.raises(Unusable) as caught:
        choice(("A", "B", "C"))(text)
    assert caught.value.status == status


@pytest.mark.parametrize(
    "text",
    ["It is certainly not +1.", "It can't be -1", "+1 would be wrong", "Answer: +1 or -1"],
)
def test_a_sign_that_is_denied_is_not_chosen(text):
    with pytest.raises(Unusable) as caught:
        choice(("+1", "-1"))(text)
    assert caught.value.status == "unparsed"


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("No, it is not done.", "no"),
        ("Yes, it does", "yes"),
        ("I would say no.", "no"),
        ("The answer is no because it fell", "no"),
    ],
)
def test_yes_or_no_is_read_where_it_stands_apart(text, option):
    assert choice(("yes", "no"))(text) == option


@pytest.mark.parametrize(
    "text",
    [
        "There is no doubt that it is done",
        "No doubt it is done.",
        "It is not a yes.",
        "No, yes.",
        "none of it",
    ],
)
def test_a_no_that_counts_is_no_answer(text):
    with pytest.raises(Unusable) as caught:
        choice(("yes", "no"))(text)
    assert caught.value.status == "unparsed"


@given(
    st.sampled_from(["A", "(B)", "C.", "+1", "-1", "yes", "85", "85%", "7 of 10"]),
    st.sampled_from(["It is not {}", "That isn't {}", "It was never {}", "It cannot be {} here"]),
    st.sampled_from(["", "Hm. ", "I looked at all frames.\n", "Answer: ", "Score: "]),
)
def test_whatever_is_denied_is_not_read(said, denial, before):
    text = before + denial.format(said)
    for reader in (PERCENT, choice(("A", "B", "C")), choice(("+1", "-1")), choice(("yes", "no"))):
        with pytest.raises(Unusable):
            reader(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"scores": [10, 20, 30]}',
        "[10, 20, 30]",
        "The values are [10%, 20%, 30%].",
        "Frame 1: 10%\nFrame 2: 20%\nFrame 3: 30%",
        "Frame 3: 30%\nFrame 1: 10%\nFrame 2: 20%",  # by number, not by place
        "1: 10\n2: 20\n3: 30",
        "Frame 1: The arm waits. Progress: 10%\nFrame 2: It moves. Progress: 20%\nFrame 3: 30%",
        '{"frame_1": 10, "frame_3": 30, "frame_2": 20}',
        '{"scores": {"1": 10, "2": 20, "3": 30}}',
    ],
)
def test_a_series_is_read_in_order(text):
    assert numbers(3, 0, 100)(text) == (10, 20, 30)


@pytest.mark.parametrize(
    "text",
    [
        '{"scores": [10, 20]}',
        "[10, 20, 30, 40]",
        "Frame 1: 10%\nFrame 2: 20%",
        "Frame 1: 10\nFrame 1: 20\nFrame 3: 30",
        "Frame 0: 10\nFrame 1: 20\nFrame 2: 30",
        "10 20 30",
        "Frame 1: 10\nFrame 2: 20\nFrame 3" + "0" * 5000 + ": 30",
        '{"frame_1": 10, "frame_2": 20, "frame_3' + "0" * 5000 + '": 30}',
    ],
)
def test_a_series_of_another_length_is_not_read(text):
    with pytest.raises(Unusable) as caught:
        numbers(3, 0, 100)(text)
    assert caught.value.status == "unparsed"


def test_one_bad_number_spoils_the_series():
    with pytest.raises(Unusable, match="120 is outside") as caught:
        numbers(3, 0, 100)("[10, 120, 30]")
    assert caught.value.status == "invalid_value"


@pytest.mark.parametrize(
    "text",
    [
        '{"answers": ["yes", "no", "yes"]}',
        '["Yes", "No", "Yes."]',
        '{"answers": [true, false, true]}',
        '{"step_2": "no", "step_1": "yes", "step_3": "yes"}',
        "1. yes\n3. yes, it does\n2. no",
    ],
)
def test_a_choice_for_each_is_read_in_order(text):
    assert choices(3, ("yes", "no"))(text) == ("yes", "no", "yes")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"answers": ["yes", "no"]}', "unparsed"),
        ('{"answers": 2}', "unparsed"),
        ("most of them", "unparsed"),
        ('["yes", "perhaps", "no"]', "invalid_value"),
    ],
)
def test_a_choice_that_is_missing_or_unknown_spoils_all(text, status):
    with pytest.raises(Unusable) as caught:
        choices(3, ("yes", "no"))(text)
    assert caught.value.status == status


def test_true_is_no_answer_where_yes_is_none():
    with pytest.raises(Unusable, match="none of a, b") as caught:
        choices(1, ("a", "b"))('{"answers": [true]}')
    assert caught.value.status == "invalid_value"


def test_a_choice_for_each_is_asked_for_by_its_options():
    kind = choices(3, ("yes", "no"), field="done").schema["properties"]["done"]
    assert kind["items"] == {"type": "string", "enum": ["yes", "no"]}
    assert (kind["type"], kind["minItems"], kind["maxItems"]) == ("array", 3, 3)


def test_a_reason_is_asked_for_first_and_may_be_missing():
    reader = with_reason(choice(("a", "b")))
    assert list(reader.schema["properties"]) == ["reason", "answer"]
    assert reader('{"reason": "it fell", "answer": "b"}') == ("b", "it fell")
    assert reader("b") == ("b", "")
