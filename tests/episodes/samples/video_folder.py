"""Paths that the format of video folders must claim."""

from clips import write_clip


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    (root / "clips/deep").mkdir(parents=True)
    clip = write_clip(root / "clips/deep/a.mp4", frames=2)
    (root / "listed").mkdir()
    manifests = [root / "listed" / f"manifest.{kind}" for kind in ("csv", "jsonl", "json")]
    for manifest in manifests:
        manifest.write_text("file\n")
    return [root / "clips", clip, root / "listed", *manifests]
