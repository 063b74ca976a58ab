"""The residual network in VIP and, with other poolings, in LIV.

Names of parts are those of the published weights. Sizes are read from the weights.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

__all__ = ["AttentionPool", "Residual", "depths"]

_WIDENING = 4  # the last convolution of a block has four times the channels of the others


class _Block(nn.Module):
    """Three convolutions with a way around them.

    Args:
        before: Channels that come in.
        channels: Channels of the first two convolutions.
        stride: How many times smaller the maps become.
        smooth: Whether maps are averaged to make them smaller, as CLIP does, instead of skipped.
    """

    def __init__(self, before: int, channels: int, stride: int, *, smooth: bool) -> None:
        super().__init__()
        after = channels * _WIDENING
        skipped = 1 if smooth else stride
        self.conv1 = nn.Conv2d(before, channels, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, stride=skipped, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, after, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(after)
        self.smaller = nn.AvgPool2d(stride) if smooth and stride > 1 else nn.Identity()
        self.downsample: nn.Sequential | None = None
        if stride > 1 or before != after:
            self.downsample = nn.Sequential(
                nn.Conv2d(before, after, 1, stride=skipped, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Return (n, 4 channels, H / stride, W / stride)."""
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.smaller(torch.relu(self.bn2(self.conv2(y))))
        y = self.bn3(self.conv3(y))
        around = x if self.downsample is None else self.downsample(self.smaller(x))
        return torch.relu(y + around)


class Residual(nn.Module):
    """Four stages of blocks behind a stem.

    Args:
        width: Channels of the first stage.
        stages: How many blocks each of the four stages has.
        smooth: CLIP's kind: a stem of three convolutions, and averages instead of skips.
    """

    def __init__(self, width: int, stages: tuple[int, ...], *, smooth: bool) -> None:
        super().__init__()
        self.smooth = smooth
        first = width // 2 if smooth else width
        size, edge = (3, 1) if smooth else (7, 3)
        self.conv1 = nn.Conv2d(3, first, size, stride=2, padding=edge, bias=False)
        self.bn1 = nn.BatchNorm2d(first)
        if smooth:
            self.conv2 = nn.Conv2d(first, first, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(first)
            self.conv3 = nn.Conv2d(first, width, 3, padding=1, bias=False)
            self.bn3 = nn.BatchNorm2d(width)
        before = width
        for i, count in enumerate(stages):
            channels, blocks = width * 2**i, []
            for k in range(count):
                stride = 2 if i > 0 and k == 0 else 1
                blocks.append(_Block(before, channels, stride, smooth=smooth))
                before = channels * _WIDENING
            setattr(self, f"layer{i + 1}", nn.Sequential(*blocks))
        self.stages = len(stages)

    def maps(self, x: Tensor) -> Tensor:
        """Return the maps of the last stage for pictures (n, 3, H, W)."""
        x = torch.relu(self.bn1(self.conv1(x)))
        if self.smooth:
            x = torch.relu(self.bn2(self.conv2(x)))
            x = torch.relu(self.bn3(self.conv3(x)))
            x = nn.functional.avg_pool2d(x, 2)
        else:
            x = nn.functional.max_pool2d(x, 3, stride=2, padding=1)
        for i in range(self.stages):
            x = getattr(self, f"layer{i + 1}")(x)
        return x


class AttentionPool(nn.Module):
    """Turn maps into one row: their mean asks, all places answer.

    Args:
        places: Places of the map, and one for the mean.
        channels: Channels of the map.
        out: Length of the row.
        heads: Parts of the channels that attend by themselves.
    """

    def __init__(self, places: int, channels: int, out: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.positional_embedding = nn.Parameter(torch.zeros(places, channels))
        self.q_proj = nn.Linear(channels, channels)
        self.k_proj = nn.Linear(channels, channels)
        self.v_proj = nn.Linear(channels, channels)
        self.c_proj = nn.Linear(channels, out)

    def forward(self, x: Tensor) -> Tensor:
        """Return (n, out) for maps (n, channels, H, W)."""
        n, channels = x.shape[:2]
        x = x.flatten(2).transpose(1, 2)
        x = torch.cat([x.mean(dim=1, keepdim=True), x], dim=1) + self.positional_embedding

        def split(y: Tensor) -> Tensor:
            return y.view(n, -1, self.heads, channels // self.heads).transpose(1, 2)

        asked = nn.functional.scaled_dot_product_attention(
            split(self.q_proj(x[:, :1])), split(self.k_proj(x)), split(self.v_proj(x))
        )
        row: Tensor = self.c_proj(asked.transpose(1, 2).reshape(n, channels))
        return row


def depths(weights: Mapping[str, Tensor], prefix: str, stages: int = 4) -> tuple[int, ...]:
    """Return how many blocks each stage has, counted in the weights' names."""
    return tuple(
        len({name.split(".")[at] for name in weights if name.startswith(f"{prefix}layer{i}.")})
        for i in range(1, stages + 1)
        for at in [prefix.count(".") + 1]
    )
