"""Files that are no ledger, places that can't hold one, and disks that are full."""

import sqlite3
from pathlib import Path

import pytest

from assay.errors import InputError, RunError
from assay.jobs import doctor
from assay.models import _ledger_places as places
from assay.models.ledger import Ledger
from ledger_made import question, reply, store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


def fill(path, count=3):
    with Ledger(path) as ledger:
        return [store(ledger, question(i), reply(str(i))) for i in range(count)]


def change(path, statement):
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.close()


def test_a_ledger_of_a_newer_version_is_refused_and_untouched(path):
    fill(path)
    change(path, "PRAGMA user_version=2")
    before = path.read_bytes()
    for writable in (True, False):
        with pytest.raises(
            InputError, match=r"a ledger of version 2; this version .* reads version 1"
        ):
            Ledger(path, writable=writable)
    assert path.read_bytes() == before


def test_a_database_of_someone_else_is_refused(path):
    change(path, "CREATE TABLE mine (x)")
    with pytest.raises(InputError, match="not a ledger of answers"):
        Ledger(path)


def test_a_file_that_is_no_database_is_refused(path):
    path.write_bytes(b"What is this? " * 500)
    with pytest.raises(InputError, match="damaged or no ledger at all"):
        Ledger(path)


def test_damage_is_told_when_it_is_met(path):
    keys = fill(path, 30)
    data = bytearray(path.read_bytes())
    data[8192:] = bytes([255]) * (len(data) - 8192)
    path.write_bytes(data)
    with Ledger(path) as ledger:
        with pytest.raises(InputError, match="damaged"):
            [ledger.get(key) for key in keys]
        with pytest.raises(InputError, match="damaged"):
            ledger.info()


def test_an_entry_that_makes_no_sense_is_told(path):
    (key,) = fill(path, 1)
    change(path, "UPDATE entries SET reply = '{}'")
    with Ledger(path) as ledger, pytest.raises(InputError, match=f"the entry {key} .* is damaged"):
        ledger.get(key)


def test_a_full_disk_is_told_and_keeps_what_was_stored(path):
    with Ledger(path) as ledger:
        key = store(ledger, question(0), reply("kept"))
        (pages,) = ledger._writer.execute("PRAGMA page_count").fetchone()
        ledger._writer.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(RunError, match="No space is left for the ledger"):
            store(ledger, question(1), reply("x" * 100_000))
        assert ledger.get(key).text == "kept"
        ledger._writer.execute("PRAGMA max_page_count=1000000")
        other = store(ledger, question(1), reply("x" * 100_000))
        assert len(ledger.get(other).text) == 100_000


def test_a_ledger_that_others_hold_is_told_and_taken_up_again(path):
    fill(path)
    db = sqlite3.connect(path, isolation_level=None)
    with Ledger(path, patience_s=0.05) as ledger:
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(RunError, match="in use by other processes"):
            store(ledger, question(9), reply())
        db.execute("ROLLBACK")
        assert ledger.get(store(ledger, question(9), reply("late"))).text == "late"
    db.close()


def test_a_place_that_can_hold_no_file_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"can't be written .* set ASSAY_LEDGER"):
        Ledger(tmp_path / "file" / "ledger.sqlite")
    with pytest.raises(RunError, match=r"can't be written .* set ASSAY_LEDGER"):
        Ledger(tmp_path)


def test_to_read_there_must_be_a_ledger(path):
    with pytest.raises(InputError, match="there is no ledger"):
        Ledger(path, writable=False)
    path.touch()
    with pytest.raises(InputError, match="an empty file"):
        Ledger(path, writable=False)


def test_a_ledger_to_be_read_takes_no_answers(path):
    (key,) = fill(path, 1)
    with Ledger(path, writable=False) as ledger:
        with pytest.raises(RunError, match="can't be written"):
            store(ledger, question(5), reply())
        assert ledger.get(key).text == "0"


def without_room_beside(monkeypatch):
    """Pretend a folder that can't be written: files next to a ledger can't be made there."""
    real = sqlite3.connect

    def connect(name, **options):
        if "mode=ro" in name and "immutable" not in name:
            return real("file:/nowhere/at/all?mode=ro", **options | {"factory": Refusing})
        return real(name, **options)

    class Refusing(sqlite3.Connection):
        def __init__(self, *_, **options):
            super().__init__(":memory:", check_same_thread=False)

        def execute(self, *_):
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error

    monkeypatch.setattr(sqlite3, "connect", connect)


def test_a_folder_that_cannot_be_written_can_be_read(path, monkeypatch):
    (key,) = fill(path, 1)
    without_room_beside(monkeypatch)
    with Ledger(path, writable=False) as ledger:
        assert ledger.get(key).text == "0"


def test_answers_that_wait_in_a_log_there_are_not_passed_over(path, monkeypatch):
    fill(path)
    path.with_name("ledger.sqlite-wal").write_bytes(b"answers")
    without_room_beside(monkeypatch)
    with pytest.raises(
        InputError, match=r"was not closed.*copy it together with ledger\.sqlite-wal"
    ):
        Ledger(path, writable=False)


def test_a_write_ahead_log_where_it_works_and_a_rollback_journal_on_a_network(path, monkeypatch):
    fill(path)
    with Ledger(path) as ledger:
        assert ledger.info().mode == "wal"
    monkeypatch.setattr(places, "file_system", lambda path: "nfs4")
    with Ledger(path) as ledger:
        assert ledger.info().mode == "delete"
        assert ledger._writer.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
        store(ledger, question(9), reply())
        assert not path.with_name("ledger.sqlite-wal").exists()


@pytest.mark.parametrize(
    ("kind", "networked"), [("ext4", False), ("", False), ("nfs", True), ("fuse.sshfs", True)]
)
def test_which_file_systems_are_networked(monkeypatch, kind, networked):
    monkeypatch.setattr(places, "file_system", lambda path: kind)
    assert places.is_networked(Path("/x")) is networked


def test_the_innermost_mount_tells_the_file_system(monkeypatch, tmp_path):
    inner = tmp_path / "a b"
    inner.mkdir()
    listed = (
        "1 0 0:1 / / rw - overlay none rw\n"
        f"2 1 0:2 / {str(inner).replace(' ', chr(92) + '040')} rw shared:1 - nfs4 host:/x rw\n"
        "3 1 0:3 / /elsewhere rw - tmpfs none rw\n"
    )
    monkeypatch.setattr(Path, "read_text", lambda self, encoding: listed)
    assert places.file_system(inner / "not" / "there.sqlite") == "nfs4"
    assert places.file_system(tmp_path / "l.sqlite") == "overlay"


def test_doctor_says_where_and_how(monkeypatch, path):
    monkeypatch.setenv("ASSAY_LEDGER", str(path))
    monkeypatch.setattr(places, "file_system", lambda path: "nfs4")
    check = doctor._ledger()
    assert check.ok
    assert check.found == (
        f"{path} on nfs4, a network file system: rollback journal (slower, as safe)"
    )
    monkeypatch.setattr(places, "file_system", lambda path: "ext4")
    assert doctor._ledger().found == f"{path} on ext4: write-ahead log"
    assert list(path.parent.iterdir()) == []


def test_doctor_says_that_a_place_will_not_do(monkeypatch, path):
    path.touch()
    monkeypatch.setenv("ASSAY_LEDGER", str(path / "ledger.sqlite"))
    check = doctor._ledger()
    assert not check.ok
    assert "set ASSAY_LEDGER" in check.found
