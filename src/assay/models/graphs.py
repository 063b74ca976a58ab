"""Write networks as ONNX graphs and open them for running on one thread."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["open_graph", "write_graph"]

_OPSET = 17


def open_graph(path: Path, feature: str) -> Any:  # noqa: ANN401 - onnxruntime.InferenceSession
    """Return a session that runs the graph of `path`.

    Args:
        path: An ONNX file.
        feature: What needs it, such as "A learned judge"; begins the hint to install onnxruntime.

    Raises:
        InputError: The file is no graph.
        MissingExtraError: There is no onnxruntime.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError(feature, "onnxruntime", "learned") from error
    options = onnxruntime.SessionOptions()
    # Graphs run in as many processes as there are cores.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise InputError(f"{path} is not a graph that can be run: {error}.") from error


def write_graph(part: nn.Module, example: tuple[Tensor, ...], path: Path) -> None:
    """Write a network; what comes in twos in the example may come in any number, the rest as ones.

    The inputs are called in0, in1 and so on.
    """
    import torch

    inputs = [f"in{number}" for number in range(len(example))]
    with warnings.catch_warnings():
        # The exporter that torch recommends needs two more packages, and folds no batch norm.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            part,
            example,
            str(path),
            dynamo=False,
            opset_version=_OPSET,
            input_names=inputs,
            dynamic_axes={
                name: {0: "n"}
                for name, value in zip(inputs, example, strict=True)
                if len(value) > 1
            },
        )
