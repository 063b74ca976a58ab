"""See whether the opening of the demonstration's report says what it is there to say.

    python tests/proof/demo_claim.py [--out FOLDER] [--jobs 2]

Runs `assay demo` as a user does, and reads the paragraph that opens its report. It has to tell two
policies apart of which neither ever succeeds; to tell a policy that gives progress back from
near-miss, by regret; and to say that a clock puts none of these pairs in the truth's order, nor any
policies at all. Every figure needs an interval. Prints the paragraph, and what holds of it. Exits
with 1 if something does not hold. A FOLDER is kept, and a second run in it repeats nothing.
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = r"-?\d+\.\d \[-?\d+\.\d, -?\d+\.\d\]"
APART = re.compile(
    r"On “(?P<task>[^”]+)”, (?P<one>\S+) and (?P<two>\S+) have the same success rate,"
    r" (?P<rate>\S+), but differ in (?P<what>[^:]+): these intervals do not overlap"
)
FIGURE = re.compile(rf"([A-Z]+) \(({NUMBER}) against ({NUMBER})\)")
SECONDED = re.compile(r"by (oracle|ramp), [^:;.]+: [^;]*?, (no difference|the [^;.]+)[;.]")


def claims(paragraph: str) -> dict[str, bool]:
    """Return what the paragraph has to say, and whether it does."""
    pairs = list(APART.finditer(paragraph))
    failed = [pair for pair in pairs if pair["rate"] == "0.0" and FIGURE.search(pair["what"])]
    said = SECONDED.findall(paragraph)
    clock = [verdict for name, verdict in said if name == "ramp"]
    truth = [verdict for name, verdict in said if name == "oracle"]
    ranked = re.search(r"judged by ramp, [^;.]*", paragraph)
    wrong = ranked is not None and re.search(r"tied by mean MP|changes? places", ranked[0])
    return {
        "two policies that never succeed are told apart, with intervals": bool(failed),
        "regret tells one that gives progress back from near-miss": any(map(regrets, failed)),
        "the truth has all these pairs in the same order": len(truth) == len(pairs) > 0
        and all(verdict.startswith("the same order") for verdict in truth),
        "a clock has none of these pairs in that order": len(clock) == len(pairs) > 0
        and not any(verdict.startswith("the same order") for verdict in clock),
        "a clock ranks the policies wrongly, or not at all": bool(wrong),
    }


def regrets(pair: re.Match[str]) -> bool:
    """Tell whether one of the pair is near-miss, and the other has more regret, with intervals."""
    names = [pair["one"], pair["two"]]
    for metric, *values in FIGURE.findall(pair["what"]):
        if metric == "CRA" and "near-miss" in names:
            own = dict(zip(names, (float(value.split()[0]) for value in values), strict=True))
            return own.pop("near-miss") < max(own.values())
    return False


def shown(report: Path) -> str:
    """Return what the opening of the report says to a reader, in one paragraph."""
    page = (report / "index.html").read_text(encoding="utf-8")
    opening = page.partition('<section id="findings">')[2].partition("</section>")[0]
    sentences = re.findall(r"<p>(.*?)</p>", opening, re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", sentence)) for sentence in sentences)


def main() -> int:
    """Run the demonstration and print what holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="by default a folder that is removed")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        command = [sys.executable, "-m", "assay", "demo", "--out", str(out)]
        subprocess.run([*command, "--jobs", str(options.jobs)], check=True, stdout=sys.stderr)
        paragraph = shown(out / "audit")
    print(f"{paragraph}\n")
    held = claims(paragraph)
    for claim, holds in held.items():
        print(f"{'holds' if holds else 'DOES NOT HOLD'}: {claim}")
    return 0 if all(held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
