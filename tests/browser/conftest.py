"""A headless Chromium for tests of pages; without it, they are skipped with the reason.

`open_page` opens a page and records console messages, errors and requests. It needs the package `playwright` and a
Chromium: that of the system (`chromium`, `chromium-browser`, `google-chrome`) or of the variable PLAIT_CHROMIUM.
axe-core is read from the variable PLAIT_AXE or from node_modules.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).resolve().parents[2]
SERIOUS = ("serious", "critical")


def find_chromium():
    named = os.environ.get("PLAIT_CHROMIUM")
    found = [named] if named else map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    return next((path for path in found if path), None)


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium. Playwright's event loop runs as long as it does, so it is closed with each module."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    path = find_chromium()
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium, or set PLAIT_CHROMIUM")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """An open page, and what it did: `problems` are console errors, exceptions and requests elsewhere."""

    def __init__(self, page, allowed):
        self.page = page
        self.problems = []
        page.on("console", lambda one: self.problems.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: (self.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda one: None if one.url.startswith(allowed) else self.problems.append(one.url))

    def overflow(self):
        """The pixels by which the page is wider than the screen."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@contextmanager
def opening(browser):
    """Yield a function that opens an address, with a width and a colour scheme; `allowed` may be requested."""
    contexts = []

    def open_address(address, *, width=1280, height=900, dark=False, script=True, allowed=None, bypass_csp=False):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            bypass_csp=bypass_csp,
        )
        contexts.append(context)
        visit = Visit(context.new_page(), allowed or address.partition("#")[0])
        visit.page.goto(address)
        return visit

    yield open_address
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(browser):
    """The function of `opening`, for one test."""
    with opening(browser) as open_address:
        yield open_address


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    named = os.environ.get("PLAIT_AXE")
    path = Path(named) if named else ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip("needs axe-core: npm install --no-save axe-core, or set PLAIT_AXE to axe.min.js")
    return path.read_text(encoding="utf-8")


def serious_findings(visit, axe):
    """The serious and critical findings of axe-core on an open page, with the first elements of each."""
    visit.page.evaluate(axe)
    found = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], one["help"], [node["html"][:150] for node in one["nodes"][:3]])
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ]
