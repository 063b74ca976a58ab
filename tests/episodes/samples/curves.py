"""Paths that the format of recorded curves must claim."""


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    table = root / "c.csv"
    table.write_text("episode,task,t,progress\ne,k,0,0.5\n")
    for name in ("c.tsv", "c.jsonl"):
        (root / name).write_text("episode\n")
    return [table, root / "c.tsv", root / "c.jsonl"]
