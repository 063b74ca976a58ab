"""Go back to a moment of an attempt, and on from there."""

from assay.worlds.policies.expert import Expert
from assay.worlds.session import Session
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.world import World

world = World(LiftBlock())
session = Session(world, Expert().actor(world.task, seed=7))
session.reset(seed=7)
for _ in range(20):
    session.step()
moment = session.save()  # can be pickled

for _ in range(20):
    session.step()
there = world.progress()

session.restore(moment)
for _ in range(20):
    session.step()
print("the same to the last bit:", world.progress() == there)
