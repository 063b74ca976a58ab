"""Who presses on whom: contacts of the simulator, told by the names of what they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import UnknownNameError
from assay.records import Floats

__all__ = ["Contacts", "Named"]


class Named(dict[str, int]):
    """Numbers by name; of a name that is not there it says which are."""

    def __missing__(self, name: str) -> int:
        raise UnknownNameError("thing or fixture", name, self)


class Contacts:
    """The contacts of the present moment.

    Attributes:
        owners: The names that contacts are told of.
        number: The place of each name among them.
        owner_of_geom: The number of every geom's owner, -1 without one, of shape (geoms,).

    Args:
        model: mujoco.MjModel.
        data: mujoco.MjData.
        geoms: Names that own single geoms, such as the finger tips, by number.
        bodies: Names that own a body and all below it.
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401 - MuJoCo is imported late
        data: Any,  # noqa: ANN401 - MuJoCo is imported late
        geoms: Mapping[str, Sequence[int]],
        bodies: Mapping[str, int],
    ) -> None:
        self._model, self._data = model, data
        self.owners = (*geoms, *bodies)
        self.number = Named({name: number for number, name in enumerate(self.owners)})
        self.owner_of_geom = self._owners_of_bodies(model, bodies)
        for name, own in geoms.items():
            self.owner_of_geom[list(own)] = self.number[name]
        self._forces: Floats | None = None

    def refresh(self) -> None:
        """Forget what was worked out for an earlier moment."""
        self._forces = None

    def forces(self) -> Floats:
        """Return the normal force of every pair of `owners` [N], symmetric, of shape (N, N)."""
        if self._forces is None:
            total = np.zeros((len(self.owners), len(self.owners)))
            pairs, normal = self.pushing()
            owners = self.owner_of_geom[pairs]
            named = (owners >= 0).all(axis=1)
            np.add.at(total, (owners[named, 0], owners[named, 1]), normal[named])
            self._forces = total + total.T
        return self._forces

    def pressed(self, name: str, geoms: Sequence[int]) -> set[int]:
        """Return those of `geoms` that press on something."""
        owner = self.number[name]
        found = set()
        for one, other in self.pushing()[0].tolist():
            for geom, thing in ((one, other), (other, one)):
                if geom in geoms and self.owner_of_geom[thing] == owner:
                    found.add(geom)
        return found

    def near(self, name: str, geom: int, far: float) -> bool:
        """Tell whether a geom is less than `far` [m] from something that it can press on."""
        import mujoco

        kind, meets = self._model.geom_contype, self._model.geom_conaffinity
        solid = (kind & meets[geom]) | (kind[geom] & meets) != 0
        own = np.flatnonzero(solid & (self.owner_of_geom == self.number[name]))
        gaps = (
            mujoco.mj_geomDistance(self._model, self._data, geom, int(other), far, None)
            for other in own
        )
        return any(gap < far for gap in gaps)

    def pushing(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return the geoms (N, 2) and the normal force (N,) of every contact that pushes."""
        contact = self._data.contact
        pairs = np.asarray(contact.geom).reshape(-1, 2)
        rows = np.asarray(contact.efc_address)
        active = rows >= 0
        normal = np.asarray(self._data.efc_force)[rows[active]]
        pushes = normal > 0.0
        return pairs[active][pushes].astype(np.int64), normal[pushes]

    def _owners_of_bodies(
        self,
        model: Any,  # noqa: ANN401 - mujoco.MjModel
        bodies: Mapping[str, int],
    ) -> npt.NDArray[np.int64]:
        """Return the number of every geom's owner: its body or the nearest named one above it."""
        of_body = {number: name for name, number in bodies.items()}
        parents = np.asarray(model.body_parentid)
        owners = np.full(int(model.ngeom), -1)
        for geom, start in enumerate(np.asarray(model.geom_bodyid)):
            body = int(start)
            while body > 0 and body not in of_body:
                body = int(parents[body])
            if body > 0:
                owners[geom] = self.number[of_body[body]]
        return owners
