"""Names that the reader and the writer of LeRobot datasets share."""

from __future__ import annotations

__all__ = ["DATA_PATH", "EPISODES_PATH", "FLAGS", "OWN", "PREFIX", "VIDEO_PATH"]

# Of v3.0: several episodes in a file, files in numbered folders.
DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES_PATH = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"

FLAGS = ("is_episode_successful", "metadata.success")
"""What others call the success of a whole episode, in the episode table or on each frame."""

OWN = "meta/assay_episodes.parquet"
"""Our own fields of each episode, in a file that LeRobot ignores."""

PREFIX = "assay."
"""Before the name of a signal that LeRobot has no column for."""
