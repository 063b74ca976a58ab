"""Paths that the format of lerobot-eval must claim."""

from formats_made import Made, write_eval_info


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    folder = write_eval_info(root / "eval", [Made.counting(3), Made.counting(2)], kept=1)
    return [folder, folder / "eval_info.json"]
