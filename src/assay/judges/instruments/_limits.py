"""Every threshold of the instruments, each with its reason.

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
    "CALM_NEAR",
    "CALM_RESTLESS",
    "CALM_S",
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
    "FOREIGN_FLOOR",
    "FOREIGN_GROWS",
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
    "HUNG_M_S",
    "HUNG_S",
    "JOINT_RAD_S",
    "JUMP_M",
    "JUMP_REST_M",
    "JUMP_S",
    "LEAST_FPS",
    "LEAST_SIDE",
    "LOOK_LEVEL",
    "MOST_FPS",
    "MOST_FRAMES",
    "OVERLAP",
    "REPEAT_CATCHES_UP",
    "REPEAT_LEVEL",
    "REPEAT_MOVES",
    "REPEAT_S",
    "REPEAT_SHARE",
    "REPEAT_STOPS",
    "SHAKE_EXPLAINS",
    "SHAKE_HOME_S",
    "SHAKE_KEEPS",
    "SHAKE_PAUSE_S",
    "SHAKE_SPOILS",
    "SHAKE_STARTS",
    "SIDE",
    "SPELL_BACK",
    "SPELL_CRISP",
    "SPELL_LEAST_S",
    "SPELL_LEVEL",
    "SPELL_SHARP",
    "SPELL_SLOPE_S",
    "SPELL_STEP",
    "STEP_LEAST",
    "STEP_LEVEL",
    "STEP_NEAR",
    "STEP_RESTLESS",
    "STROBE_S",
    "SUNK_M",
    "SUNK_S",
    "TEAR_BANDS",
    "TEAR_FITS",
    "TEAR_HEIGHT",
    "TEAR_SHIFT",
    "TEXTURE",
    "THING_ALONE",
    "THING_BLURRED",
    "THING_COLOUR",
    "THING_LEAST",
    "THING_MOST",
    "THING_RESTLESS",
    "THING_SIZES",
    "THING_SUDDEN",
    "TINT_ALIKE",
    "TINT_LEAST",
    "TINT_LEVEL",
    "TINT_STARTS",
    "TURNED_LEVEL",
    "TURNED_RIM",
    "TURNED_SHARE",
    "UP_M",
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
WANDERS: Final = 0.15
"""Share of the picture that changes in three of four frames of a camera that rides on something;
with one that stands it is below 0.13, even at 4 frames a second."""
TEXTURE: Final = 60.0
"""Mean square difference of pixels 4 apart below which a tile has no edge: noise makes 5."""

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

CONTRAST_MOVING: Final = 0.4
"""The same for a camera that moves: close to a plain surface it sees little contrast."""
CONTRAST_STARTS: Final = 0.55
"""Share of the clip's usual contrast; an arm that comes close takes up to a quarter of it."""
CONTRAST_KEEPS: Final = 0.75
"""A stretch goes on up to here: light fades in and out."""
CONTRAST_LEAST: Final = 20.0
"""Contrast [grey levels] below which nothing can be told apart, whatever is usual."""
DARK_KEEPS: Final = 0.75
"""A stretch of darkness goes on up to here."""
DARK_STARTS: Final = 0.5
"""Share of the clip's usual brightness below which it has become dark."""
DARK_LEVEL: Final = 14.0
"""Mean brightness [grey levels] below which any clip is too dark."""
BRIGHT_CHANGES: Final = 0.13
"""Change of brightness, of what is usual, by which light is told from blur and covers: 0.11."""
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

# Shake.

SHAKE_STARTS: Final = 1.2
"""Displacement of the standing parts [px]: on clean clips it stays below 0.4."""
SHAKE_KEEPS: Final = 0.6
"""A stretch goes on up to here."""
SHAKE_PAUSE_S: Final = 0.5
"""A shake passes through its place; so long a pause does not end it [s]."""

# Steps: parts of the picture that change at once.

STEP_LEVEL: Final = 16
"""Change of a half-size pixel [grey levels] beyond noise and coding, which stay below 10."""
STEP_LEAST: Final = 0.0008
"""Share of the picture below which a change can't be told from noise: ten half-size pixels."""
STEP_NEAR: Final = 4
"""How far around a step is looked for motion [half-size px]."""
STEP_RESTLESS: Final = 0.25
"""Share of the surroundings that may move just before or after."""

CALM_NEAR: Final = 10
"""How far around is looked for motion when a step is never undone [half-size px]."""
CALM_S: Final = 0.4
"""For how long before and after it [s]."""
CALM_RESTLESS: Final = 0.02
"""Share of these wide surroundings that may move: a robot at work is not that far."""
TURNED_LEVEL: Final = 30.0
"""Distance from the surroundings [grey levels] of a thing, before and after it turned."""

# Things.

LEAST_FPS: Final = 8.0
"""Frames a second below which honest motion looks like jumps."""
THING_MOST: Final = 0.05
"""Share of the picture above which it is no single thing."""
THING_COLOUR: Final = 45.0
"""Distance of two mean colours of one thing [grey levels]: light differs from place to place."""
THING_SIZES: Final = 0.2
"""Smaller over larger area of one thing at two places: shadows and distance change it."""
THING_BLURRED: Final = 0.0018
"""Share of the picture that a thing must have; below, flecks of real cameras come and go."""
THING_LEAST: Final = 0.001
"""Share of the picture that a thing must have; below, flecks of real cameras come and go."""
THING_RESTLESS: Final = 0.12
"""Share of the picture that changes in the median frame of a camera that moves unannounced."""
THING_ALONE: Final = 0.004
"""Share of the picture that a thing must have if it is never put right again."""
JUMP_S: Final = 0.5
"""How long a jump that is never undone counts [s]."""

