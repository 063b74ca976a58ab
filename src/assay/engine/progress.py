"""A progress bar for people; silence for pipes."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from assay.engine.tally import Tally

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["ProgressBar", "in_words"]


class ProgressBar:
    """Show tallies on stderr if it is a terminal; print nothing otherwise.

    Use it as a context manager and give it to `run` as `on_tally`.

    Args:
        title: Stands before the bar.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = _make_bar()
            self._task = self._bar.add_task(self._title, total=None, facts="")
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __call__(self, tally: Tally) -> None:
        """Show a tally."""
        if self._bar is not None:
            finished = tally.skipped + tally.done + tally.failed
            self._bar.update(
                self._task, total=tally.total, completed=finished, facts=in_words(tally)
            )
            self._bar.refresh()


def _make_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[facts]}"),
        console=Console(file=sys.stderr),
        auto_refresh=False,  # the run calls ten times a second; a thread would only add to that
    )


def in_words(tally: Tally) -> str:
    """Return rate, time left and failures, such as "12.5/s, 0:01:20 left, 3 failed"."""
    facts = []
    if tally.rate >= 1:
        facts.append(f"{tally.rate:.1f}/s")
    elif tally.rate > 0:
        facts.append(f"{60 * tally.rate:.1f}/min")
    if tally.seconds_left is not None:
        minutes, seconds = divmod(round(tally.seconds_left), 60)
        facts.append(f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left")
    if tally.failed:
        facts.append(f"{tally.failed} failed")
    return ", ".join(facts)
