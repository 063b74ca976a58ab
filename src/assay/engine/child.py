"""The life of a worker process."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from assay.engine.base import Report, Worker
from assay.engine.work import failure_of, perform

__all__ = ["serve"]


def serve(pipe: Connection, make_worker: bytes) -> None:
    """Make the worker, say so, then answer each batch with a report until None comes.

    Args:
        pipe: The connection to the run. Its end means that the run is dead.
        make_worker: The pickled factory. Unpickled here, and not by multiprocessing, so that the
            watch over the parent is already kept while a worker imports and loads.
    """
    # Ctrl-C reaches the whole process group; the run alone answers it. The parent blocked the
    # signal before it started us, so none can slip in before this line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with suppress(OSError):  # there may be no stderr
        os.dup2(2, 1)  # stdout belongs to the run's own answer
    inbox: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, inbox), daemon=True).start()
    try:
        worker: Worker = _load(make_worker)()
    except BaseException as error:  # noqa: BLE001 - told to the run, which ends with it
        pipe.send(failure_of("", error))
        return
    pipe.send(None)
    while (batch := inbox.get()) is not None:
        report = Report()
        perform(lambda payload: worker(_load(payload)), batch, report)
        pipe.send(report)


def _listen(pipe: Connection, inbox: SimpleQueue[Any]) -> None:
    """Pass messages on; leave at once when the parent is gone, whatever the worker is doing.

    A thread of its own also keeps the pipe moving: run and worker can't block each other with two
    large messages.
    """
    while True:
        try:
            inbox.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(1)


def _load(data: bytes) -> Any:  # noqa: ANN401 - a payload can be anything
    return pickle.loads(data)  # noqa: S301 - written by the run that started this process
