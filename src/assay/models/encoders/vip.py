"""VIP: pictures alone, learnt from videos of people as a value of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay.models.encoders._published import Published, Shown

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Vip"]


def _network(weights: Mapping[str, Tensor]) -> nn.Module:
    from assay.models.encoders._networks import VipNetwork

    return VipNetwork.of(weights)


@dataclass(frozen=True)
class Vip(Published):
    """Encode pictures with VIP, from the published `model.pt`.

    Cites: Ma et al., "VIP: Towards Universal Visual Reward and Representation via Value-Implicit
    Pre-Training", 2023.
    """

    name: ClassVar[str] = "vip"
    shown: ClassVar[Shown] = Shown(256, 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    make: ClassVar[Callable[[Mapping[str, Tensor]], nn.Module]] = staticmethod(_network)
