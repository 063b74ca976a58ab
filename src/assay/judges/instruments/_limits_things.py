"""Thresholds of the instruments for things, the robot and signals, each with its reason.

Pixels are those of the small picture (at most `SIDE` wide), grey levels run from 0 to 255. What is
relative is relative to the clip itself: clips differ far more from each other than a fault differs
from its own clip. Clean clips of the worlds and real clips decided the numbers.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BREACH_MOST",
    "COLOUR_APART",
    "COLOUR_HUE",
    "COLOUR_MOST",
    "COLOUR_SCENE",
    "DRIFT_AROUND",
    "DRIFT_HUE",
    "DRIFT_LEAST",
    "DRIFT_SEEN",
    "DRIFT_STEP",
    "DRIFT_WANDERS",
    "END_CLEAR",
    "END_CLEAR_SLOW",
    "END_LEVEL",
    "END_LIGHT",
    "END_MISSING",
    "END_OPEN_FAIR",
    "END_OPEN_QUICK",
    "END_OPEN_SLOW",
    "END_PART",
    "END_REMNANT",
    "END_SEEN",
    "END_SLOW_S",
    "END_WHOLE",
    "FROZEN_M",
    "FROZEN_S",
    "HOP_COMES_S",
    "HOP_FAR",
    "HOP_HELD",
    "HOP_MOVES",
    "HOP_OPEN",
    "HOP_SIZES",
    "HOP_THERE",
    "HUNG_M_S",
    "HUNG_S",
    "JOINT_JUMP_RAD",
    "JOINT_MOST_RAD",
    "JOINT_RAD_S",
    "JOINT_REST_RAD",
    "JUMP_M",
    "JUMP_REST_M",
    "JUMP_S",
    "LASTING_CALM",
    "LASTING_FRAMES",
    "LASTING_RESTLESS",
    "LIFTED",
    "LOOK_LEVEL",
    "OUTLINE_ARM",
    "OUTLINE_BACK",
    "OUTLINE_LEAST",
    "OUTLINE_LEVEL",
    "OUTLINE_MOST",
    "OUTLINE_S",
    "OUTLINE_TIMES",
    "PASSED_HAND",
    "PASSED_LIES",
    "PASSED_MORE",
    "PATCH_BACK",
    "PATCH_BIT",
    "PATCH_CALM",
    "PATCH_CLEAR",
    "PATCH_HUE",
    "PATCH_NEAR",
    "PATCH_PAUSE",
    "PATCH_PURE",
    "PATCH_QUICK_S",
    "PATCH_REST",
    "PATCH_RESTLESS",
    "PATCH_WIDE",
    "SCENE_HUE",
    "SCENE_LEVEL",
    "SPELL_BACK",
    "SPELL_CRISP",
    "SPELL_LEAST_S",
    "SPELL_LEVEL",
    "SPELL_SHARP",
    "SPELL_SLOPE_S",
    "SPELL_STEP",
    "STEP_LEAST",
    "STEP_NEAR",
    "STEP_RESTLESS",
    "STEP_RESTLESS_SLOW",
    "SUNK_FOOT",
    "SUNK_M",
    "SUNK_S",
    "SUNK_TOP",
    "SUNK_WHOLE",
    "THING_ALONE",
    "THING_ASIDE",
    "THING_BLURRED",
    "THING_COLOUR",
    "THING_ELSEWHERE",
    "THING_GROUP",
    "THING_LEAST",
    "THING_MOST",
    "THING_PARTS",
    "THING_PURE",
    "THING_RESTLESS",
    "THING_SIZES",
    "THING_SUDDEN",
    "TRACK_ALIKE",
    "TRACK_BIT",
    "TRACK_LEAP",
    "TRACK_LEAST",
    "TRACK_REACH_S",
    "TRACK_RESTS",
    "TURNED_BOTH",
    "TURNED_LEVEL",
    "TURNED_RIM",
    "TURNED_ROUND",
    "TURNED_SHARE",
    "TURNED_WHOLE",
    "TWIN_BEGINS",
    "TWIN_LEAST",
    "TWIN_MOST",
    "TWIN_NEAR",
    "TWIN_STAYS",
    "UP_M",
]

# Parts of the picture that change at once.

STEP_LEAST: Final = 0.0008
"""Share of the picture below which a change can't be told from noise: ten half-size pixels."""
STEP_NEAR: Final = 4
"""How far around a part is looked for motion [half-size px]."""
STEP_RESTLESS: Final = 0.25
"""Share of the surroundings that may move just before or after."""
STEP_RESTLESS_SLOW: Final = 0.18
"""The same for what comes or goes within several frames: arms look so more often."""
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
LASTING_RESTLESS: Final = 0.08
"""Share of the surroundings that may move beside what never turns back; robots make 0.15."""
LASTING_CALM: Final = 0.05
"""The same for what takes several frames."""
LIFTED: Final = 0.35
"""How far a thing goes aside over how far it goes up if it hangs in the air since then; one that
jumps anywhere does so one time in ten."""
LASTING_FRAMES: Final = 3
"""Frames from the ends of a clip at which it can't be told whether a change lasts."""

