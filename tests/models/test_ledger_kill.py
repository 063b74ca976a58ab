"""Real processes that share a ledger and are killed by a real signal."""

from ledger_killed import run


def test_nothing_that_was_stored_is_lost_or_paid_for_again(tmp_path):
    found = run(tmp_path, writers=2, each=2000, kills=1, seed=0)
    assert found.sound, found
    assert found.kills == 1
