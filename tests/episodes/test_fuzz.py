"""Some hundred damaged files; tests/proof/fuzz_formats.py reads 200,000."""

import random
import runpy
import zipfile
import zlib
from pathlib import Path

import pytest

import damage
from assay import plugins
from formats_made import bomb
from fuzzing import FORMATS, Fuzzer

CASES = 30
PROOF = Path(__file__).parent.parent / "proof"
STAND_IN = """
import json, sys, time
words = dict(zip(sys.argv[2::2], sys.argv[3::2]))
first = int(words["--first"])
for number in range(first, first + int(words["--cases"])):
    if number == 2:
        time.sleep(60)
    print(json.dumps([number, {"read": 1}, [], 7]), flush=True)
"""


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_damaged_files_raise_errors_of_our_own_alone(name, tmp_path):
    fuzzer = Fuzzer(name, tmp_path)
    outcomes = [fuzzer.case(number) for number in range(CASES)]
    assert [fault for outcome in outcomes for fault in outcome.faults] == []
    kinds = {kind for outcome in outcomes for kind in outcome.counts}
    assert len(kinds) > 1  # damage shows, and some of it leaves something to read
    for sample in fuzzer.samples:  # every file is back in its place
        assert fuzzer.read(sample.path) == "read"


@pytest.mark.parametrize("seed", range(4))
def test_the_bomb_among_the_damages_is_a_real_one(tmp_path, seed):
    path = bomb(tmp_path / "a.zip", "x", 10)
    path.write_bytes(damage._bomb(path, random.Random(seed)))
    with zipfile.ZipFile(path) as archive, archive.open("x") as member:
        (about,) = archive.infolist()
        # What is packed is far more than what most of these archives claim.
        unpacked = zlib.decompressobj(-zlib.MAX_WBITS)
        member._fileobj.seek(about.header_offset + 30 + len("x"))
        packed = member._fileobj.read(about.compress_size)
    assert len(unpacked.decompress(packed, 1 << 22)) == 1 << 22
    assert len(packed) < 1 << 22


def test_a_batch_that_hangs_is_ended_and_the_next_case_goes_on(monkeypatch, tmp_path):
    """A stand-in for the batch tells of two cases, sleeps at the third, and does the rest."""
    campaign = runpy.run_path(str(PROOF / "fuzz_formats.py"))
    script = tmp_path / "batch.py"
    script.write_text(STAND_IN)
    names = campaign["supervised"].__globals__
    monkeypatch.setitem(names, "__file__", str(script))
    monkeypatch.setitem(names, "SILENCE_S", 3)
    found = campaign["supervised"](0, "gif", 0, 6)
    assert found.counts == {"read": 5}
    assert [(fault.number, fault.words) for fault in found.faults] == [(2, "hangs")]
    assert found.peak_mb == 7
