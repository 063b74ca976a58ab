"""assay ledger."""

from __future__ import annotations

import enum
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._print import AsJson, print_json
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.models.ledger import Info, Ledger

__all__ = ["ledger"]


class _Action(enum.StrEnum):
    """What is done with the ledger."""

    info = "info"
    export = "export"
    merge = "merge"
    pin = "pin"


_TAKES = {
    _Action.info: (),
    _Action.export: ("FILE",),
    _Action.merge: ("FILE",),
    _Action.pin: ("MODEL", "REVISION"),
}


def ledger(
    action: Annotated[
        _Action,
        typer.Argument(help="info; export FILE; merge FILE; pin MODEL REVISION."),
    ] = _Action.info,
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE | MODEL REVISION]", help="What the action needs."),
    ] = None,
    place: Annotated[
        Path | None,
        typer.Option(
            "--ledger", help="The ledger.", show_default="$ASSAY_LEDGER, else in the cache folder"
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Look into the stored answers of models, send them, or take in those of others.

    Example: assay ledger export answers.jsonl.gz
    """
    from assay.models.ledger import Ledger, default_path

    takes, words = _TAKES[action], given or []
    if len(words) != len(takes):
        raise UsageError(
            f"assay ledger {action} takes {' and '.join(takes) or 'nothing more'},"
            f" not {len(words)} words."
        )
    path = place or default_path()
    with Ledger(path, writable=action in (_Action.merge, _Action.pin)) as opened:
        document, lines = _ACTIONS[action](opened, words)
    if json:
        print_json({"schema": "assay.ledger/1", "ledger": str(path), **document})
    else:
        typer.echo("\n".join(lines))


def _info(opened: Ledger, _: list[str]) -> tuple[dict[str, Any], list[str]]:
    found = opened.info()
    how = "write-ahead log" if found.mode == "wal" else "rollback journal"
    document = {"mode": found.mode, "size": found.size, "held": [asdict(h) for h in found.held]}
    head = f"{found.path}: {found.size / 1e6:.1f} MB, {how}, sound"
    return document, [head, *_held(found)]


def _held(found: Info) -> list[str]:
    return [
        f"  {one.model}, revision {one.revision or 'not told'}{'' if one.pinned else ', not used'}:"
        f" {one.answers:,} answers, {one.failures:,} failures,"
        f" {one.input_tokens:,} + {one.output_tokens:,} tokens, {one.cost:.2f} USD"
        for one in found.held
    ] or ["  no answers yet"]


def _export(opened: Ledger, words: list[str]) -> tuple[dict[str, Any], list[str]]:
    count = opened.export(Path(words[0]))
    return {"exported": count, "file": words[0]}, [f"{count:,} answers are in {words[0]}."]


def _merge(opened: Ledger, words: list[str]) -> tuple[dict[str, Any], list[str]]:
    done = opened.merge(Path(words[0]))
    lines = [f"{done.added:,} answers added, {done.known:,} were there."]
    if done.differing:
        lines.append(f"{done.differing:,} questions have another answer here; it was kept.")
    lines += [f"{model} has another revision pinned here; it was kept." for model in done.unpinned]
    return asdict(done), lines


def _pin(opened: Ledger, words: list[str]) -> tuple[dict[str, Any], list[str]]:
    from assay.models.address import parse

    model, revision = words
    opened.pin(parse(model), revision, change=True)
    told = f"{model} is looked up as {revision!r} from now on; other answers stay, unused."
    return {"model": model, "revision": revision}, [told]


_ACTIONS = {
    _Action.info: _info,
    _Action.export: _export,
    _Action.merge: _merge,
    _Action.pin: _pin,
}
