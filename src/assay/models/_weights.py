"""Weights on disk: what tells them from all others, and loading them without the network."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.episodes.faults import PARSING, check_file, reaching, reading, worded
from assay.errors import InputError, MissingExtraError

__all__ = [
    "check_complete",
    "check_installed",
    "fingerprint",
    "inference",
    "loading",
    "quiet",
    "read_config",
]

_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth")


def check_installed(feature: str) -> None:
    """Raise `MissingExtraError` unless what loads weights is there; imports nothing."""
    for module, package in (
        ("torch", "torch"),
        ("transformers", "transformers"),
        ("PIL", "pillow"),
    ):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(feature, package, "vlm")


def read_config(folder: Path) -> dict[str, Any]:
    """Return the folder's `config.json`, as transformers saves it beside the weights.

    Raises:
        InputError: There is no such folder or file, or it holds no configuration.
    """
    with reaching(folder):
        if not folder.is_dir():
            raise InputError("is not a folder of a saved model.", folder)
    path = folder / "config.json"
    check_file(path)
    with reading(path):
        config = json.loads(path.read_text("utf-8"))
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise InputError("names no model_type.", path)
    return config


def fingerprint(path: Path) -> str:
    """Return a hash of the weights, and of what says how they are used, under `path`.

    Args:
        path: One file, or a folder whose weights and JSON files count.
    """
    with reaching(path):
        files = sorted(_files(path)) if path.is_dir() else [path]
        if not any(file.match(kind) for file in files for kind in _WEIGHTS):
            raise InputError(f"holds no weights ({', '.join(_WEIGHTS)}).", path)
        stamps = tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
        return _hash(stamps)


def _files(folder: Path) -> Iterator[Path]:
    for kind in (*_WEIGHTS, "*.json", "*.jinja", "*.model", "merges.txt"):
        yield from folder.glob(kind)


@lru_cache(maxsize=16)
def _hash(stamps: tuple[tuple[Path, int, int], ...]) -> str:
    """Hash files once a process, as long as they have not changed."""
    whole = hashlib.sha256()
    for path, _, _ in stamps:
        with path.open("rb") as file:
            whole.update(path.name.encode() + b"\0" + hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:16]


@contextmanager
def loading(path: Path, what: str) -> Iterator[None]:
    """Turn what libraries raise over files that don't fit into an `InputError` that names them."""
    from safetensors import SafetensorError

    faults = (*PARSING, RuntimeError, EOFError, ImportError, SafetensorError)
    try:
        yield
    except (*faults, pickle.UnpicklingError) as error:
        raise InputError(f"can't be loaded as {what} ({worded(error)}).", path) from error


def check_complete(path: Path, what: str, report: dict[str, Any]) -> None:
    """Raise an `InputError` when a model lacks weights: they would be random numbers.

    Args:
        path: The folder.
        what: What it was loaded as.
        report: transformers' report on the loading.
    """
    for lack in ("missing_keys", "mismatched_keys"):
        names = sorted(str(name) for name in report.get(lack, ()))
        if names:
            raise InputError(
                f"has not the weights of {what}: {len(names)} are missing or of another shape,"
                f" {names[0]} first.",
                path,
            )


def quiet() -> None:
    """Keep transformers from drawing bars and from printing what our own messages say."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


@contextmanager
def inference(threads: int) -> Iterator[None]:
    """Let torch use `threads` threads inside, and as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(before)
