"""Paths that the format of lerobot's progress files must claim."""

import pyarrow as pa
import pyarrow.parquet as pq

from lerobot_sets import write_v30


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    dataset = write_v30(root / "set", videos=False)
    columns = {"episode_index": [0, 0], "frame_index": [0, 1], "progress_dense": [0.0, 1.0]}
    pq.write_table(pa.table(columns), dataset / "sarm_progress.parquet")
    (root / "lost_progress.parquet").write_bytes(b"PAR1")
    return [dataset / "sarm_progress.parquet", root / "lost_progress.parquet"]
