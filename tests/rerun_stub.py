"""A stand-in for the package rerun, which is too large for the tests: it notes what it is told.

It has only what the writer of .rrd files calls, under the names of rerun-sdk 0.41. That those names
are right is checked with the real package by hand; see docs/convert.md.
"""

from __future__ import annotations

import json
from pathlib import Path


class RecordingStream:
    def __init__(self, application_id, *, recording_id=None):
        self.lines = [["recording", application_id, recording_id]]
        self.time = None

    def save(self, path):
        self.path = Path(path)

    def set_time(self, timeline, *, duration):
        self.time = [timeline, duration]

    def log(self, path, content, *, static=False):
        self.lines.append([path, None if static else self.time, content])

    def send_columns(self, path, *, indexes, columns):
        self.lines.append([path, indexes[0], columns])

    def flush(self):
        self.path.write_text("\n".join(json.dumps(line) for line in self.lines))

    def disconnect(self):
        self.lines = []


def TextDocument(text):
    return ["document", text]


def TextLog(text):
    return ["text", text]


def EncodedImage(*, contents, media_type):
    return ["image", media_type, len(contents)]


def TimeColumn(timeline, *, duration):
    return [timeline, [float(t) for t in duration]]


class Scalars:
    @staticmethod
    def columns(*, scalars):
        return [float(value) for value in scalars]
