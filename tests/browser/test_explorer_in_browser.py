"""The pages of `plait serve` in a browser: what they show and do, without a request elsewhere."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason='the server needs pip install "plait[serve]"')
pytest.importorskip("playwright.sync_api", reason="needs the package playwright")

import plait
from tests.browser.conftest import serious_findings
from tests.serve.conftest import LOANS, RIVERS, SCRIPT, make_corpus, quick
from tests.serve.serving import serving

pytestmark = pytest.mark.slow  # a browser is slow to start; `make test-slow` runs these

PAGES = [
    "/", "/topics/0", "/documents", "/documents/0", "/labels", "/labels/0", "/figures/documents", "/figures/labels",
    "/search?q=loan", "/analyse", "/api", "/nothing",
]  # fmt: skip
SIZES = [(400, False), (1600, True)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    responses = [plait.LabelResponse(), plait.LinkResponse()]
    model = quick(plait.TopicModel, 4, n_chains=1, responses=responses, mixing=plait.LinkedDocuments())
    path = plait.save(model.fit(make_corpus()), folder / "braided.plait")
    with serving(path, folder, "--edit") as running:
        yield running


@pytest.fixture
def visit(server, open_page):
    def open_path(path, **options):
        return open_page(f"{server.address}{path}", allowed=f"{server.address}/", **options)

    return open_path


def expected(problems):
    """Problems without the status of the page that is not there."""
    return [one for one in problems if "404" not in one]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_pages_fit_and_ask_nobody_else(visit, path, width, dark):
    found = visit(path, width=width, dark=dark)
    assert found.page.locator("h1").count() == 1
    assert found.overflow() <= 0
    assert expected(found.problems) == []


@pytest.mark.parametrize("dark", [False, True])
def test_pages_are_accessible(visit, axe, dark):
    wrong = {path: serious_findings(visit(path, dark=dark), axe) for path in PAGES}
    analysed = visit("/analyse", dark=dark)
    analysed.page.fill("#text", f"{RIVERS} {LOANS}")
    analysed.page.click("form.box button")
    wrong["analysed"] = serious_findings(analysed, axe)
    assert {path: one for path, one in wrong.items() if one} == {}


def test_a_topic_is_reached_from_the_map_by_keyboard(visit):
    found = visit("/")
    link = found.page.locator(".only-wide svg a").first
    link.focus()
    target = link.get_attribute("href")
    found.page.keyboard.press("Enter")
    found.page.wait_for_url(f"**{target}")
    assert found.page.locator("h2", has_text="Words").count() == 1
    assert found.problems == []


def test_order_of_the_words_changes_them(visit):
    found = visit("/topics/0?words=frequent")
    frequent = found.page.locator(".only-wide svg").text_content()
    found.page.click("text=distinctive")
    found.page.wait_for_url("**words=distinctive")
    assert found.page.locator(".only-wide svg").text_content() != frequent


def test_topics_are_filtered_by_a_word(visit):
    found = visit("/")
    assert found.page.locator(".topic:visible").count() == 4
    listed = found.page.locator(".topic").evaluate_all("topics => topics.map(topic => topic.dataset.words)")
    numbers = {word: sum(word in one for one in listed) for one in listed for word in one.split()}
    word = min(numbers, key=numbers.get)
    assert 1 <= numbers[word] < 4
    found.page.fill("#filter", word)
    assert found.page.locator(".topic:visible").count() == numbers[word]
    assert found.page.locator("#shown").inner_text() == f"{numbers[word]} of 4"


def test_search_finds_a_document(visit):
    found = visit("/")
    found.page.fill("#q", "Loan 3")
    found.page.keyboard.press("Enter")
    found.page.click(".documents a.title:has-text('Loan 3')")
    found.page.wait_for_url("**/documents/*")
    assert found.page.locator("h1").inner_text() == "Loan 3"


@pytest.mark.parametrize("script", [True, False])
def test_pasted_text_gives_labels_and_links(visit, script):
    found = visit("/analyse", script=script)
    found.page.fill("#text", f"{RIVERS} {SCRIPT}")
    found.page.fill("#links", "r/1")
    found.page.click("form.box button")
    found.page.wait_for_selector("text=Suggested links")
    assert found.page.locator(".predicted .label").inner_text() == "nature"
    assert found.page.locator(".text .w", has_text="river").count() == 1
    assert found.page.locator(".text").inner_text().endswith(SCRIPT)
    assert found.page.locator("section:has(#suggested) .documents li").count() >= 3
    button = found.page.locator("button.show").first
    if script:
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        assert found.page.locator(".text.alone .w.chosen").count() >= 1
    else:
        assert not button.is_visible()
    assert found.problems == []


def test_a_title_with_markup_stays_text(visit):
    found = visit("/documents/0")
    assert found.page.locator("h1").inner_text() == SCRIPT
    assert found.problems == []


def test_a_topic_is_renamed(visit):
    found = visit("/topics/1")
    found.page.fill("#name", "<b>money</b>")
    found.page.click("text=Save")
    found.page.wait_for_load_state()
    assert found.page.locator("h1").inner_text().endswith("<b>money</b>")
    assert found.problems == []
