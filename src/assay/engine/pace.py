"""How many units go into a batch."""

from __future__ import annotations

__all__ = ["TARGET_S", "Pacer"]

TARGET_S = 0.2
LARGEST = 4096


class Pacer:
    """Size batches to take about 0.2 s.

    Quick units travel together, because a message and a transaction cost far more than they do.
    Units slower than that go alone, so that a kill loses little.
    """

    def __init__(self) -> None:
        self.size = 1
        self._unit_s = TARGET_S

    @property
    def ahead(self) -> int:
        """Return how many batches each worker should have at hand.

        Two, so that it need not wait for the next one; but a slow unit must not queue behind
        another while other workers stand idle.
        """
        return 2 if self._unit_s < TARGET_S else 1

    def learn(self, count: int, seconds: float) -> None:
        """Learn from a batch of `count` units that took `seconds`; grow at most twofold."""
        if count == 0:
            return
        self._unit_s = max(seconds / count, 1e-9)
        fit = int(TARGET_S / self._unit_s)
        self.size = max(1, min(fit, 2 * self.size, LARGEST))
