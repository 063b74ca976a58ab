from __future__ import annotations

import pytest
from playwright.sync_api import sync_playwright

from assay.reports.audit_page import write_audit_page
from reports.sample import sample_page

CHROMIUM = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def page():
    return sample_page()


@pytest.fixture(scope="session")
def report(page, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_audit_page(page, folder)
    return folder


@pytest.fixture(scope="module")  # its event loop must not outlive the module
def chromium(browser_program):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_program, args=list(CHROMIUM))
        yield browser
        browser.close()


class Opened:
    """A page of a report in the browser, with all that went wrong while it was open."""

    def __init__(self, context, folder):
        self.page = context.new_page()
        self.folder = folder
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("requestfailed", lambda request: self.faults.append(request.url))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("dialog", lambda dialog: (self.faults.append("dialog"), dialog.dismiss()))

    def goto(self, name):
        self.page.goto(f"{self.folder.as_uri()}/{name}")
        return self.page


@pytest.fixture
def opened(chromium):
    """Open a report's folder in a fresh window; no fault may be left when the test ends."""
    contexts = []

    def open_folder(folder, **options):
        context = chromium.new_context(viewport={"width": 1200, "height": 900}, **options)
        contexts.append(context)
        windows.append(Opened(context, folder))
        return windows[-1]

    windows: list[Opened] = []
    yield open_folder
    faults = [fault for window in windows for fault in window.faults]
    for context in contexts:
        context.close()
    assert faults == []
