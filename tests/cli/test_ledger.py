"""`assay ledger` and `assay replay`, as they are typed."""

import json

import pytest

from assay.cli._app import run
from assay.models.ledger import Ledger
from ledger_made import ADDRESS, question, reply, store


@pytest.fixture
def kept(tmp_path, monkeypatch):
    path = tmp_path / "ledger.sqlite"
    monkeypatch.setenv("ASSAY_LEDGER", str(path))
    with Ledger(path) as ledger:
        store(ledger, question(1), reply())
        store(ledger, question(2), reply("", status="refused"))
    return path


def typed(capfd, *words):
    """Return the exit code, and what was printed on stdout and stderr."""
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    said = capfd.readouterr()
    return ended.value.code, said.out, said.err


def test_info_says_what_there_is(kept, capfd):
    code, said, _ = typed(capfd, "ledger")
    assert code == 0
    assert "write-ahead log, sound" in said
    assert "revision seer-2: 1 answers, 1 failures, 600 + 16 tokens" in said
    code, said, _ = typed(capfd, "ledger", "info", "--json")
    (held,) = json.loads(said)["held"]
    assert (held["answers"], held["failures"], held["pinned"]) == (1, 1, True)


def test_answers_are_sent_and_taken_in(kept, capfd, tmp_path):
    sent, other = tmp_path / "answers.jsonl.gz", tmp_path / "other.sqlite"
    assert typed(capfd, "ledger", "export", sent)[:2] == (0, f"1 answers are in {sent}.\n")
    for told in ("1 answers added, 0 were there.\n", "0 answers added, 1 were there.\n"):
        assert typed(capfd, "ledger", "merge", sent, "--ledger", other)[:2] == (0, told)
    code, _, told = typed(capfd, "ledger", "export", sent)
    assert code == 2
    assert "is there already" in told


def test_a_revision_is_pinned_anew(kept, capfd):
    code, said, _ = typed(capfd, "ledger", "pin", ADDRESS, "seer-3")
    assert code == 0
    assert "looked up as 'seer-3'" in said
    with Ledger(kept) as ledger:
        assert ledger.revision(ADDRESS) == "seer-3"
    assert "revision seer-2, not used: 1 answers" in typed(capfd, "ledger")[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["export"], "assay ledger export takes FILE, not 0 words"),
        (["pin", "openai:m"], "assay ledger pin takes MODEL and REVISION, not 1 words"),
        (["info", "x"], "assay ledger info takes nothing more, not 1 words"),
        (["merge", "none.gz"], "there is no such file"),
    ],
)
def test_what_cannot_be_meant_is_told(kept, capfd, words, told):
    code, said, why = typed(capfd, "ledger", *words)
    assert (code, said) == (2, "")
    assert told in why


def test_replay_of_what_is_no_run_is_told(capfd, tmp_path):
    code, _, told = typed(capfd, "replay", tmp_path)
    assert code == 2
    assert "is no run directory" in told
