"""Draw votes from known strengths, rank the policies and read the result as plain data."""

from pathlib import Path

import numpy as np

from assay.jobs.rank import RankSettings, rank

strengths = {"pi0": 0.6, "act": 0.0, "octo": -0.6}
rng = np.random.default_rng(0)
lines = ["a,b,outcome,task,rater"]
for k in range(300):
    a, b = rng.permutation(list(strengths))[:2]
    wins = 1 / (1 + np.exp(strengths[b] - strengths[a]))
    outcome = "a" if rng.random() < wins else "b"
    lines.append(f"{a},{b},{outcome},{('lift', 'stack')[k % 2]},rater-{k % 9}")
Path("votes.csv").write_text("\n".join(lines) + "\n")

result = rank("votes.csv", RankSettings(out="ranked", by="task", cluster="rater"))
for policy in result.document["policies"]:
    low, high = policy["low"], policy["high"]
    print(f"{policy['rank']}. {policy['name']}: {policy['beta']:.2f}, {low:.2f} to {high:.2f}")
print(f"Report: {result.out / 'index.html'}")
