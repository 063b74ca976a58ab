"""Audit two folders and read the result as plain data."""

import assay


def main() -> None:
    result = assay.audit(
        ["pi0=runs/pi0", "act=runs/act"],
        assay.AuditSettings(judge="recorded", out="report-python"),
    )
    for cell in result.document["cells"]:
        mp = cell["mp"]
        print(f"{cell['task']}, {cell['policy']}: n = {cell['n']}")
        print(f"  furthest progress {mp['value']:.2f}, from {mp['low']:.2f} to {mp['high']:.2f}")
    print(f"Report: {result.out / 'index.html'}")


if __name__ == "__main__":  # the workers are fresh processes that import this file
    main()
