"""The journal: what it keeps, and what it refuses."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine import Journal
from assay.engine.journal import make_durable
from assay.errors import RunError, UsageError

KEYS = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.sqlite"


def fill(path, count=3, size=10):
    with Journal(path, "f") as journal:
        journal.put([(f"{i:04}", bytes(size)) for i in range(count)])


@given(st.dictionaries(KEYS, st.binary()))
def test_what_is_put_comes_back_sorted_by_key(results):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        with Journal(path, "f") as journal:
            journal.put(list(results.items()))
        with Journal(path, "f") as journal:
            assert list(journal.items()) == sorted(results.items())
            assert journal.done() == results.keys()


def test_only_the_journal_itself_is_left_when_closed(path):
    fill(path)
    assert [child.name for child in path.parent.iterdir()] == ["journal.sqlite"]


def test_the_settings_of_the_file(path):
    with Journal(path, "f") as journal:
        assert journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert journal._db.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA


def test_without_shared_memory_a_rollback_journal_does(path):
    # SQLite's unix-dotfile file system has no shared memory, like many network file systems.
    db = sqlite3.connect(f"file:{path}?vfs=unix-dotfile", uri=True)
    make_durable(db)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert db.execute("PRAGMA synchronous").fetchone() == (3,)
    db.close()


def test_another_fingerprint_is_another_run(path):
    fill(path)
    with pytest.raises(RunError, match=f"{path.parent} holds another run"):
        Journal(path, "g")
    with Journal(path, "f") as journal:
        assert len(journal.done()) == 3


def test_a_second_result_for_a_key_is_refused_and_nothing_stored(path):
    with Journal(path, "f") as journal:
        journal.put([("a", b"1")])
        with pytest.raises(UsageError, match="second result"):
            journal.put([("b", b"2"), ("a", b"3")])
        assert list(journal.items()) == [("a", b"1")]
        journal.put([("b", b"2")])
        assert journal.done() == {"a", "b"}


def test_an_empty_file_is_a_journal_that_was_not_begun(path):
    path.touch()
    with Journal(path, "f") as journal:
        assert journal.done() == frozenset()


def test_text_is_no_journal(path):
    path.write_text("episode,task\n" * 100)
    with pytest.raises(RunError, match="is not the journal of a run"):
        Journal(path, "f")
    assert not path.with_name("journal.sqlite.lock").exists()


def test_another_database_is_no_journal(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE songs (title TEXT)")
    db.close()
    with pytest.raises(RunError, match="is a database, but not the journal of a run"):
        Journal(path, "f")


def test_a_later_version_is_told(path):
    fill(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=2")
    db.close()
    with pytest.raises(RunError, match=r"a journal of version 2; .* reads version 1"):
        Journal(path, "f")


@pytest.mark.parametrize("keep", [0.4, 0.9])
def test_a_cut_file_is_damaged(path, keep):
    fill(path, count=200, size=1000)
    os.truncate(path, int(path.stat().st_size * keep))
    with pytest.raises(RunError, match="damaged"):
        Journal(path, "f")


def test_a_journal_of_no_run_is_damaged(path):
    fill(path, count=1, size=1)
    with sqlite3.connect(path) as base:
        base.execute("DELETE FROM run")
    base.close()
    with pytest.raises(RunError, match="damaged"):
        Journal(path, "f")


def test_overwritten_pages_are_damage(path):
    fill(path, count=200, size=1000)
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * 20_000)
    with pytest.raises(RunError, match="damaged"):
        Journal(path, "f")


def test_a_directory_that_is_not_there_is_told(tmp_path):
    with pytest.raises(RunError, match="No such file or directory"):
        Journal(tmp_path / "nowhere" / "journal.sqlite", "f")


def test_a_directory_in_place_of_the_file_is_told(path):
    path.mkdir()
    with pytest.raises(RunError, match="can't be read or written"):
        Journal(path, "f")


def test_a_full_disk_is_told_and_keeps_what_was_put(path):
    with Journal(path, "f") as journal:
        journal.put([("kept", b"1")])
        (pages,) = journal._db.execute("PRAGMA page_count").fetchone()
        journal._db.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(RunError, match=r"No space is left.*free some space and run the same"):
            journal.put([("small", b"2"), ("large", bytes(100_000))])
    with Journal(path, "f") as journal:
        assert list(journal.items()) == [("kept", b"1")]


def test_two_journals_on_one_file_are_refused(path):
    with (
        Journal(path, "f"),
        pytest.raises(
            RunError, match=rf"Another process \(pid {os.getpid()}\) is running in {path.parent}"
        ),
    ):
        Journal(path, "f")
    Journal(path, "f").close()


HOLD = """
import sys, pathlib, assay.engine
journal = assay.engine.Journal(pathlib.Path(sys.argv[1]), "f")
print("open", flush=True)
sys.stdin.read()
"""


def test_the_lock_goes_with_its_process(path):
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(RunError, match=rf"pid {other.pid}\)"):
            Journal(path, "f")
        other.kill()
    fill(path)
    assert not path.with_name("journal.sqlite.lock").exists()


def test_closing_twice_is_harmless(path):
    journal = Journal(path, "f")
    journal.close()
    with Journal(path, "f"):
        journal.close()  # must not take the lock from its new owner
        with pytest.raises(RunError, match="is running in"):
            Journal(path, "f")
