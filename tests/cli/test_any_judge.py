"""Rollouts are audited by one command, whoever judges: only what follows `--judge` changes."""

import pytest

from any_judge import JUDGES, audited
from assay.cli._app import run

CHEAP = ("--views", "front", "--size", "64", "--quality", "fast", "--fps", "5", "--jobs", "1")


@pytest.fixture(scope="module")
def rollouts(tmp_path_factory):
    """An expert and one that drops the block, one attempt each."""
    out = tmp_path_factory.mktemp("demo") / "runs"
    policies = ("--policy", "expert", "--policy", "dropper")
    with pytest.raises(SystemExit) as ended:
        run(["rollout", "lift-block", *policies, "--seeds", "0:1", "--out", str(out), *CHEAP])
    assert not ended.value.code
    return out


@pytest.mark.parametrize("which", JUDGES)
def test_rollouts(rollouts, which, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    document = audited(rollouts, which, tmp_path, "--fps", "0.5")
    assert sum(cell["n"] for cell in document["cells"]) == 2
    assert {cell["group"]["policy"] for cell in document["cells"]} == {"expert", "dropper"}