PATCH_BIT: Final = 0.6
"""Share of a patch below which a part that turns at one moment is only a bit of it."""
PATCH_CALM: Final = 0.05
"""Share of the surroundings that may move if only one end of a spell is seen."""
PATCH_CLEAR: Final = 0.82
"""The same for a patch that is a thing and nothing else, beside which more may move."""
PATCH_HUE: Final = 0.09
"""How far the hue of a pixel turns, in parts of the whole light: a table and grey metal differ by
0.07, things and a table by 0.12 and more."""
PATCH_QUICK_S: Final = 0.14
"""A transition within which two things seldom happen [s]; `SPELL_SLOPE_S` is the slower one."""
PATCH_WIDE: Final = 2.5
"""What moves with a patch, in patches: a thing that is pulled away crosses some ground."""
PATCH_BACK: Final = 0.65
"""Share of a patch that looks as before once it is back: a shadow may lie over the rest."""
PATCH_NEAR: Final = 4
"""Frames from the moment at which a thing leaves its place to that at which it has another."""
PATCH_PAUSE: Final = 10
"""Frames after which a thing that blinks is away again."""
PATCH_REST: Final = 0.08
"""Share of the rim of a patch that shows the same thing still, or showed it before: a thing that
sinks, stretches or bends changes a part of itself."""
PATCH_PURE: Final = 0.7
"""Share of a patch that shows a thing before or after and the ground else; limbs make 0.5."""
PATCH_RESTLESS: Final = 0.16
"""Share of the surroundings that may move just before or after; beside hands 0.25 do."""

# Things.

LOOK_LEVEL: Final = 10.0
"""How much more a thing stands out from its surroundings than an empty place [grey levels]."""
TURNED_LEVEL: Final = 30.0
"""Distance from the surroundings [grey levels] of a thing, before and after it turned."""
TURNED_SHARE: Final = 0.65
"""Share of a part that stands out from its surroundings before and after: a thing is there that was
another one. Recoloured things reach 0.9, exchanged ones 0.75, those that jumped 0.6."""
TURNED_BOTH: Final = 0.55
"""The same for each of two places between which things are exchanged; one that is left empty and
has nothing beside it makes 0.1."""
TURNED_WHOLE: Final = 0.8
"""The same for a single part that turns up to its rim."""
TURNED_ROUND: Final = 0.6
"""Share of the rim of such a part that stands out before and after."""
TURNED_RIM: Final = 0.15
"""The same for the rim alone, where an empty place does not stand out from the ground beside it."""
THING_LEAST: Final = 0.001
"""Share of the picture that a thing must have if it turns with the very frame."""
THING_ASIDE: Final = 0.35
"""How far a hue may lie aside of the way from the ground's hue to a thing's, in its length."""
THING_BLURRED: Final = 0.0018
"""The same if it takes some frames; below, flecks of real cameras come and go."""
THING_ALONE: Final = 0.002
"""The same if it is never put right again."""
THING_MOST: Final = 0.05
"""Share of the picture above which it is no single thing."""
THING_PARTS: Final = 6
"""Parts that turn together above which it is no thing."""
THING_PURE: Final = 0.7
"""Share of the parts that only leaves, or only comes, if a thing is gone or new: 0.88 and more do,
and 0.55 of one that is larger or has sunk."""
THING_ELSEWHERE: Final = 0.5
"""Area of a thing's hue that is new elsewhere over the area that it has left if it is not gone."""
THING_GROUP: Final = 0.035
"""Share of the picture of three parts and more above which they are limbs: a thing at two places
and its shadows make 0.025."""
THING_SIZES: Final = 0.2
"""Smaller over larger area of one thing at two places: an arm hides a part of one."""
THING_COLOUR: Final = 45.0
"""Distance of two mean colours of one thing [grey levels]: light differs from place to place."""
THING_SUDDEN: Final = 0.4
"""Share of all that changes with that frame beyond the usual; of a robot's part that vanishes only
some pixels stand still enough to be followed, under 0.2 of it."""
THING_RESTLESS: Final = 0.12
"""Share of the picture that changes in the median frame of a camera that moves unannounced."""

