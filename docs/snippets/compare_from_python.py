"""Audit two policies, compare them, and read the numbers behind the sentence."""

from assay.jobs.audit import AuditSettings, audit
from assay.jobs.compare import CompareSettings, compare

if __name__ == "__main__":  # workers import this file
    for policy in ("pi0", "act"):
        audit([f"{policy}=runs/{policy}"], AuditSettings(out=f"audit-{policy}", video="none"))

    settings = CompareSettings(out="compared", metrics=("mp",))
    for row in compare(["audit-pi0", "audit-act"], settings).document["comparisons"]:
        found = row["difference"]
        ends = f"{found['low']:.3f} to {found['high']:.3f}"
        print(f"{row['a']} less {row['b']}: {found['value']:.3f}, {ends}")
        print(f"p = {row['p_adjusted']:.3f} ({found['test']})")
