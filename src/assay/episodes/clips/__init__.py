"""Folders of video clips: from files and manifests to episodes."""
