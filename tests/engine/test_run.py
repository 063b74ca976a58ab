"""Values, order, resume, failures: the same in processes, in threads and right here."""

import sys
import threading
from functools import partial

import pytest

from assay.engine import Failure, Journal, Unit, run
from assay.errors import RunError, UnknownNameError, UsageError
from engine_workers import (
    Unpicklable,
    broken_factory,
    calling,
    cancelled,
    die_unless_there,
    dying_factory,
    lines,
    logging_squares,
    numbers,
    squares,
    stopping,
)

PLACES = {
    "processes": {"bound": "cpu", "jobs": 2},
    "threads": {"bound": "network", "jobs": 8},
    "here": {"bound": "cpu", "jobs": 1},
}
SQUARES = [("00000", b"0"), ("00001", b"1"), ("00002", b"4"), ("00003", b"9")]


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "journal.sqlite", "f") as opened:
        yield opened


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


def test_values_come_sorted_whatever_the_order_of_units(journal, place):
    tally = run(squares, reversed(numbers(4)), journal, **place)
    assert list(journal.items()) == SQUARES
    assert (tally.total, tally.skipped, tally.done, tally.failed) == (None, 0, 4, 0)


def test_a_second_run_does_the_rest_only(journal, place, tmp_path):
    worker = partial(logging_squares, tmp_path / "log", 0)
    run(worker, numbers(3), journal, **place)
    tally = run(worker, numbers(5), journal, **place)
    assert (tally.total, tally.skipped, tally.done) == (5, 3, 2)
    assert sorted(lines(tmp_path / "log")) == ["0", "1", "2", "3", "4"]


def test_nothing_is_started_when_nothing_is_left(journal, place, tmp_path):
    made = tmp_path / "made"
    worker = partial(logging_squares, tmp_path / "log", 0, made)
    run(worker, numbers(1), journal, **place)
    tally = run(worker, numbers(1), journal, **place)
    assert (tally.skipped, tally.done) == (1, 0)
    assert len(lines(made)) == 1


def test_a_unit_that_raises_fails_alone_and_is_tried_again(journal, place):
    tally = run(squares, [*numbers(2), Unit("bad", "seven"), *numbers(4)[2:]], journal, **place)
    (failure,) = tally.failures
    assert (failure.key, failure.type) == ("bad", "ValueError")
    assert failure.message == "invalid literal for int() with base 10: 'seven'"
    assert "_square" in failure.traceback
    assert list(journal.items()) == SQUARES
    assert run(squares, [Unit("bad", 7)], journal, **place).done == 1


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (partial(sys.exit, "enough"), "SystemExit"),
        (cancelled, "CancelledError"),
        (str, "TypeError"),
    ],
    ids=["exits", "is cancelled", "returns text"],
)
def test_whatever_a_unit_does_is_its_own_failure(journal, place, payload, name):
    tally = run(calling, [Unit("odd", payload), Unit("even", bytes)], journal, **place)
    assert [(f.key, f.type) for f in tally.failures] == [("odd", name)]
    assert list(journal.items()) == [("even", b"")]


def test_a_worker_is_made_once_a_process_and_once_for_all_threads(journal, tmp_path):
    made = tmp_path / "made"
    worker = partial(logging_squares, tmp_path / "log", 0.05, made)
    run(worker, numbers(20), journal, bound="network", jobs=4)
    assert len(lines(made)) == 1
    run(worker, numbers(30), journal, jobs=2)
    assert len(set(lines(made)[1:])) == 2


def test_no_more_processes_than_units(journal, tmp_path):
    made = tmp_path / "made"
    run(partial(logging_squares, tmp_path / "log", 0, made), numbers(1), journal, jobs=8)
    assert len(lines(made)) == 1


def test_threads_work_side_by_side(journal):
    # All four units wait for each other: they end only if four run at the same moment.
    barrier = threading.Barrier(4)
    units = [Unit(str(i), lambda: bytes(barrier.wait(60) >= 0)) for i in range(4)]
    assert run(calling, units, journal, bound="network", jobs=4).done == 4