# Things by their colours.

COLOUR_HUE: Final = 0.1
"""How far a thing's hue is from grey, in parts of the whole light: wood has 0.07, and pale things
0.2."""
COLOUR_APART: Final = 0.12
"""Distance of the hues of two things; shades of one are nearer."""
COLOUR_SCENE: Final = 0.06
"""Share of the picture, in the median frame, above which a colour is the scene's."""
COLOUR_MOST: Final = 8
"""Colours that are followed, those of the largest areas: tables hold fewer things."""
SCENE_LEVEL: Final = 30
"""Distance from the scene without things [grey levels] of what shows it."""
SCENE_HUE: Final = 0.03
"""The same for its hue, in whatever shadow."""
TRACK_LEAST: Final = 0.0015
"""Share of the picture that a thing must have to be followed."""
TRACK_BIT: Final = 0.0005
"""The same for what is left of one that is being hidden or fades."""
TRACK_REACH_S: Final = 1.1
"""How far a thing gets in a second [sides of the picture]: quick hands carry it so fast."""
TRACK_LEAP: Final = 3.0
"""How far a thing that lay still gets with one frame [half-size px]; hands start slowly."""
TRACK_ALIKE: Final = 0.8
"""Smaller over larger area of a thing before and after a leap; what is being covered loses more."""
TRACK_RESTS: Final = 0.5
"""How far a thing that lies still seems to go with a frame [half-size px]."""
END_SLOW_S: Final = 0.4
"""Longest time that it takes to fade or dissolve [s]; what takes longer goes somewhere."""
END_WHOLE: Final = 0.8
"""Share of its usual area up to which a thing is whole."""
END_REMNANT: Final = 0.35
"""Usual area over the largest one below which most of a thing was hidden before."""
END_SEEN: Final = 3
"""Frames for which a thing must have been there."""
END_PART: Final = 0.2
"""Share of a blob that goes with one frame if that is a thing of the same colour beside another."""
END_LEVEL: Final = 24
"""How far the colours at its place change, in the median [grey levels]: a surface between two hues
has now one name and now the other, and hardly changes."""
END_LIGHT: Final = 0.3
"""Share of the picture that changes with a frame if the light does; quick arms change 0.12."""
END_MISSING: Final = 0.6
"""Share of a thing that is missing from its colour all around."""
END_OPEN_QUICK: Final = 0.36
"""Share of a thing's place that shows the scene right after it went with one frame. Fingers that
held it are seen in the rest; arms that pass take longer."""
END_OPEN_SLOW: Final = 0.75
"""The same for what takes several frames, in which an arm passes over it."""

END_OPEN_FAIR: Final = 0.5
"""The same if the thing both goes and comes so."""
END_CLEAR: Final = 0.85
"""Share of its surroundings that shows no arm meanwhile, for the same."""
END_CLEAR_SLOW: Final = 0.95
"""The same for what takes longer than `END_SLOW_S`."""
SUNK_TOP: Final = 0.25
"""How far the top of a thing that sinks goes down, in its height, while it is still seen."""
SUNK_FOOT: Final = 0.15
"""How far its lower end may go meanwhile, in its height: what shrinks or fades loses both alike."""
SUNK_WHOLE: Final = 0.7
"""Share of its lower part that is still seen then; what dissolves has holes."""

