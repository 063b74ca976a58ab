# Two policies, three scenes, one dataset. Larger pictures are the default; these are quick to draw.
assay rollout lift-block --policy expert --policy dropper --seeds 0:3 \
  --views front --size 64 --quality fast --out=lifting

# Exact progress is in the data: audit with the truth, and see what a clock would have said.
assay audit lifting --judge oracle --beside ramp --out lifting-report

# The same scenes with another background, by a policy of your own.
assay rollout lift-block --policy waving=waving:Waving --seeds 0:1 --perturb background=2 \
  --views none --out=waves

# Which tasks, policies and perturbations are there?
assay list tasks
