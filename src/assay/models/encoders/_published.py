"""VIP and LIV: weights as their authors published them, one file saved by torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.episodes.faults import check_file
from assay.errors import InputError, UsageError
from assay.models._weights import check_installed, fingerprint, loading
from assay.models.encoders._rows import unit_rows
from assay.records import Floats, Image

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Published", "Shown", "read_weights"]

_FILE = "model.pt"


@dataclass(frozen=True)
class Shown:
    """How a picture is made ready.

    Attributes:
        shorter: The shorter side becomes this long [px] ...
        side: ... and of it a square of this side is cut from the middle [px].
        mean: Taken off each colour, whose range is 0 to 1.
        deviation: Then divides it.
    """

    shorter: int
    side: int
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]

    def __call__(self, images: Sequence[Image]) -> Tensor:
        """Return pictures of any sizes as one tensor (n, 3, side, side)."""
        import torch

        mean, deviation = (torch.tensor(v)[:, None, None] for v in (self.mean, self.deviation))
        whole = torch.stack([self._square(image) for image in images])
        return (whole - mean) / deviation

    def _square(self, image: Image) -> Tensor:
        """Return the middle of one picture, (3, side, side) in 0..1."""
        import numpy as np
        import torch

        pixels = torch.from_numpy(np.ascontiguousarray(image)).permute(2, 0, 1)[None].float() / 255
        height, width = image.shape[:2]
        scale = self.shorter / min(height, width)
        size = (max(round(height * scale), self.shorter), max(round(width * scale), self.shorter))
        # Not smoothed first: the published models were trained on pictures made small like this.
        small = torch.nn.functional.interpolate(pixels, size, mode="bilinear", align_corners=False)[
            0
        ]
        top, left = (size[0] - self.side) // 2, (size[1] - self.side) // 2
        return small[:, top : top + self.side, left : left + self.side]


@dataclass(frozen=True)
class Published:
    """An encoder of pictures in a file `model.pt`, or in a folder that holds it.

    Attributes:
        path: The file or the folder.
        threads: How many threads it computes with.
        batch: How many pictures or texts go through at once.
        name: How it is called in messages, and in the file.
    """

    path: Path
    threads: int = 1
    batch: int = 32

    name: ClassVar[str]
    shown: ClassVar[Shown]
    make: ClassVar[Callable[[Mapping[str, Tensor]], nn.Module]]

    def check(self) -> None:
        """Raise what would stop every call; no weights are loaded."""
        check_installed(f"The encoder {self.name}")
        check_file(self._file())
        self.revision()

    def revision(self) -> str:
        """Return a hash of the file of weights."""
        return fingerprint(self._file())

    def pictures(self, images: Sequence[Image]) -> Floats:
        """Return one row of length 1 per picture, of shape (N, D)."""
        network = self._network()

        def encode(some: Sequence[Image]) -> Tensor:
            rows: Tensor = network.pictures(self.shown(some))
            return rows

        return unit_rows(images, encode, self.batch, self.threads)

    def words(self, texts: Sequence[str]) -> Floats:
        """Raise a `UsageError`: it knows pictures only."""
        raise UsageError(
            f"The encoder {self.name} knows no words, so it can't compare pictures with"
            f" {len(texts)} texts: take clip, siglip or liv."
        )

    def _file(self) -> Path:
        return self.path / _FILE if self.path.is_dir() else self.path

    def _network(self) -> Any:  # noqa: ANN401 - with `pictures`, and `words` where it reads
        self.check()
        return _load(self._file(), self.revision(), self.name, type(self).make)


@lru_cache(maxsize=2)
def _load(
    path: Path,
    revision: str,  # noqa: ARG001 - other weights, other entry
    name: str,
    make: Callable[[Mapping[str, Tensor]], nn.Module],
) -> nn.Module:
    """Return the network with the weights in `path`, loaded once a process."""
    weights = read_weights(path, name)
    with loading(path, name):
        network = make(weights)
        network.load_state_dict({**weights}, strict=True)
    return network.float().eval()


def read_weights(path: Path, name: str) -> dict[str, Tensor]:
    """Return the tensors in a file by their names inside the network.

    The file maps `name` to the weights, whose names may begin with "module." once for each time
    the network was wrapped. Only tensors and plain values are read: no code in the file is run.
    """
    import torch

    with loading(path, f"weights of {name}"):
        whole = torch.load(path, map_location="cpu", weights_only=True)
    found = whole.get(name, whole) if isinstance(whole, Mapping) else whole
    tensors = {
        _unwrapped(key): value
        for key, value in (found.items() if isinstance(found, Mapping) else ())
        if isinstance(key, str) and isinstance(value, torch.Tensor)
    }
    if not tensors:
        raise InputError(f"holds no weights of {name}.", path)
    return tensors


def _unwrapped(key: str) -> str:
    while key.startswith("module."):
        key = key.removeprefix("module.")
    return key
