"""What the tests of labels and of joined curves share."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.records import Episode, Series


def series(values):
    return Series(np.arange(len(values), dtype=np.float64), np.array(values))


def episode(name="ep_001", **fields):
    """An episode with a curve and a success signal."""
    signals = {"progress": series([0.0, 1.0]), "success": series([False, True])}
    return Episode(name, "pick", signals=signals, outcome=True, **fields)


def fault(call, *args):
    """The sentence with which a call refuses its input."""
    with pytest.raises(InputError) as caught:
        call(*args)
    return str(caught.value)
