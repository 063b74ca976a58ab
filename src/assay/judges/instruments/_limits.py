"""Thresholds of the instruments for the picture, each with its reason.

Pixels are those of the small picture (at most `SIDE` wide), grey levels run from 0 to 255. What is
relative is relative to the clip itself: clips differ far more from each other than a fault differs
from its own clip. Clean clips of the worlds and real clips decided the numbers.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BLANK_LEVEL",
    "BLIP_MOVING",
    "BLIP_STARTS",
    "BLUR_KEEPS",
    "BLUR_MOVING",
    "BLUR_SHARP",
    "BLUR_STARTS",
    "BLUR_TEXTURED",
    "BLUR_THROUGHOUT",
    "BLUR_TILES",
    "BRIGHT_CHANGES",
    "BROKEN_LEVEL",
    "BROKEN_STARTS",
    "CONTRAST_KEEPS",
    "CONTRAST_LEAST",
    "CONTRAST_MOVING",
    "CONTRAST_STARTS",
    "COVER_ALIKE",
    "COVER_FOREIGN",
    "COVER_GOES_BY",
    "COVER_LEAST",
    "COVER_MOST",
    "COVER_MOVING",
    "COVER_RETURNS",
    "DARK_KEEPS",
    "DARK_LEVEL",
    "DARK_STARTS",
    "DETAIL_ALIKE",
    "DETAIL_FAINT",
    "DETAIL_KEEPS",
    "DETAIL_LEAST",
    "DETAIL_LEVEL",
    "DETAIL_SOME",
    "DETAIL_STARTS",
    "EMPTY_FOREIGN",
    "EMPTY_LEAST",
    "EMPTY_LEVEL",
    "EMPTY_MOST",
    "EMPTY_WIDTH",
    "ENDS_ALIKE",
    "FOREIGN_FLOOR",
    "FOREIGN_GROWS",
    "FOREIGN_HUE_GROWS",
    "FOREIGN_HUE_JUMPS",
    "FOREIGN_JUMPS",
    "FOREIGN_MOST",
    "FOREIGN_S",
    "FOREIGN_TEMPO",
    "FOREIGN_TIMES",
    "FOREIGN_USUAL",
    "FOREIGN_WHOLE",
    "GLARE_STARTS",
    "GRAIN_LEVEL",
    "GRAIN_PAUSE_S",
    "GRAIN_SHARP",
    "GRAIN_STARTS",
    "LEAST_FPS",
    "LEAST_SIDE",
    "MOST_FPS",
    "MOST_FRAMES",
    "ORDER_BACK",
    "ORDER_LEAPS",
    "ORDER_MOVES",
    "ORDER_OFTEN",
    "OVERLAP",
    "REPEAT_CATCHES_UP",
    "REPEAT_LEAPS",
    "REPEAT_LEVEL",
    "REPEAT_MOVES",
    "REPEAT_S",
    "REPEAT_SHARE",
    "REPEAT_SLOWS",
    "REPEAT_STOPS",
    "ROWS_KEEPS",
    "ROWS_LEVEL",
    "ROWS_STARTS",
    "SEAM_FITS",
    "SEAM_LEVEL",
    "SEAM_LINES",
    "SEAM_STARTS",
    "SHAKE_EXPLAINS",
    "SHAKE_FAR",
    "SHAKE_HOME_S",
    "SHAKE_KEEPS",
    "SHAKE_LEAPS",
    "SHAKE_LEVEL",
    "SHAKE_PAUSE_S",
    "SHAKE_SPOILS",
    "SHAKE_STARTS",
    "SHAKE_UNLIKE",
    "SIDE",
    "STEP_LEVEL",
    "STROBE_S",
    "TEAR_BANDS",
    "TEAR_FITS",
    "TEAR_HEIGHT",
    "TEAR_SHIFT",
    "TEXTURE",
    "TINT_ALIKE",
    "TINT_LEAST",
    "TINT_LEVEL",
    "TINT_STARTS",
    "WANDERS",
]

# Looking.

SIDE: Final = 256
"""Widest picture looked at [px]: a blur of 2 px still shows, and little time is taken."""
LEAST_SIDE: Final = 32
"""Narrowest one [px]: below that a tile of the grid has no edges to measure."""
MOST_FPS: Final = 32.0
"""Frames a second looked at: cameras of robots have 30, and more tell nothing new."""
MOST_FRAMES: Final = 400
"""Frames held at once: 80 MB in colour, whatever the clip's length."""
OVERLAP: Final = 20
"""Frames that two windows share, so that nothing hides at their border."""
LEAST_FPS: Final = 8.0
"""Frames a second below which honest motion looks like jumps."""
WANDERS: Final = 0.15
"""Share of the picture that changes in three of four frames of a camera that rides on something;
with one that stands it is below 0.13, even at 4 frames a second."""
TEXTURE: Final = 60.0
"""Mean square difference of pixels 4 apart below which a tile has no edge: noise makes 5."""
STEP_LEVEL: Final = 16
"""Change of a half-size pixel [grey levels] beyond noise and coding, which stay below 10."""

