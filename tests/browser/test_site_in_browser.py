"""The documentation site in a browser: it fits narrow and wide screens, shows its formulas, asks nobody else."""

from __future__ import annotations

import functools
import http.server
import threading

import pytest

from tests.browser.conftest import ROOT, opening, serious_findings

SITE = ROOT / "site"
PAGES = ("index", "which-model", "medlda", "guides/news", "reproduction", "reference/lda")

pytestmark = [
    pytest.mark.slow,  # a browser is slow to start; `make test-slow` runs these
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built; make docs"),
]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    handler = functools.partial(QuietHandler, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module", params=[(400, True), (1400, False)], ids=["narrow, dark", "wide, light"])
def visits(request, browser, address):
    """All pages, opened once for all tests."""
    width, dark = request.param
    with opening(browser) as open_address:
        allowed = (address, "data:", "blob:")
        yield {name: open_address(f"{address}/{name}.html", allowed=allowed, width=width, dark=dark) for name in PAGES}


def test_pages_fit_and_ask_nobody_else(visits):
    for name, found in visits.items():
        assert found.overflow() <= 0, name
        assert found.problems == [], name


def test_pages_are_accessible(visits, axe):
    wrong = {name: serious_findings(found, axe) for name, found in visits.items()}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_formulas_are_drawn(visits):
    page = visits["medlda"].page
    page.wait_for_selector("div.arithmatex mjx-container svg")
    widths = page.eval_on_selector_all("div.arithmatex svg", "all => all.map(one => one.getBoundingClientRect().width)")
    assert min(widths) > 100  # nothing is shrunk away
    assert "\\frac" not in page.inner_text("article")