def test_a_worker_that_dies_once_is_replaced_and_its_unit_tried_again(journal, tmp_path):
    units = [Unit(f"{i}", partial(bytes, i)) for i in range(40)]
    units.insert(20, Unit("deadly", partial(die_unless_there, tmp_path / "died")))
    tally = run(calling, units, journal, jobs=2)
    assert (tally.done, tally.failed) == (41, 0)
    assert dict(journal.items())["deadly"] == b"survived"


def test_a_unit_that_kills_its_worker_twice_fails_alone(journal):
    units = [Unit(f"{i}", partial(bytes, i)) for i in range(40)]
    units[20:20] = [Unit("deadly", dying_factory), Unit("deadlier", dying_factory)]
    tally = run(calling, units, journal, jobs=2)
    assert tally.done == 40
    words = "The worker died 2 times while it ran this unit: exit code 9."
    assert tally.failures == (
        Failure("deadlier", "WorkerDied", words),
        Failure("deadly", "WorkerDied", words),
    )


def test_a_thread_outlives_what_it_runs(journal):
    units = [Unit("stop", stopping), Unit("go", bytes)]
    tally = run(calling, units, journal, bound="network", jobs=1)
    assert [(f.key, f.type) for f in tally.failures] == [("stop", "WorkerDied")]
    assert journal.done() == {"go"}


def test_a_payload_that_cannot_be_sent_fails_alone(journal):
    units = [Unit("a", 1), Unit("b", Unpicklable()), Unit("c", 2), Unit("d", Unpicklable())]
    tally = run(squares, units, journal, jobs=2)
    assert [(f.key, f.message) for f in tally.failures] == [
        ("b", "not to be sent"),
        ("d", "not to be sent"),
    ]
    assert list(journal.items()) == [("a", b"1"), ("c", b"4")]


def test_large_payloads_and_results_do_not_block_each_other(journal):
    # 2 MB each way is far more than a pipe holds: with one thread a side, both would wait to send.
    payload = partial(bytes.__mul__, b"x" * 2_000_000, 1)
    tally = run(calling, [Unit(str(i), payload) for i in range(20)], journal, jobs=2)
    assert tally.done == 20
    assert {len(value) for _, value in journal.items()} == {2_000_000}


def test_a_worker_that_cannot_be_made_ends_the_run(journal, place):
    with pytest.raises(RunError, match="LookupError: no weights in this folder"):
        run(broken_factory, numbers(4), journal, **place)
    assert journal.done() == frozenset()


def test_processes_that_die_while_starting_end_the_run(journal):
    with pytest.raises(RunError, match=r"No worker process could start \(exit code 9\)"):
        run(dying_factory, numbers(4), journal, jobs=2)


def test_a_factory_that_cannot_be_sent_is_refused(journal):
    with pytest.raises(UsageError, match="can't be sent to another process"):
        run(lambda: bytes, numbers(4), journal, jobs=2)


def test_a_full_disk_ends_the_run_and_keeps_what_is_stored(journal, place):
    run(squares, numbers(4), journal, **place)
    (pages,) = journal._db.execute("PRAGMA page_count").fetchone()
    journal._db.execute(f"PRAGMA max_page_count={pages + 10}")
    units = [Unit(f"more {i}", partial(bytes, 3000)) for i in range(100)]
    with pytest.raises(RunError, match="No space is left"):
        run(calling, units, journal, **place)
    assert list(journal.items())[:4] == SQUARES
    journal._db.execute("PRAGMA max_page_count=1000000")
    tally = run(calling, units, journal, **place)
    assert tally.skipped + tally.done == 100


def test_duplicate_keys_are_refused_and_what_came_back_is_kept(journal, place):
    with pytest.raises(UsageError, match="Two units have the key '00001'"):
        run(squares, [*numbers(2), Unit("00001", 5)], journal, **place)
    assert set(journal.items()) <= set(SQUARES[:2])


def test_keys_are_text(journal, place):
    with pytest.raises(UsageError, match="not text that can be stored"):
        run(squares, [Unit("\udcff", 1)], journal, **place)


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_must_be_positive(journal, jobs):
    with pytest.raises(UsageError, match="at least 1"):
        run(squares, numbers(1), journal, jobs=jobs)


def test_an_unknown_bound_is_refused(journal):
    with pytest.raises(UnknownNameError, match=r"'gpu'.*Known: cpu, network"):
        run(squares, numbers(1), journal, bound="gpu")
