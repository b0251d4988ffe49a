"""The report in a browser: no errors, no requests, topics, slider, tooltips, widths, colours, markup in texts, axe."""

from __future__ import annotations

import numpy as np
import pytest

from plait import LDA, Corpus, OnlineLDA, TopicModel
from plait.mixing import LinkedDocuments
from plait.models import LabelResponse, LinkResponse
from plait.report import write_report
from tests.browser.conftest import serious_findings

pytest.importorskip("jinja2")

pytestmark = pytest.mark.slow  # a browser is slow to start; `make test-slow` runs these

HOSTILE = "<script>alert(1)</script>"
THEMES = [
    "river water stream bank flood rain boat fish",
    "money loan bank credit interest debt market coin",
    "goal match team player score league coach ball",
    "star planet orbit moon rocket comet telescope sky",
]
QUICK = {"n_sweeps": 15, "n_samples": 2, "sample_every": 2, "random_state": 0, "verbose": False}


def make_corpus(n_documents=80):
    random = np.random.default_rng(0)
    texts, labels = [], []
    for number in range(n_documents):
        theme = THEMES[number % len(THEMES)].split()
        other = THEMES[(number + 1) % len(THEMES)].split()
        texts.append(" ".join([*random.choice(theme, 25), *random.choice(other, 5)]))
        labels.append(theme[0])
    titles = [f"A document about {label} {number}" for number, label in enumerate(labels)]
    titles[0] = HOSTILE
    links = [(f"d{number}", f"d{(number + 4) % n_documents}") for number in range(n_documents)]
    return Corpus.from_texts(
        texts, ids=[f"d{number}" for number in range(n_documents)], titles=titles, labels=labels, links=links,
        times=[f"{2000 + number // 10}-01-01" for number in range(n_documents)],
    )  # fmt: skip


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of a model of everything, and of a stream, as addresses."""
    folder = tmp_path_factory.mktemp("reports")
    corpus = make_corpus()
    train = corpus.select(range(56))
    responses = [LabelResponse(), LinkResponse()]
    model = TopicModel(6, mixing=LinkedDocuments(), responses=responses, n_chains=1, **QUICK).fit(train)
    stream = OnlineLDA(5, **QUICK).fit(corpus, times="year")
    return {
        "everything": write_report(model, folder / "all.html", title=HOSTILE, corpus=corpus).as_uri(),
        "stream": write_report(stream, folder / "stream.html", corpus=corpus).as_uri(),
    }


@pytest.mark.parametrize("name", ["everything", "stream"])
@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("dark", [False, True])
def test_a_page_has_no_errors_and_fits_the_screen(open_page, reports, name, width, dark):
    visit = open_page(reports[name], width=width, dark=dark)
    assert visit.problems == []
    assert visit.overflow() <= 0
    assert visit.page.locator("svg.plot:visible").count() > 5
    paper = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, paper[4:-1].split(","))) < 60) == dark


def words(visit):
    return visit.page.locator(".panel .bars .word").all_inner_texts()


def test_clicking_a_topic_shows_its_words_and_the_slider_changes_them(open_page, reports):
    visit = open_page(reports["everything"])
    first = words(visit)
    assert len(first) == 20
    for key in ("topic0", "topic1", "topic2"):
        visit.page.locator(f".map .on-wide a[data-key={key}] circle").click(force=True)
        card = visit.page.locator(f"#p1-{key} .first").inner_text().split()
        assert set(words(visit)[:3]) & set(card)
        assert visit.page.locator(".panel select").input_value() == key[5:]
    before = words(visit)
    visit.page.locator(".panel input[type=range]").fill("0")
    assert words(visit) != before
    assert visit.page.locator(".panel output").inner_text() == "0.00"
    assert visit.problems == []


def test_hovering_shows_words_and_titles(open_page, reports):
    visit = open_page(reports["everything"])
    visit.page.locator(".map .on-wide circle").first.hover()
    tip = visit.page.locator(".plot-tip")
    assert "of all tokens" in tip.inner_text()
    assert "A document about" in tip.inner_text()
    visit.page.locator("#p1-influence .on-wide circle").first.scroll_into_view_if_needed()
    visit.page.locator("#p1-influence .on-wide circle").first.hover()
    assert "tokens borrowed" in tip.inner_text()


def test_the_keyboard_moves_between_topics(open_page, reports):
    visit = open_page(reports["everything"])
    links = visit.page.locator(".map .on-wide a")
    links.first.focus()
    visit.page.keyboard.press("ArrowRight")
    key = links.nth(1).get_attribute("data-key")
    assert visit.page.evaluate("document.activeElement.dataset.key") == key
    visit.page.keyboard.press("Enter")
    assert visit.page.locator(".panel select").input_value() == key[5:]
    assert [links.nth(at).get_attribute("tabindex") for at in range(2)] == ["-1", "0"]


def test_the_filter_and_document_pages(open_page, reports):
    visit = open_page(reports["everything"])
    box = visit.page.locator("#p1-topics .filter input")
    box.fill("telescope")
    shown = visit.page.locator("#p1-topics .topic:visible").count()
    assert 0 < shown < 6
    visit.page.locator("#p1-documents .filter input").fill("alert(1)")
    page = visit.page.locator("details.document:visible")
    assert HOSTILE in page.first.inner_text()
    page.first.locator("summary").click()
    assert page.first.locator("mark").count() > 5
    assert "Nearest documents" in page.first.inner_text()
    assert "Links to" in page.first.inner_text()
    assert visit.problems == []


def test_markup_in_titles_stays_text(open_page, reports):
    visit = open_page(reports["everything"])
    assert visit.page.locator("h1").inner_text() == HOSTILE
    assert visit.page.locator("script").count() == 1
    assert visit.problems == []


def test_without_a_script_everything_is_there(open_page, reports):
    visit = open_page(reports["everything"], script=False)
    assert visit.page.locator(".without-script svg:visible").count() == 1
    assert visit.page.locator(".topic:visible").count() == 6
    assert visit.page.locator(".panel:visible").count() == 0


@pytest.mark.parametrize("name", ["everything", "stream"])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(open_page, reports, axe, name, dark):
    visit = open_page(reports[name], dark=dark, bypass_csp=True)
    assert serious_findings(visit, axe) == []


@pytest.mark.parametrize("n_topics", [5, 500])
def test_few_and_many_topics(open_page, tmp_path, n_topics):
    model = LDA(n_topics, **(QUICK | {"n_sweeps": 3})).fit(make_corpus(40))
    path = write_report(model, tmp_path / "report.html")
    assert path.stat().st_size < 8e6
    visit = open_page(path.as_uri(), width=400)
    assert visit.problems == []
    assert visit.overflow() <= 0
    assert visit.page.locator(".topic:visible").count() == min(n_topics, 40)
