# Demonstrations: an expert that is knocked about shows how to get back.
assay rollout lift-block --policy knocked --seeds 0:6 --fps 20 --views none --out=demos
# A real training takes a few hundred demonstrations and leaves out --steps.
assay train policy demos --steps 40 --out my-policy
# Evaluate it as any other policy.
assay rollout lift-block --policy my-policy --policy frozen --seeds 100:102 --views none --out=tries
assay audit tries --judge oracle --out my-report
