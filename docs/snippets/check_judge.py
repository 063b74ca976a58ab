"""Check a judge against the contract before you rely on it."""

from pathlib import Path

import numpy as np
from white_block import WhiteBlock

from assay.episodes import catalogue
from assay.judges import check_judge

episode = next(iter(catalogue.read(Path("runs/pi0"))))
check_judge(WhiteBlock(), episode, np.arange(0.0, 3.0, 0.5))
print("The judge keeps the contract.")
