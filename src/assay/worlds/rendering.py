"""Pictures of a world: colour, depth and segmentation from its cameras."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.engine.closing import Closing
from assay.errors import UnknownNameError, UsageError
from assay.records import Camera, Floats, Image
from assay.worlds.gl import choose
from assay.worlds.look import QUALITY, views_of
from assay.worlds.world import World

__all__ = ["ROBOT", "Renderer"]

ROBOT = "robot"
MOST_PIXELS = 1024


class Renderer(Closing):
    """Draw the scene of a world. Use it as a context manager, in one thread only.

    It looks at data of its own (`follow` copies a moment into it), so the world may run ahead.

    Args:
        world: Whose scene.
        size: Width and height of the pictures [pixels].
        quality: "fast", "good" or "fine"; see `look.QUALITY`.
    """

    def __init__(self, world: World, size: int = 256, quality: str = "good") -> None:
        if quality not in QUALITY:
            raise UnknownNameError("quality", quality, QUALITY)
        if not 16 <= size <= MOST_PIXELS:
            raise UsageError(f"Pictures can be 16 to {MOST_PIXELS} pixels wide, not {size}.")
        choose()
        import mujoco

        # Not `mujoco.GLContext`: that name was settled when MuJoCo was first imported.
        from mujoco.rendering.classic.gl_context import GLContext

        self._mujoco, self._world, self.size = mujoco, world, size
        model = world.model
        # MuJoCo reads these when a context is made, from the model; nothing else looks at them.
        model.vis.quality.shadowsize = QUALITY[quality].shadows
        model.vis.quality.offsamples = QUALITY[quality].samples
        self._shadows = QUALITY[quality].shadows > 0
        self.data = mujoco.MjData(model)
        self._scene = mujoco.MjvScene(model, maxgeom=400)
        self._option = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._camera.type = int(mujoco.mjtCamera.mjCAMERA_FIXED)
        self._rect = mujoco.MjrRect(0, 0, size, size)
        self._gl: Any = GLContext(size, size)
        self._gl.make_current()
        self._context: Any = mujoco.MjrContext(model, int(mujoco.mjtFontScale.mjFONTSCALE_50))
        mujoco.mjr_resizeOffscreen(size, size, self._context)
        mujoco.mjr_setBuffer(int(mujoco.mjtFramebuffer.mjFB_OFFSCREEN), self._context)
        self._context.readDepthMap = int(mujoco.mjtDepthMap.mjDEPTH_ZEROFAR)
        self._number_of = {name: number for number, name in enumerate(self.names)}
        self._dressed = world.dressed
        self._textures = np.array(model.tex_data)
        self.follow(world.data.qpos)

    def close(self) -> None:
        """Give the GL context back; a second call does nothing."""
        if self._gl is not None:
            self._gl.make_current()
            self._context.free()
            self._gl.free()
            self._context = self._gl = None

    def follow(self, qpos: Floats) -> None:
        """Show the moment with the joint positions `qpos`, of shape (nq,)."""
        model = self._world.model
        self.data.qpos[:] = qpos
        self._mujoco.mj_kinematics(model, self.data)
        self._mujoco.mj_camlight(model, self.data)
        if self._dressed != self._world.dressed:
            self._upload()

    def rgb(self, view: str) -> Image:
        """Return what a camera sees, uint8 of shape (H, W, 3)."""
        self._draw(view, shadows=self._shadows)
        return self._pixels()

    def depth(self, view: str) -> npt.NDArray[np.float32]:
        """Return the distance along the camera's axis, of shape (H, W) [m]."""
        self._draw(view, shadows=False)
        raw = np.empty((self.size, self.size), dtype=np.float32)
        self._mujoco.mjr_readPixels(None, raw, self._rect, self._context)
        model = self._world.model
        near = model.vis.map.znear * model.stat.extent
        far = model.vis.map.zfar * model.stat.extent
        # The map holds 1 at the near plane and 0 at the far one, linear in 1/z between them.
        return np.ascontiguousarray(near / (raw[::-1] * (1 - near / far) + near / far))

    def segmentation(self, view: str) -> npt.NDArray[np.int32]:
        """Return the number in `names` of what each pixel shows, -1 for the room, (H, W)."""
        owners = self._world.state.geom_owners()
        numbers = [self._number_of.get(owner, -1) for owner in owners]
        # One more -1 at the end is for pixels that show nothing: their number is -1, too.
        return np.array([*numbers, -1], dtype=np.int32)[self.geoms(view)]

    def geoms(self, view: str) -> npt.NDArray[np.int32]:
        """Return the number of the geom of the model that each pixel shows, -1 for none, (H, W)."""
        flag = self._mujoco.mjtRndFlag
        modes = [int(flag.mjRND_SEGMENT), int(flag.mjRND_IDCOLOR)]
        self._scene.flags[modes] = 1
        try:
            self._draw(view, shadows=False)
            pixels = self._pixels().astype(np.int64) @ np.array([1, 2**8, 2**16]) - 1
        finally:
            self._scene.flags[modes] = 0
        geoms: npt.NDArray[np.int32] = self._drawn()[pixels]
        return geoms

    @property
    def names(self) -> tuple[str, ...]:
        """Return what the numbers of a segmentation stand for: the robot, things, fixtures."""
        return (ROBOT, *self._world.state.things, *self._world.task.fixtures)

    def camera(self, view: str) -> Camera:
        """Return the pinhole of a view at the present moment, OpenCV axes.

        Whole numbers are the centres of pixels, as in OpenCV: the picture's middle is
        (size - 1) / 2.
        """
        number = self._number(view)
        model = self._world.model
        focal = self.size / 2 / np.tan(np.deg2rad(float(model.cam_fovy[number])) / 2)
        centre = (self.size - 1) / 2
        intrinsics = np.array([[focal, 0, centre], [0, focal, centre], [0, 0, 1]])
        pose = np.eye(4)
        # MuJoCo's cameras look along -z with y up: OpenCV's y and z point the other way.
        pose[:3, :3] = self.data.cam_xmat[number].reshape(3, 3) @ np.diag([1.0, -1.0, -1.0])
        pose[:3, 3] = self.data.cam_xpos[number]
        return Camera(intrinsics, pose)

    def _draw(self, view: str, *, shadows: bool) -> None:
        if self._gl is None:
            raise UsageError("A picture was asked for, and this renderer is closed.")
        mujoco = self._mujoco
        # Another renderer of this thread may have drawn last.
        self._gl.make_current()
        self._camera.fixedcamid = self._number(view)
        everything = int(mujoco.mjtCatBit.mjCAT_ALL)
        mujoco.mjv_updateScene(
            self._world.model, self.data, self._option, None, self._camera, everything, self._scene
        )
        self._scene.flags[int(mujoco.mjtRndFlag.mjRND_SHADOW)] = shadows
        mujoco.mjr_render(self._rect, self._scene, self._context)

    def _pixels(self) -> Image:
        picture = np.empty((self.size, self.size, 3), dtype=np.uint8)
        self._mujoco.mjr_readPixels(picture, None, self._rect, self._context)
        return np.ascontiguousarray(picture[::-1])

    def _number(self, view: str) -> int:
        known = views_of(self._world.robot)
        if view not in known:
            raise UnknownNameError("view", view, known)
        return int(self._world.model.camera(view).id)

    def _upload(self) -> None:
        """Send the textures that are shown and have changed to the GL context."""
        self._gl.make_current()
        model = self._world.model
        for number in np.unique(model.mat_texid[model.mat_texid >= 0]):
            start = int(model.tex_adr[number])
            size = int(
                model.tex_height[number] * model.tex_width[number] * model.tex_nchannel[number]
            )
            part = slice(start, start + size)
            if not np.array_equal(self._textures[part], model.tex_data[part]):
                self._textures[part] = model.tex_data[part]
                self._mujoco.mjr_uploadTexture(model, self._context, int(number))
        self._dressed = self._world.dressed

    def _drawn(self) -> npt.NDArray[np.int32]:
        """Return the geom of everything drawn last, -1 for what is none.

        One more -1 at the end is for pixels that show nothing: their number is -1, too.
        """
        drawn = np.full(int(self._scene.ngeom) + 1, -1, dtype=np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == int(self._mujoco.mjtObj.mjOBJ_GEOM) and geom.segid >= 0:
                drawn[geom.segid] = geom.objid
        return drawn