TWIN_STAYS: Final = 0.75
"""Share of a thing's place that shows it while a second one comes out of it; of two things side by
side one is left, and of what a hand takes nothing."""
TWIN_LEAST: Final = 0.4
"""Area of the second thing over that of the first one: fingers hide a part of it."""
TWIN_MOST: Final = 2.0
"""The same at most: what is nearer to the camera is larger."""
TWIN_BEGINS: Final = 0.15
"""The same by which it begins to be seen beside the first one."""
TWIN_NEAR: Final = 2.0
"""How far the middles of the two are from each other once they are apart, in widths of the thing;
long things have more of it than round ones."""

PASSED_HAND: Final = 0.5
"""Share of its surroundings without an arm below which a hand may have put a thing there."""
PASSED_LIES: Final = 5
"""Frames for which a place was empty before an arm passed, and has a thing after that."""
PASSED_MORE: Final = 0.6
"""How much more of its colour there is with one thing more, in things; an arm may hide others."""

HOP_OPEN: Final = 0.3
"""Share of the place that a thing has left, or comes to, that shows the scene without it."""
HOP_SIZES: Final = 0.2
"""Smaller over larger area of a thing at two places: fingers hide a part of one."""
HOP_FAR: Final = 0.1
"""How far a thing that a hand snatches or drops may get with a frame [sides of the picture]."""
HOP_HELD: Final = 0.1
"""Share of the surroundings of a thing that a hand takes up as it comes to hold it."""
HOP_COMES_S: Final = 1.0
"""Longest time for which a hand comes to a thing, or goes from it, until it is away [s]."""
HOP_THERE: Final = 0.85
"""Share of what a hand hides around a thing that it holds, by which it has come."""
HOP_MOVES: Final = 0.35
"""How far a thing goes with a frame [half-size px] if a hand has it."""
BREACH_MOST: Final = 3
"""Things that are not kept in one clip; colours that come and go more often are no things'."""

# Colour drift.

DRIFT_HUE: Final = 0.07
"""How far a hue goes, in parts of the whole light: that of a red thing and a grey one differ by
0.3."""
DRIFT_WANDERS: Final = 1.4
"""Length of its way over how far it gets: noise and passing arms go to and fro."""
DRIFT_STEP: Final = 0.45
"""Largest part of the way that is done at once; a thing that is moved does all of it."""
DRIFT_LEAST: Final = 0.0015
"""Share of the picture that the thing must have."""
DRIFT_AROUND: Final = 0.2
"""Share of the surroundings that may drift along: light changes all of them."""
DRIFT_SEEN: Final = 20
"""Change [grey levels] from which on an eye sees it."""

# The robot's outline.

OUTLINE_LEVEL: Final = 25
"""Distance from the usual picture [grey levels] of what stands in front."""
OUTLINE_BACK: Final = 0.3
"""Smaller over larger change of one part as it goes and as it comes: the robot moves meanwhile."""
OUTLINE_LEAST: Final = 0.025
"""Share of the picture that the outline must lose or gain with one frame: whole links and more. A
real arm in a hurry changes by patches of 0.019."""
OUTLINE_MOST: Final = 0.35
"""Share above which the light has changed; a second arm takes a quarter of the picture."""
OUTLINE_S: Final = 4.0
"""Longest stretch [s] whose two ends are taken for one."""
OUTLINE_TIMES: Final = 4.0
"""The same beside the largest change of the frames around: quick arms change in each of them."""
OUTLINE_ARM: Final = 0.05
"""Share of the picture from which on what has come is an arm or a gripper, not a rod."""

# Physics, from recorded signals.

JUMP_M: Final = 0.05
"""How far a thing must move between two samples [m] to have jumped."""
JUMP_REST_M: Final = 0.01
"""How little it moves in the samples beside [m]: what falls or is thrown moves there too."""
JUMP_S: Final = 0.5
"""How long a jump that is never undone counts [s]."""
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
JOINT_JUMP_RAD: Final = 0.25
"""How far a joint must turn between two samples [rad] to have jumped."""
JOINT_REST_RAD: Final = 0.01
"""How little it turns in the samples beside [rad]: what is driven speeds up and slows down."""
JOINT_MOST_RAD: Final = 6.5
"""Angle [rad] that no joint reaches: the widest have a whole turn to each side, which is 6.28."""
FROZEN_S: Final = 0.5
"""For how long no joint turns [s] while the hand moves."""
FROZEN_M: Final = 0.03
"""How far the hand moves meanwhile [m]; a gripper that bends moves less."""