# Blur. Sharpness is 1/4 at edges from one pixel to the next and 1/16 at very wide ones.

BLUR_SHARP: Final = 0.16
"""Median sharpness of a tile that is in focus for sure: its edges are about a pixel wide."""
BLUR_STARTS: Final = 0.5
"""Share of the tiles' usual sharpness. Clean clips of the worlds stay above 0.8; a Gaussian of 2 px
and a smear of 6 px are below 0.4."""
BLUR_MOVING: Final = 0.42
"""The same for a camera that moves: real ones smear when the arm is quick."""
BLUR_KEEPS: Final = 0.75
"""A stretch goes on up to here: a blur fades in and out."""
BLUR_THROUGHOUT: Final = 0.07
"""Sharpness of a clip that is blurred from end to end: edges of about 4 px; real ones have 0.1."""
BLUR_TEXTURED: Final = 0.3
"""Share of the frames in which a tile must have edges for its usual sharpness to be known."""
BLUR_TILES: Final = 3
"""Tiles that must tell a direction's sharpness."""

# Low visibility.

CONTRAST_STARTS: Final = 0.55
"""Share of the clip's usual contrast; an arm that comes close takes up to a quarter of it."""
CONTRAST_MOVING: Final = 0.4
"""The same for a camera that moves: close to a plain surface it sees little contrast."""
CONTRAST_KEEPS: Final = 0.75
"""A stretch goes on up to here: light fades in and out."""
CONTRAST_LEAST: Final = 20.0
"""Contrast [grey levels] below which nothing can be told apart, whatever is usual."""
DARK_STARTS: Final = 0.5
"""Share of the clip's usual brightness below which it has become dark."""
DARK_KEEPS: Final = 0.75
"""A stretch of darkness goes on up to here."""
DARK_LEVEL: Final = 14.0
"""Mean brightness [grey levels] below which any clip is too dark."""
BRIGHT_CHANGES: Final = 0.13
"""Change of brightness, of what is usual, by which light is told from blur and covers: 0.11."""
ENDS_ALIKE: Final = 0.15
"""Share by which brightness and contrast of two moments in the same light differ: a robot comes and
goes."""
DETAIL_LEVEL: Final = 6.0
"""Variance of a tile [grey levels squared] that has a detail; noise makes 0.2."""
DETAIL_LEAST: Final = 6
"""Tiles with details without which nothing is said."""
DETAIL_FAINT: Final = 0.6
"""Share of its usual contrast below which a tile is faint."""
DETAIL_ALIKE: Final = 0.5
"""Correlation above which a tile shows what it usually shows."""
DETAIL_STARTS: Final = 0.35
"""Share of tiles that are faint, burnt or black; clean clips and covers make up to 0.2."""
DETAIL_SOME: Final = 0.2
"""The same if the brightness has changed by twice `BRIGHT_CHANGES`."""
DETAIL_KEEPS: Final = 0.25
"""A stretch goes on up to here."""
STROBE_S: Final = 0.4
"""Light that comes back for so long is still strobing [s]."""
GLARE_STARTS: Final = 0.35
"""Share of the picture that is burnt out beyond what is usual."""

# Repeated frames.

