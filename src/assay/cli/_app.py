"""Join the verbs to one command and turn errors into one sentence and an exit code."""

from __future__ import annotations

import functools
import io
import logging
import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated, Any

import typer

from assay import __version__, plugins
from assay.errors import AssayError

__all__ = ["app", "run"]

FIRST_SCREEN = ("demo", "audit", "compare", "diagnose", "certify", "train", "rollout", "rank")


def app() -> typer.Typer:
    """Return the command with every verb found in this folder: one file, one verb."""
    command = typer.Typer(
        name="assay",
        help="Audit the robot, certify the judge.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    found = plugins.names("assay.cli")
    for name in sorted(found, key=lambda n: (_rank(n), n)):
        command.command(name)(_stoppable(plugins.find("assay.cli", name)))
    command.callback()(_root)
    return command


def run(arguments: list[str] | None = None) -> None:
    """Run the command; exit 2 with one sentence on a known error, 130 on Ctrl-C, 3 on a bug."""
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.WARNING)  # more is in the log of the run
    logging.basicConfig(format="assay: %(message)s", handlers=[terminal])
    for stream in (sys.stdout, sys.stderr):  # a name the terminal can't show must not end a run
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()(arguments)
    except AssayError as error:
        sys.stderr.write(f"assay: {error}\n")
        raise SystemExit(2) from None
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except OSError as error:  # what no one foresaw of paths, folders and disks
        sys.stderr.write(f"assay: {error.filename or 'output'}: {error.strerror}.\n")
        raise SystemExit(2) from None
    except Exception:  # noqa: BLE001 - exit 1 would say that the run finished
        traceback.print_exc()
        sys.stderr.write("assay: this is a bug in Assay or in a plug-in; please report it.\n")
        raise SystemExit(3) from None


def _stoppable(verb: Callable[..., None]) -> Callable[..., None]:
    """Return the verb, with a word on Ctrl-C; typer would end it without one."""

    @functools.wraps(verb)
    def wrapped(*arguments: Any, **options: Any) -> None:  # noqa: ANN401 - whatever the verb takes
        try:
            verb(*arguments, **options)
        except KeyboardInterrupt:
            sys.stderr.write("assay: stopped. Run the same command again to go on.\n")
            raise typer.Exit(130) from None

    return wrapped


def _rank(name: str) -> int:
    return FIRST_SCREEN.index(name) if name in FIRST_SCREEN else len(FIRST_SCREEN)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Audit the robot, certify the judge."""
