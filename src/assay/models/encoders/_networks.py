"""The networks of VIP and LIV, in the sizes that their weights have."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from assay.models.encoders._resnet import AttentionPool, Residual, depths
from assay.models.encoders._text_tower import TextTower

__all__ = ["LivNetwork", "VipNetwork"]

_HEAD = 64  # channels of one head, in every published size


class _Averaged(Residual):
    """Maps averaged, then one linear map."""

    def __init__(self, width: int, stages: tuple[int, ...], channels: int, out: int) -> None:
        super().__init__(width, stages, smooth=False)
        self.fc = nn.Linear(channels, out)

    def forward(self, x: Tensor) -> Tensor:
        row: Tensor = self.fc(self.maps(x).mean(dim=(2, 3)))
        return row


class _Attended(Residual):
    """Maps made one row by attention."""

    def __init__(self, width: int, stages: tuple[int, ...], pool: AttentionPool) -> None:
        super().__init__(width, stages, smooth=True)
        self.attnpool = pool

    def forward(self, x: Tensor) -> Tensor:
        row: Tensor = self.attnpool(self.maps(x))
        return row


class _Clip(TextTower):
    """A reader of words with an eye; `logit_scale` is in the weights but not needed here."""

    def __init__(self, sizes: tuple[int, int, int, int, int], visual: _Attended) -> None:
        super().__init__(*sizes)
        self.visual = visual
        self.logit_scale = nn.Parameter(torch.zeros(()))


class VipNetwork(nn.Module):
    """The network of VIP, whose weights are named `convnet.`."""

    def __init__(self, convnet: _Averaged) -> None:
        super().__init__()
        self.convnet = convnet

    @classmethod
    def of(cls, weights: Mapping[str, Tensor]) -> VipNetwork:
        """Return a network of the weights' sizes; raises KeyError where one is not there."""
        width = len(weights["convnet.conv1.weight"])
        out, channels = weights["convnet.fc.weight"].shape
        return cls(_Averaged(width, depths(weights, "convnet."), channels, out))

    def pictures(self, x: Tensor) -> Tensor:
        """Return (n, D) for pictures (n, 3, H, W)."""
        row: Tensor = self.convnet(x)
        return row


class LivNetwork(nn.Module):
    """The network of LIV, a CLIP whose weights are named `model.`."""

    def __init__(self, model: _Clip) -> None:
        super().__init__()
        self.model = model
        self.places = len(model.positional_embedding)

    @classmethod
    def of(cls, weights: Mapping[str, Tensor]) -> LivNetwork:
        """Return a network of the weights' sizes; raises KeyError where one is not there."""
        vocabulary, channels = weights["model.token_embedding.weight"].shape
        places = len(weights["model.positional_embedding"])
        out = weights["model.text_projection"].shape[1]
        layers = sum(name.endswith(".attn.in_proj_weight") for name in weights)
        spots, wide = weights["model.visual.attnpool.positional_embedding"].shape
        pool = AttentionPool(spots, wide, out, max(wide // _HEAD, 1))
        width = len(weights["model.visual.conv3.weight"])
        eye = _Attended(width, depths(weights, "model.visual."), pool)
        return cls(_Clip((vocabulary, places, channels, layers, out), eye))

    def pictures(self, x: Tensor) -> Tensor:
        """Return (n, D) for pictures (n, 3, H, W)."""
        row: Tensor = self.model.visual(x)
        return row

    def words(self, tokens: Tensor) -> Tensor:
        """Return (n, D) for tokens (n, T)."""
        row: Tensor = self.model(tokens)
        return row