REPEAT_LEVEL: Final = 0.05
"""Mean change [grey levels] of a frame that repeats the one before: encoders skip it."""
REPEAT_SHARE: Final = 0.12
"""The same beside the usual change of moving frames: an encoder still mends the first repeat."""
REPEAT_MOVES: Final = 0.3
"""Mean change [grey levels] of a frame in which something moves."""
REPEAT_S: Final = 0.2
"""Shortest freeze [s]: cameras drop a frame or two now and then."""
REPEAT_STOPS: Final = 0.25
"""Share of the usual change just before a freeze; a robot that comes to rest has less."""
REPEAT_CATCHES_UP: Final = 1.6
"""A frozen picture jumps when it goes on: by this many times the usual change of moving frames."""
REPEAT_SLOWS: Final = 0.12
"""Share of the usual change just before a freeze that ends with a leap, which no robot makes."""
REPEAT_LEAPS: Final = 2.5
"""Such a leap, in usual changes of moving frames."""

# Shake.

SHAKE_STARTS: Final = 1.2
"""Displacement of the standing parts [px]: on clean clips it stays below 0.4."""
SHAKE_KEEPS: Final = 0.6
"""A stretch goes on up to here."""
SHAKE_EXPLAINS: Final = 0.08
"""Share of the difference to the usual picture that a motion must explain. Cameras that shake reach
0.1 to 0.4, clean clips 0.01."""
SHAKE_SPOILS: Final = 0.25
"""Share of tiles that fit worse with the motion; 0.19 at most when the camera moves, and 0.4 when
the picture is torn."""
SHAKE_PAUSE_S: Final = 0.5
"""A shake passes through its place; so long a pause does not end it [s]."""
SHAKE_HOME_S: Final = 0.3
"""For how long a camera must stand at first [s] to have its place there."""
SHAKE_FAR: Final = 8.0
"""[px] From here on a camera may go out of sight of its place: pictures are laid on it up to 20."""
SHAKE_LEAPS: Final = 12.0
"""[px] Further off than this at first is something else before the lens: cameras wander there bit
by bit, and those on their way were 9 off when they were first laid on their place."""
SHAKE_LEVEL: Final = 3.0
"""Change of a tile [grey levels], beyond twice the noise of a pixel, that has moved."""
SHAKE_UNLIKE: Final = 0.75
"""Share of the tiles that had moved which are still changed while the camera is away: 0.8 to 1.
When it is back, it is 0.5 for the robot's sake, and 0.7 with somebody before the lens."""

# Broken frames.

BROKEN_LEVEL: Final = 14.0
"""Mean change of a cell against both neighbours in time [grey levels]."""
BROKEN_STARTS: Final = 0.6
"""Share of broken cells when all is noise; a large arm that moves fast breaks a quarter."""
BLIP_STARTS: Final = 0.03
"""Share of cells that break for one frame and are whole again; a quick arm makes 1 to 2 %."""
BLIP_MOVING: Final = 0.1
"""The same for a camera that moves: edges that pass break for one frame too."""
TEAR_FITS: Final = 0.5
"""What a torn band differs by once it is shifted back, of what it differs by as it is."""
TEAR_HEIGHT: Final = 0.2
"""Height of the peak of phase correlation that tells the shift of a band."""
TEAR_BANDS: Final = 2
"""Bands that must be torn at once; an arm can look like one of them shifted."""
TEAR_SHIFT: Final = 2.0
"""Sideways shift of a torn band [px]."""

ROWS_LEVEL: Final = 20
"""Distance from the usual picture [grey levels] of what has changed in a row."""
ROWS_STARTS: Final = 0.58
"""Share of the width by which a row differs from the next; robots and covers make up to 0.4."""
ROWS_KEEPS: Final = 0.42
"""A stretch goes on up to here."""
EMPTY_LEVEL: Final = 3
"""Distance from one colour [grey levels] of rows without a picture, as coding makes it; the noise
of cameras makes more, and so does any shade."""
EMPTY_FOREIGN: Final = 5
"""Distance of that colour from what the last rows have else [grey levels]."""
EMPTY_WIDTH: Final = 0.97
"""Share of the width of such a row that has that colour."""
EMPTY_LEAST: Final = 0.06
"""Share of the rows by which pictures break off, or differ from the next."""
EMPTY_MOST: Final = 0.95
"""Share of the rows that are empty in all frames of a stretch if the picture is only blank."""
SEAM_LEVEL: Final = 8.0
"""How much higher a seam is than the steps beside it [grey levels]; noise makes 5."""
SEAM_LINES: Final = 4
"""Lines of the grid that seams must lie on: a block has four borders."""
SEAM_STARTS: Final = 0.005
"""Share of the picture that is seams beyond the usual; edges of a robot make 0.004."""
SEAM_FITS: Final = 0.55
"""Share of the seams at one place of the grid; straight edges of a robot make 0.3, seldom 0.6."""
ORDER_LEAPS: Final = 1.3
"""Change of a frame out of order, in median changes: it leaves out some frames on its way."""
ORDER_MOVES: Final = 0.01
"""Share of the picture that must change with a frame for its order to be told."""
ORDER_BACK: Final = 0.35
"""Share of a change that undoes earlier ones; what moves on makes 0."""
ORDER_OFTEN: Final = 3
"""Such frames within seven: a robot turns round once."""

