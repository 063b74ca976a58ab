"""A model that answers by a function, in the place of a session: nothing is sent anywhere."""

import io
import json
import threading
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from assay.models.base import Picture, Reply
from assay.models.session import ModelSettings

MODEL = "openai:told@http://localhost:1/v1"


@dataclass
class Told:
    """A session whose model answers `say(request)`: a reply, text, or what is to be JSON."""

    say: object
    known: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)
    lock: object = field(default_factory=threading.Lock)
    settings: object = field(default_factory=ModelSettings)

    def limits(self, address):
        return self.known

    def ask(self, address, request):
        with self.lock:
            self.requests.append(request)
        said = self.say(request)
        if isinstance(said, Reply):
            return said
        return Reply(text=said if isinstance(said, str) else json.dumps(said))


def listen(monkeypatch, say, **limits):
    """Make a model that answers by `say` the only one there is; return what it was asked."""
    told = Told(say, limits)
    monkeypatch.setattr("assay.models.session.current", lambda: told)
    return told


def text_of(request):
    """The words of a request, with a mark for every picture."""
    return "".join("<picture>" if isinstance(p, Picture) else p for p in request.parts)


def levels(request):
    """The grey levels of the pictures of a request, in order: 10 k for frame k of the fixture."""
    return [round(level(picture), -1) for picture in request.pictures]


def level(picture):
    """The mean grey level of a coded picture."""
    with Image.open(io.BytesIO(picture.jpeg)) as image:
        return float(np.asarray(image).mean())
