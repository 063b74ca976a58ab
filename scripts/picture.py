"""Make docs/images/report.png: the demonstration report beside one of its episodes.

.venv/bin/python scripts/picture.py [DEMO]    a finished demo, else one is made
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "images" / "report.png"
SIZE = {"width": 1100, "height": 1330}
GAP = 24
SHOWN = "dropper"  # whose episode is shown


def main() -> None:
    """Audit, photograph both pages, and join the pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if len(sys.argv) > 1:
            report = Path(sys.argv[1]).absolute() / "audit"
        else:
            run(folder, "-m", "assay", "demo", "--out", "demo")
            report = folder / "demo" / "audit"
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
            index = photograph(page, report / "index.html", folder / "1.png")
            page.goto((report / "index.html").as_uri())
            link = page.locator(f"a[href^='episode.html#'][href*='{SHOWN}']").first
            episode = photograph(page, report / str(link.get_attribute("href")), folder / "2.png")
            browser.close()
        join(index, episode).save(TARGET, optimize=True)


def run(folder: Path, *command: object) -> None:
    """Run Python in `folder`."""
    words = [sys.executable, *map(str, command)]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own


def photograph(page: Page, address: Path, picture: Path) -> Image.Image:
    """Return a picture of the page at `address`, a file with a fragment perhaps."""
    file, _, fragment = str(address).partition("#")
    page.goto(Path(file).as_uri() + (f"#{fragment}" if fragment else ""))
    page.wait_for_timeout(1000)
    page.screenshot(path=picture)
    return Image.open(picture).convert("RGB")


def join(left: Image.Image, right: Image.Image) -> Image.Image:
    """Return both pictures side by side."""
    joined = Image.new("RGB", (left.width + GAP + right.width, left.height), (224, 226, 230))
    joined.paste(left, (0, 0))
    joined.paste(right, (left.width + GAP, 0))
    return joined.resize((joined.width * 3 // 4, joined.height * 3 // 4), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
