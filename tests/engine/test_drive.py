"""The loop alone, on an engine that only writes down what it is told."""

import itertools

import pytest

from assay.engine import Journal, Unit
from assay.engine.base import Report
from assay.engine.drive import drive
from assay.engine.intake import Intake
from assay.engine.pace import Pacer


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


class Scripted:
    """Finish one batch at each `collect`, oldest first; each unit takes `unit_s`."""

    def __init__(self, slots, unit_s, clock=None):
        self.slots, self.unit_s, self.clock = slots, unit_s, clock or Clock()
        self.batches, self.sizes, self.closed = [], [], []

    def submit(self, batch):
        self.batches.append(batch)
        self.sizes.append(len(batch))

    def wait(self, timeout):
        self.clock.now += 0.025

    def collect(self):
        if not self.batches:
            return []
        batch = self.batches.pop(0)
        results = [(unit.key, b"") for unit in batch]
        return [Report(results=results, seconds=self.unit_s * len(batch))]

    def close(self, *, now):
        self.closed.append(now)


class Greedy(Scripted):
    """Finish nothing until it has been waited for with a timeout: until it has all it can get."""

    full = False

    def wait(self, timeout):
        self.full = timeout > 0

    def collect(self):
        return super().collect() if self.full else []


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "journal.sqlite", "f") as opened:
        yield opened


def test_an_endless_source_is_drawn_from_only_as_workers_take_units(journal):
    engine = Greedy(slots=3, unit_s=1.0)
    drawn = ahead = 0

    def source():
        nonlocal drawn, ahead
        for drawn in itertools.count(1):
            ahead = max(ahead, drawn - len(journal.done()))
            if drawn > 20:
                raise StopAsyncIteration  # an end that is no end of the units
            yield Unit(str(drawn), None)

    with pytest.raises(StopAsyncIteration):
        drive(lambda jobs: engine, source(), journal, jobs=3)
    # Slow units go alone, one a worker. The 4th is drawn when one of the first 3 is back and
    # stored, so with the one being drawn there are never more than 3 without a result.
    assert ahead == 3
    assert set(engine.sizes) == {1}


def test_what_came_back_is_kept_when_the_source_fails(journal):
    engine = Scripted(slots=1, unit_s=1.0)

    def source():
        yield from (Unit(str(i), None) for i in range(5))
        raise OSError("the source broke")

    with pytest.raises(OSError, match="the source broke"):
        drive(lambda jobs: engine, source(), journal, jobs=1)
    assert len(journal.done()) == 5
    assert engine.closed == [True]


def test_quick_units_travel_together_and_the_end_is_even(journal):
    engine = Scripted(slots=2, unit_s=0.01)
    tally = drive(lambda jobs: engine, [Unit(str(i), 0) for i in range(200)], journal, jobs=2)
    assert tally.done == 200
    # 0.2 s / 0.01 s = 20 units a batch, reached by doubling: 1, 2, 4, 8, 16, 20.
    assert max(engine.sizes) == 20
    assert engine.sizes[0] == 1
    assert engine.sizes[-1] == 1
    assert engine.closed == [False]


def test_tallies_come_at_most_ten_times_a_second(journal, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("assay.engine.drive.time", clock)
    told = []
    drive(
        lambda jobs: Scripted(slots=1, unit_s=1.0, clock=clock),
        (Unit(str(i), 0) for i in range(50)),
        journal,
        jobs=1,
        total=50,
        on_tally=told.append,
    )
    # 50 units, one after every wait of 0.025 s, are told of after the first and then after every
    # fourth: 1, 5, 9, ... 49, which makes 13. The last tally of all makes 14.
    assert [tally.done for tally in told] == [*range(1, 50, 4), 50]
    assert told[-1].seconds_left == 0.0


@pytest.mark.parametrize(
    ("jobs", "units", "done", "expected"), [(8, 3, 0, 3), (2, 3, 0, 2), (8, 6, 5, 1)]
)
def test_no_more_workers_than_units_left(journal, jobs, units, done, expected):
    asked = []

    def start(count):
        asked.append(count)
        return Scripted(count, 1.0)

    journal.put([(str(i), b"") for i in range(done)])
    drive(start, [Unit(str(i), 0) for i in range(units)], journal, jobs=jobs)
    assert asked == [expected]


def test_pacer():
    pacer = Pacer()
    assert (pacer.size, pacer.ahead) == (1, 1)
    pacer.learn(1, 0.05)  # 0.2 / 0.05 = 4 would fit; growth is at most twofold
    assert (pacer.size, pacer.ahead) == (2, 2)
    pacer.learn(2, 0.1)
    assert pacer.size == 4
    pacer.learn(4, 0.4)  # 0.1 s each: two fit
    assert pacer.size == 2
    pacer.learn(2, 3.0)
    assert (pacer.size, pacer.ahead) == (1, 1)
    pacer.learn(0, 0.0)  # a batch that was lost teaches nothing
    assert pacer.size == 1


def test_intake_hands_suspects_out_alone_and_first():
    intake = Intake([Unit("a", 0), Unit("b", 0), Unit("c", 0)], frozenset("b"), total=3)
    first = intake.take(1)
    assert [unit.key for unit in first] == ["a"]
    intake.give_back_alone(first[0])
    assert intake.left == 3
    assert [unit.key for unit in intake.take(9)] == ["a"]
    assert [unit.key for unit in intake.take(9)] == ["c"]
    assert intake.take(9) == []
    assert (intake.empty, intake.skipped, intake.left) == (True, 1, 0)
