"""Answers sent from one ledger to another."""

import gzip
import json

import pytest

from assay.errors import InputError, UsageError
from assay.models.ledger import Ledger, Merged
from ledger_made import ADDRESS, REVISION, question, reply, store


@pytest.fixture
def mine(tmp_path):
    with Ledger(tmp_path / "mine.sqlite") as ledger:
        yield ledger


@pytest.fixture
def yours(tmp_path):
    """A ledger with three answers and a failure."""
    with Ledger(tmp_path / "yours.sqlite") as ledger:
        for i in range(3):
            store(ledger, question(i, text="é \ud83d"), reply(f"answer {i}", logprobs={"a": -0.5}))
        store(ledger, question(9), reply("", status="transport", detail="cut"))
        yield ledger


@pytest.fixture
def sent(yours, tmp_path):
    path = tmp_path / "answers.jsonl.gz"
    assert yours.export(path) == 3
    return path


def rewrite(path, change):
    """Change the lines of an exported file."""
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(change(lines))))


def held(ledger):
    return list(ledger._rows())


@pytest.mark.parametrize("as_file", [True, False])
def test_what_is_sent_arrives_whole(mine, yours, sent, as_file):
    other = sent if as_file else yours.path
    assert mine.merge(other) == Merged(added=3, known=0, differing=0, unpinned=())
    assert held(mine) == held(yours)
    assert mine.revision(ADDRESS) == REVISION
    assert mine.merge(other) == Merged(added=0, known=3, differing=0, unpinned=())


def test_the_same_answers_give_the_same_bytes(mine, yours, sent, tmp_path):
    mine.merge(sent)
    mine.export(tmp_path / "again.gz")
    assert (tmp_path / "again.gz").read_bytes() == sent.read_bytes()


def test_nothing_is_overwritten(mine, sent, yours):
    key = store(mine, question(0, text="é \ud83d"), reply("mine"))
    failed = store(mine, question(1, text="é \ud83d"), reply("", status="refused"))
    mine.pin(ADDRESS, "seer-3", change=True)
    assert mine.merge(sent) == Merged(
        added=2, known=0, differing=1, unpinned=("openai:seer@http://localhost:8000/v1",)
    )
    assert mine.get(key).text == "mine"
    assert mine.get(failed).text == "answer 1"
    assert mine.revision(ADDRESS) == "seer-3"
    with pytest.raises(UsageError, match="is there already"):
        yours.export(sent)


def test_a_ledger_does_not_take_in_itself(yours):
    with pytest.raises(UsageError, match="is the ledger itself"):
        yours.merge(yours.path)


def forged(lines):
    """Give the second answer to another question."""
    document = json.loads(lines[2])
    document["question"]["sample"] = 5
    return [*lines[:2], json.dumps(document).encode() + b"\n", *lines[3:]]


def edited(lines):
    return [*lines[:2], lines[2].replace(b"answer", b"ANSWER"), *lines[3:]]


def newer(lines):
    return [lines[0].replace(b"assay.ledger/1", b"assay.ledger/2"), *lines[1:]]


def failure(lines):
    return [*lines[:2], lines[2].replace(b'"status":"ok"', b'"status":"refused"'), *lines[3:]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: lines[:-1], "cut short"),
        (lambda lines: [], "no exported ledger"),
        (lambda lines: [lines[0], *lines[2:]], "not that of its lines"),
        (edited, "not that of its lines"),
        (forged, "row 3: the key of an answer is not that of its question"),
        (failure, "row 3: holds a failure in place of an answer"),
        (newer, "of another version of Assay"),
        (lambda lines: [b"{}\n"], "no exported ledger"),
        (lambda lines: [b"[]\n"], "row 1: this line is no JSON object"),
        (lambda lines: [lines[0], b'{"key": 1}\n'], "row 2: this line is no answer"),
        (lambda lines: [lines[0], b"no\n"], "no JSON"),
    ],
)
def test_a_file_that_is_not_as_it_was_sent_is_refused_whole(mine, sent, change, told):
    rewrite(sent, change)
    with pytest.raises(InputError, match=told):
        mine.merge(sent)
    assert held(mine) == []
    assert mine.revision(ADDRESS) is None


def test_what_is_no_such_file_is_refused(mine, sent, tmp_path):
    sent.write_bytes(sent.read_bytes()[:-20])
    with pytest.raises(InputError, match="can't be read as a gzipped file"):
        mine.merge(sent)
    sent.write_bytes(b"plain text")
    with pytest.raises(InputError, match="can't be read as a gzipped file"):
        mine.merge(sent)
    with pytest.raises(InputError, match="there is no such file"):
        mine.merge(tmp_path / "none")
