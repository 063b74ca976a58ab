"""Datasets of others through the command line: init knows them, audit reads them."""

import json
import runpy
from pathlib import Path

import pytest

from assay.cli._app import run

SAMPLES = Path(__file__).parent.parent / "episodes/samples"
SHOWN = ("reassemble", "robomimic")  # a report shows these after coding them anew
FORMATS = ["agibot-world", "aloha", "droid-raw", "maniskill", "reassemble", "rh20t", "robomimic"]


def assay(*arguments):
    with pytest.raises(SystemExit) as caught:
        run([str(a) for a in arguments])
    return caught.value.code or 0


def sample(name, root):
    return runpy.run_path(str(SAMPLES / f"{name.replace('-', '_')}.py"))["make"](root)[0]


@pytest.mark.parametrize("name", FORMATS)
def test_init_knows_it_and_audit_reads_it(name, tmp_path, capsys):
    path = sample(name, tmp_path / "data")
    trust = ["--trust-pickles"] if name == "rh20t" else []
    assert assay("init", path, *trust) == 0
    told = capsys.readouterr().out
    assert f"is read as {name}: " in told
    assert "Can't be read" not in told
    assert told.rstrip().splitlines()[-1].startswith("assay audit ")
    out = tmp_path / "report"
    words = ["audit", path, "--judge", "ramp", "--out", out, "--json", "--jobs", 1]
    words += [] if name in SHOWN else ["--no-video"]
    assert assay(*words, *trust) == 0
    document = json.loads(capsys.readouterr().out)
    assert sum(cell["n"] for cell in document["cells"]) > 0
    assert bool(list((out / "assets/videos").glob("*.mp4"))) == (name in SHOWN)
