"""Paths that the format of video folders must claim."""

import json
import shutil

from clips import write_clip


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    (root / "clips/deep").mkdir(parents=True)
    clip = write_clip(root / "clips/deep/a.mp4", frames=2)
    row = {"file": "a.mp4", "episode": "e", "success": "1", "start_s": 0}
    texts = {
        "csv": "file,episode,success,start_s\na.mp4,e,1,0\n",
        "jsonl": json.dumps(row) + "\n",
        "json": json.dumps({"items": [row]}),
    }
    manifests = []
    for kind, text in texts.items():
        (root / kind).mkdir()
        shutil.copy(clip, root / kind / "a.mp4")
        manifests.append(root / kind / f"manifest.{kind}")
        manifests[-1].write_text(text)
    (root / "csv/progress.csv").write_text("episode,t,progress\ne,0,0.5\n")
    return [root / "clips", clip, root / "csv", *manifests]
