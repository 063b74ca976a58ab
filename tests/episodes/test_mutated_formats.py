"""Datasets spoilt at random: one of our own errors or an episode, and nothing else is opened."""

import os
import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from mutations import mutated, read_everything

SAMPLES = Path(__file__).parent / "samples"
FORMATS = ["agibot_world", "aloha", "droid_raw", "maniskill", "reassemble", "rh20t", "robomimic"]
ROUNDS = 30  # of each format

_WATCHED: list[str] = []
_HEARD = False


def _heed(event, args):
    """Note every file that is opened while somebody watches."""
    if _WATCHED and event == "open" and isinstance(args[0], str | bytes | os.PathLike):
        _WATCHED.append(os.fsdecode(args[0]))


@pytest.fixture
def opened():
    """Return the list of the files that Python opens during a test."""
    global _HEARD  # noqa: PLW0603 - an audit hook can't be taken away again
    if not _HEARD:
        sys.addaudithook(_heed)
        _HEARD = True
    _WATCHED.append("begun")
    yield _WATCHED
    _WATCHED.clear()


@pytest.mark.parametrize("name", FORMATS)
def test_spoilt_files_give_errors_of_ours_and_lead_nowhere(name, tmp_path, opened):
    root = tmp_path / "data"
    path = runpy.run_path(str(SAMPLES / f"{name}.py"))["make"](root)[0]
    whole = read_everything(path)
    assert whole > 0
    files = sorted(file for file in root.rglob("*") if file.is_file())
    rng = np.random.default_rng(7)
    spoilt = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, over absurd numbers
        for _ in range(ROUNDS):
            file = files[int(rng.integers(0, len(files)))]
            before = file.read_bytes()
            file.write_bytes(mutated(before, rng))
            spoilt += read_everything(path) < whole
            file.write_bytes(before)
    assert spoilt > 0
    here = (tmp_path, sys.prefix, sys.base_prefix, Path(__file__).parent.parent.parent)
    allowed = (*map(str, here), "/proc", "/sys", "/dev")
    assert [name for name in opened[1:] if not name.startswith(allowed)] == []
