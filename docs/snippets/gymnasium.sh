# An environment of your own, by a policy of your own and by random actions.
assay rollout gym:sliding:Sliding --policy pushing=sliding:Pushing --policy random --seeds 0:3 \
  --set instruction="Slide the block to the mark." --set limit_s=4 --set full_reward=1 --out=slides
assay audit slides --judge recorded --set signal=reward_share --set clip=true --out slides-report

# One that is registered. What tells success is named, and nothing is drawn.
assay rollout gym:FrozenLake-v1 --set "success=reward>=1" --views none --seeds 0:5 --out=lake
