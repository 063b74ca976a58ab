"""What makes two questions the same, in every process and for ever."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.models.base import Address, Picture, Request, Sampling
from assay.models.ledger import key_of
from ledger_made import ADDRESS, question, sampled

TEXT = st.text()
PARTS = st.lists(TEXT | TEXT.map(lambda key: Picture(b"", key, 1, 1)), max_size=4).map(tuple)

# The canonical text, by hand: sorted names, no spaces, ASCII; then model, revision and the hash of
# that text as a JSON list, hashed. A key that changes here loses every stored answer.
QUESTION = (
    '{"options":["yes"],"parts":[{"text":"Is it done? \\u00e9"},{"picture":"p1"}],'
    '"sample":2,"sampling":{"max_tokens":8,"seed":null,"temperature":0.0,"top_p":0.5},'
    '"schema":{"a":[1,2.5],"b":null},"system":"s"}'
)
HASHED = hashlib.sha256(QUESTION.encode()).hexdigest()
WHOLE = f'["openai:m@http://h:1/v1", "r", "{HASHED}"]'
REQUEST = Request(
    ("Is it done? é", Picture(b"", "p1", 4, 3)),
    system="s",
    schema={"b": None, "a": (1, 2.5)},
    sampling=Sampling(temperature=0, max_tokens=8, top_p=0.5),
    sample=2,
    options=("yes",),
)


def test_the_key_is_the_hash_of_the_canonical_text():
    expected = "1-" + hashlib.sha256(WHOLE.encode()).hexdigest()
    assert key_of(Address("openai", "m", "http://h:1/v1"), "r", REQUEST) == expected


def test_another_process_makes_the_same_key():
    code = "from ledger_made import *\nprint(key_of(ADDRESS, REVISION, question(3)), end='')"
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12", "PYTHONPATH": tests},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == key_of(ADDRESS, "seer-2", question(3))


@pytest.mark.parametrize(
    "other",
    [
        replace(question(), system="You guess."),
        replace(question(), parts=("How far has it got?",)),
        replace(question(), parts=question().parts[::-1]),
        replace(question(), schema=None),
        replace(question(), schema={"type": "string"}),
        replace(question(), sampling=Sampling(temperature=0.1)),
        replace(question(), sampling=Sampling(max_tokens=9)),
        replace(question(), sampling=Sampling(top_p=1.0)),
        replace(question(), sampling=Sampling(seed=0)),
        replace(question(), options=("yes", "no")),
        question(number=1),
        question(text="How far has it got? "),
        question(sample=1),
    ],
)
def test_whatever_can_change_the_answer_changes_the_key(other):
    assert key_of(ADDRESS, "r", other) != key_of(ADDRESS, "r", question())


@pytest.mark.parametrize(
    ("address", "revision"),
    [
        (replace(ADDRESS, provider="gemini"), "r"),
        (replace(ADDRESS, name="seer-large"), "r"),
        (replace(ADDRESS, url="http://localhost:8001/v1"), "r"),
        (ADDRESS, "s"),
    ],
)
def test_another_model_or_revision_is_another_key(address, revision):
    assert key_of(address, revision, question()) != key_of(ADDRESS, "r", question())


def test_how_a_request_is_written_down_does_not_matter():
    turned = {"properties": {"score": {"type": "number"}}, "type": "object"}
    same = replace(question(), schema=MappingProxyType(turned))
    assert key_of(ADDRESS, "r", same) == key_of(ADDRESS, "r", question())
    assert key_of(ADDRESS, "r", sampled(temperature=1)) == key_of(
        ADDRESS, "r", sampled(temperature=1.0)
    )


def test_the_pixels_count_and_not_their_coding():
    one, two = (Request((Picture(jpeg, "k", 1, 1),)) for jpeg in (b"a", b"b"))
    assert key_of(ADDRESS, "r", one) == key_of(ADDRESS, "r", two)


def test_secrets_in_an_address_do_not_count_and_the_revision_asked_for_neither():
    secret = Address("openai", "seer", "http://me:pw@localhost:8000/v1/?key=k", revision="x")
    assert key_of(secret, "r", question()) == key_of(ADDRESS, "r", question())


@given(PARTS, PARTS)
def test_two_questions_share_a_key_only_if_they_are_the_same(one, two):
    keys = {key_of(ADDRESS, "r", Request(parts)) for parts in (one, two)}
    assert (len(keys) == 1) == (one == two)


@given(TEXT, TEXT, TEXT, TEXT)
def test_model_and_revision_never_run_into_each_other(a, b, c, d):
    keys = {key_of(Address("p", n), r, question()) for n, r in ((a, b), (c, d))}
    assert (len(keys) == 1) == ((a, b) == (c, d))


@pytest.mark.parametrize("schema", [{"a": float("nan")}, {"a": object()}])
def test_a_schema_that_is_no_json_is_told(schema):
    with pytest.raises(UsageError, match="must be plain JSON"):
        key_of(ADDRESS, "r", Request(("?",), schema=schema))