# Occlusion.

COVER_ALIKE: Final = 0.6
"""Correlation of a part before and after above which it still shows the same."""
COVER_LEAST: Final = 0.042
"""Share of the picture that must be covered at once."""
COVER_FOREIGN: Final = 0.3
"""Share of a cover that has foreign colours; of a robot at another place next to nothing has."""
COVER_MOST: Final = 0.9
"""Share above which the light changed, not the view."""

COVER_MOVING: Final = 0.1
"""The same for a camera that moves: parts of its picture come to rest without a cover."""
COVER_GOES_BY: Final = 0.04
"""Share of the rest that changes in each frame while a moving camera is covered."""
COVER_RETURNS: Final = 0.3
"""Share of the part that looks as before once it is free; the robot has moved on meanwhile."""

# Broken frames.

BLIP_MOVING: Final = 0.1
"""The same for a camera that moves: edges that pass break for one frame too."""
BROKEN_LEVEL: Final = 14.0
"""Mean change of a cell against both neighbours in time [grey levels]."""
BROKEN_STARTS: Final = 0.6
"""Share of broken cells when all is noise; a large arm that moves fast breaks a quarter."""
BLIP_STARTS: Final = 0.03
"""Share of cells that break for one frame and are whole again; a quick arm makes 1 to 2 %."""
TEAR_FITS: Final = 0.5
"""What a torn band differs by once it is shifted back, of what it differs by as it is."""
TEAR_HEIGHT: Final = 0.2
"""Height of the peak of phase correlation that tells the shift of a band."""
TEAR_BANDS: Final = 2
"""Bands that must be torn at once; an arm can look like one of them shifted."""
TEAR_SHIFT: Final = 2.0
"""Sideways shift of a torn band [px]."""

# Physics, from recorded signals.

JUMP_M: Final = 0.05
"""How far a thing must move between two samples [m] to have jumped."""
JUMP_REST_M: Final = 0.01
"""How little it moves in the samples beside [m]: what falls or is thrown moves there too."""
SUNK_M: Final = 0.015
"""How far below its first place a thing must be [m]: things do not start in the air."""
SUNK_S: Final = 0.3
"""For how long [s]."""
UP_M: Final = 0.03
"""How far above its lowest place a thing is up [m]."""
HUNG_M_S: Final = 0.02
"""Speed below which a thing hangs still [m/s]; after 0.1 s of falling it has 1 m/s."""
HUNG_S: Final = 0.3
"""For how long it must hang, or go along with the hand [s]."""
JOINT_RAD_S: Final = 12.0
"""Speed of a joint [rad/s] that no arm's motor reaches."""

# Spells.

SPELL_LEVEL: Final = 12
"""Change from frame to frame [grey levels] beyond noise and coding of half-size pixels."""
SPELL_STEP: Final = 18
"""What all frames of a transition make together [grey levels]: below, it is a soft shadow."""
SPELL_BACK: Final = 16
"""How far a pixel may be from its old value once it is back [grey levels]."""
SPELL_SLOPE_S: Final = 0.4
"""Longest transition [s]: what takes longer is not at once."""
SPELL_SHARP: Final = 0.7
"""Share of the pixels that turn with the very frame; those an arm passes over differ."""
SPELL_CRISP: Final = 0.9
"""Share from which on nothing but a cut makes it."""
SPELL_LEAST_S: Final = 0.25
"""Shortest spell [s]: fingers that open and close at once take less."""
TURNED_SHARE: Final = 0.65
"""Share."""
TURNED_RIM: Final = 0.15
"""Share."""
THING_SUDDEN: Final = 0.4
"""Share."""
LOOK_LEVEL: Final = 10.0
"""How much more a thing stands out from its surroundings than an empty place [grey levels]."""

SHAKE_EXPLAINS: Final = 0.08
"""Share."""
SHAKE_HOME_S: Final = 0.3
"""While."""

# Foreign colours.

FOREIGN_USUAL: Final = 0.3
"""Share of the frames that may lack a colour of the scene; a cover is there for less than 0.7."""
FOREIGN_TIMES: Final = 1.5
"""How far a colour may outgrow its usual area: a robot turns, and shows more of itself."""
FOREIGN_FLOOR: Final = 0.002
"""Share of the picture by which a colour may do so without any reason: light wavers."""
FOREIGN_JUMPS: Final = 0.033
"""Share of the picture that turns foreign from one frame to the next; an arm makes up to 0.025."""
FOREIGN_GROWS: Final = 0.08
"""The same within `FOREIGN_S`; an arm that comes into the picture makes up to 0.06."""
FOREIGN_S: Final = 0.35
"""How long a cover takes to slide in [s]."""
FOREIGN_TEMPO: Final = 4.0
"""Such a jump, in usual changes of the clip: real light wavers more."""
FOREIGN_MOST: Final = 0.75
"""Share of the picture above which the light or the picture has changed, not the view."""
FOREIGN_WHOLE: Final = 0.5
"""Share of the jump that one connected part must make."""
SHAKE_SPOILS: Final = 0.25
"""Share."""

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
