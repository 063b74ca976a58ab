"""How weights follow their gradients. Needs torch.

Muon turns the step of a matrix into one that is equally long in all its directions: the same error
is reached in fewer steps than by AdamW, and a step costs hardly more. It is for matrices, so the
kernels of a convolution are laid out as one; first and last layers, words and biases stay with
AdamW.

Cites:
    Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import OneCycleLR

from assay.judges.prm_mini._batches import Recipe
from assay.judges.prm_mini._network import Network

__all__ = ["Optimiser"]

_CLIPPED: Final = 2.0  # a longer gradient is cut to this length
_WARM: Final = 0.15  # share of the steps in which the rates rise
_MATRIX_DECAY: Final = 0.02
_APART: Final = ("words.", "trunk.body.0.", "head.progress.", "head.along.", "head.facts.")


class Optimiser:
    """Take steps at rates that rise and fall over a training.

    Args:
        network: Whose weights are changed; its memory format must not change any more.
        recipe: How: with a rate for matrices Muon takes these, else AdamW takes all.
    """

    def __init__(self, network: Network, recipe: Recipe) -> None:
        self._all = dict(network.named_parameters())
        hidden = {n: p for n, p in self._all.items() if recipe.matrices and _is_hidden(n, p)}
        self._pairs = [(p, nn.Parameter(_laid_out(p.detach()))) for p in hidden.values()]
        rest = [p for n, p in self._all.items() if n not in hidden]
        adam = torch.optim.AdamW(rest, lr=recipe.rate, weight_decay=recipe.decay, betas=(0.9, 0.99))
        self._parts: list[tuple[torch.optim.Optimizer, OneCycleLR]] = [
            (adam, OneCycleLR(adam, recipe.rate, total_steps=recipe.steps + 1, pct_start=_WARM))
        ]
        if self._pairs:
            self._parts.append(self._muon(recipe))

    def _muon(self, recipe: Recipe) -> tuple[torch.optim.Optimizer, OneCycleLR]:
        muon = torch.optim.Muon(
            [flat for _, flat in self._pairs],
            lr=recipe.matrices,
            weight_decay=_MATRIX_DECAY,
            adjust_lr_fn="match_rms_adamw",
        )
        rates = OneCycleLR(
            muon,
            recipe.matrices,
            total_steps=recipe.steps + 1,
            pct_start=_WARM,
            cycle_momentum=False,
        )
        return muon, rates

    def step(self, gradients: Sequence[Tensor | None]) -> None:
        """Follow the gradients, one for each weight in the order of the network."""
        for weight, own in zip(self._all.values(), gradients, strict=True):
            weight.grad = own
        nn.utils.clip_grad_norm_(self._all.values(), _CLIPPED)
        for weight, flat in self._pairs:
            flat.grad = None if weight.grad is None else _laid_out(weight.grad).contiguous()
        for part in self._objects():
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """Return all that decides the steps to come."""
        return {str(place): part.state_dict() for place, part in enumerate(self._objects())}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        for place, part in enumerate(self._objects()):
            part.load_state_dict(state[str(place)])

    def _objects(self) -> Iterator[Any]:
        for optimiser, rates in self._parts:
            yield optimiser
            yield rates


def _is_hidden(name: str, weight: Tensor) -> bool:
    return weight.ndim in (2, 4) and not name.startswith(_APART)


def _laid_out(weight: Tensor) -> Tensor:
    """Return a weight as a matrix, a row for each output; in the same memory if channels are last.

    Kernels go by place, then by channel, which is how they lie in memory then.
    """
    return weight if weight.ndim == 2 else weight.permute(0, 2, 3, 1).flatten(1)
