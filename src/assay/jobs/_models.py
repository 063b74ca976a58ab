"""Let judges that ask a model do so: which model, through one session, and what it took."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.jobs._describe import describe_judge
from assay.jobs._rundir import dump_json, write_file
from assay.judges.base import Judge
from assay.models import session
from assay.models.session import ModelSettings, Session, Usage

__all__ = ["asking", "asks", "standing", "usage_document", "with_model", "write_usage"]

_MODEL = "model"
_NOTHING = Usage()


def asks(judge: Judge) -> bool:
    """Tell whether a judge asks over a network, and so through the session."""
    return judge.bound == "network"


@contextmanager
def asking(judges: Iterable[Judge], settings: ModelSettings | None) -> Iterator[Session | None]:
    """Open one session for all judges; None where no judge asks a model.

    Args:
        judges: Who may ask.
        settings: How; None takes the session that is open in this process, else the defaults.
    """
    if not any(map(asks, judges)):
        yield None
    elif settings is None:
        yield session.current()
    else:
        with session.opened(settings) as opened:
            yield opened


def with_model(judges: Sequence[Judge], model: str) -> list[Judge]:
    """Return the judges, with `model` given to every one that has an option of that name.

    Raises:
        UsageError: No judge takes a model, or one was given another already.
    """
    if not model:
        return list(judges)
    if not any(map(_takes_model, judges)):
        names = " nor ".join(describe_judge(judge)["name"] for judge in judges)
        raise UsageError(
            f"--model is for judges that ask a model, and {names} does not: leave it out, or"
            " choose a judge that does, such as --judge gvl."
        )
    return [_given(judge, model) if _takes_model(judge) else judge for judge in judges]


def _takes_model(judge: Judge) -> bool:
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(judge)  # type: ignore[arg-type]  # a judge is a dataclass
    return any(field.name == _MODEL and field.init for field in fields)


def _given(judge: Judge, model: str) -> Judge:
    known = getattr(judge, _MODEL)
    if known and known != model:
        raise UsageError(f"Two models are given: --model {model} and --set model={known}.")
    made: Judge = dataclasses.replace(judge, **{_MODEL: model})  # type: ignore[type-var]  # as above
    return made


def standing(opened: Session | None) -> Mapping[str, Usage]:
    """Return what a session was used for so far, by model; nothing of no session."""
    return {} if opened is None else opened.usage()


def write_usage(path: Path, opened: Session | None, before: Mapping[str, Usage]) -> None:
    """Write what a session was used for since it stood at `before`.

    Where nothing was asked, what was written last stays: a report made anew tells it again.
    """
    now = standing(opened)
    since = {model: _less(usage, before.get(model, _NOTHING)) for model, usage in now.items()}
    used = {model: usage for model, usage in since.items() if usage != _NOTHING}
    if used:
        write_file(path, dump_json(usage_document(used)))


def _less(now: Usage, before: Usage) -> Usage:
    counts = {
        name: getattr(now, name) - getattr(before, name)
        for name in ("calls", "cached", "failed", "input_tokens", "output_tokens", "pictures")
    }
    known = now.cost is not None and before.cost is not None
    return Usage(**counts, cost=now.cost - before.cost if known else None)  # type: ignore[operator]  # both are known


def usage_document(usage: Mapping[str, Usage]) -> dict[str, Any]:
    """Return what `usage.json` holds."""
    return {
        "schema": "assay.usage/1",
        "models": {model: dataclasses.asdict(usage[model]) for model in sorted(usage)},
    }