# Noise, combs, blank frames and wrong colours.

GRAIN_SHARP: Final = 0.5
"""Squared difference of neighbours over that of pixels 4 apart: 0.25 at edges, 1 of noise."""
GRAIN_LEVEL: Final = 40.0
"""Squared difference of neighbours [grey levels] beyond a camera's own noise, which makes 5."""
GRAIN_STARTS: Final = 0.35
"""Share of tiles beyond what is usual; clean clips reach 0.25."""
GRAIN_PAUSE_S: Final = 0.4
"""Whole frames between broken ones for so long do not end a stretch [s]."""
BLANK_LEVEL: Final = 0.8
"""Standard deviation of a blank frame [grey levels]; the thickest fog leaves more."""
TINT_LEVEL: Final = 12.0
"""Distance of a colour from grey [grey levels] from which on it has a hue."""
TINT_ALIKE: Final = 0.6
"""Cosine of the angle between two hues above which they are one."""
TINT_LEAST: Final = 15
"""Cells, of 196, that must have a colour to be judged by."""
TINT_STARTS: Final = 0.6
"""Share of the picture in wrong colours; things and shadows of a scene make up to 0.2."""

# Occlusion.

COVER_LEAST: Final = 0.042
"""Share of the picture that must be covered at once; things are smaller."""
COVER_MOST: Final = 0.9
"""Share above which the light changed, not the view."""
COVER_ALIKE: Final = 0.6
"""Correlation of a part before and after above which it still shows the same."""
COVER_FOREIGN: Final = 0.3
"""Share of a cover that has foreign colours; of a robot at another place next to nothing has."""
COVER_RETURNS: Final = 0.3
"""Share of the part that looks as before once it is free; the robot has moved on meanwhile."""
COVER_MOVING: Final = 0.1
"""Share that must be covered if the camera moves: parts of its picture come to rest anyway."""
COVER_GOES_BY: Final = 0.04
"""Share of the rest that changes in each frame while a moving camera is covered."""
FOREIGN_USUAL: Final = 0.3
"""Share of the frames that may lack a colour of the scene; a cover is there for less than 0.7."""
FOREIGN_TIMES: Final = 1.5
"""How far a colour may outgrow its usual area: a robot turns, and shows more of itself."""
FOREIGN_FLOOR: Final = 0.002
"""Share of the picture by which a colour may do so without any reason: light wavers."""
FOREIGN_JUMPS: Final = 0.033
"""Share of the picture that turns foreign from one frame to the next; an arm makes up to 0.025."""
FOREIGN_GROWS: Final = 0.06
"""The same within `FOREIGN_S`; an arm that comes into the picture makes up to 0.04."""
FOREIGN_HUE_JUMPS: Final = 0.03
"""Share of the picture that turns into a foreign hue from one frame to the next; things and arms
make up to 0.013."""
FOREIGN_HUE_GROWS: Final = 0.035
"""The same within `FOREIGN_S`."""
FOREIGN_S: Final = 0.35
"""How long a cover takes to slide in [s]."""
FOREIGN_TEMPO: Final = 4.0
"""Such a jump, in usual changes of the clip: real light wavers more."""
FOREIGN_MOST: Final = 0.75
"""Share of the picture above which the light or the picture has changed, not the view."""
FOREIGN_WHOLE: Final = 0.5
"""Share of the jump that one connected part must make."""
