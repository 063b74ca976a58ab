"""Some hundred damaged files; tests/proof/fuzz_formats.py reads 200,000."""

import pytest

from assay import plugins
from fuzzing import FORMATS, Fuzzer

CASES = 30


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_damaged_files_raise_errors_of_our_own_alone(name, tmp_path):
    fuzzer = Fuzzer(name, tmp_path)
    outcomes = [fuzzer.case(number) for number in range(CASES)]
    assert [fault for outcome in outcomes for fault in outcome.faults] == []
    kinds = {kind for outcome in outcomes for kind in outcome.counts}
    assert len(kinds) > 1  # damage shows, and some of it leaves something to read
    for sample in fuzzer.samples:  # every file is back in its place
        assert fuzzer.read(sample.path) == "read"
