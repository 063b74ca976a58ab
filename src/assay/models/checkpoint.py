"""Keep a training on disk while it goes on, for one that is killed to be taken up. Needs torch."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from assay.errors import InputError

__all__ = ["Checkpoint"]


class Checkpoint:
    """The state of a training in one file, which is always whole.

    Args:
        path: The file, in a folder that is made if need be; None keeps nothing.
        of: Stands for the training. The state of another one is not gone on from.
    """

    def __init__(self, path: Path | None, of: str) -> None:
        self._path, self._of = path, of

    def write(self, state: Mapping[str, Any]) -> None:
        """Put `state`, made of tensors and plain data, in the place of what was there."""
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_name(f".{self._path.name}.partial")
        torch.save({"of": self._of, "state": dict(state)}, partial)
        partial.replace(self._path)

    def read(self) -> dict[str, Any] | None:
        """Return the state of this training; None when nothing is kept of it.

        Raises:
            InputError: The file is damaged.
        """
        if self._path is None or not self._path.is_file():
            return None
        damaged = InputError("is damaged: remove it to train anew.", self._path)
        if not zipfile.is_zipfile(self._path):  # what torch would take for a format of old
            raise damaged
        try:
            found = torch.load(self._path, weights_only=True)
        except (OSError, RuntimeError, pickle.UnpicklingError) as error:
            raise damaged from error
        state: dict[str, Any] | None = found["state"] if found["of"] == self._of else None
        return state
