"""A watch that nobody needs any more leaves nothing behind."""

import gc
import threading

from assay.worlds.watch import Watch


class Caller:
    """Owns its watch, and is what the watch calls last."""

    def __init__(self):
        self.watch = Watch(30.0)

    def ask(self):
        return self.watch.call(self.answer)

    def answer(self):
        return 7


def test_a_caller_that_is_dropped_takes_its_thread_along():
    # The thread once kept the last call, that the caller, and that the watch: 0.7 MB an attempt.
    before = set(threading.enumerate())
    callers = [Caller() for _ in range(5)]
    assert [caller.ask() for caller in callers] == [7] * 5
    made = set(threading.enumerate()) - before
    assert len(made) == 5
    del callers
    gc.collect()
    for thread in made:
        thread.join(timeout=5.0)
    assert not any(thread.is_alive() for thread in made)
