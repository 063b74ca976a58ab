"""Paths that the format of recorded curves must claim."""

import json


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    table = root / "c.csv"
    table.write_text("episode,task,t,progress\ne,k,0,0.5\n")
    tabs = root / "c.tsv"
    tabs.write_text("episode\ttask\tt\tprogress\tsuccess\ne\tk\t0\t0.5\t1\n")
    episodes = {"episode": "e", "task": "k", "t": [0, 0.1], "progress": [0, None], "success": True}
    stretch = {"name": "reach", "start_s": 0, "end_s": 0.1}
    lines = root / "c.jsonl"
    lines.write_text(json.dumps({**episodes, "segments": [stretch]}) + "\n")
    return [table, tabs, lines]
