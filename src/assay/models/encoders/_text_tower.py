"""The reader of words in LIV: CLIP's, with the names of the published weights."""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import Tensor, nn

__all__ = ["TextTower"]

_HEAD = 64  # channels of one head, in every published size


class _QuickGelu(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(1.702 * x)


class _Layer(nn.Module):
    """Attention to what stands before, then two linear maps, each with a way around it."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.attn = nn.MultiheadAttention(channels, max(channels // _HEAD, 1), batch_first=True)
        self.ln_1 = nn.LayerNorm(channels)
        parts = {
            "c_fc": nn.Linear(channels, 4 * channels),
            "gelu": _QuickGelu(),
            "c_proj": nn.Linear(4 * channels, channels),
        }
        self.mlp = nn.Sequential(OrderedDict[str, nn.Module](parts))
        self.ln_2 = nn.LayerNorm(channels)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False, attn_mask=mask)[0]
        out: Tensor = x + self.mlp(self.ln_2(x))
        return out


class _Layers(nn.Module):
    def __init__(self, channels: int, count: int) -> None:
        super().__init__()
        self.resblocks = nn.ModuleList(_Layer(channels) for _ in range(count))


class TextTower(nn.Module):
    """Turn tokens into one row, read where the text ends.

    Args:
        vocabulary: How many tokens there are; the one that ends a text is the last.
        places: The longest text, in tokens.
        channels: Width of the layers.
        layers: How many there are.
        out: Length of the row.
    """

    def __init__(self, vocabulary: int, places: int, channels: int, layers: int, out: int) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocabulary, channels)
        self.positional_embedding = nn.Parameter(torch.zeros(places, channels))
        self.transformer = _Layers(channels, layers)
        self.ln_final = nn.LayerNorm(channels)
        self.text_projection = nn.Parameter(torch.zeros(channels, out))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return (n, out) for tokens (n, T); what follows the end of a text does not count."""
        length = tokens.shape[1]
        x = self.token_embedding(tokens) + self.positional_embedding[:length]
        ahead = torch.full((length, length), float("-inf"), device=x.device).triu(1)
        for layer in self.transformer.resblocks:
            x = layer(x, ahead)
        x = self.ln_final(x)
        ends = tokens.argmax(dim=1)
        row: Tensor = x[torch.arange(len(x), device=x.device), ends] @ self.text_projection
        return row
