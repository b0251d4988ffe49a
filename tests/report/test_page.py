"""Pages: escaping of texts, self-contained HTML, atomic writing."""

from __future__ import annotations

import base64
import hashlib
import re
import sys

import numpy as np
import pytest

import plait
from plait import (
    LDA,
    Corpus,
    KnownDocuments,
    LinkedLDA,
    MedLDA,
    OnlineLDA,
    PlaitError,
    RelationalTopicModel,
    SeedPrior,
)
from plait.report import Section, render_report, render_sections, summarise, write_report
from plait.report.page import is_made_by
from plait.report.text import printable
from tests.models.small import WORDS
from tests.report.braided import N_DOCUMENTS, QUICK, braided, everything
from tests.report.html_page import check_page

pytest.importorskip("jinja2")

ONE_CHAIN = {name: value for name, value in QUICK.items() if name != "n_chains"}
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)",
    "</style><img src=x onerror=alert(3)>",
    "\"><svg onload='alert(4)'>",
    "' onmouseover='alert(5)",
    "<!-- comment",
    "]]>",
    "&lt;b&gt;",
    "&#60;i&#62;",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "javascript:alert(6)",
    "שלום עולם",
    "\u202eabc",
    "na\u200cme",
    "\U0001f9f6 yarn",
    "http://example.org/?a=1&b=2",
    "plait-made-by",
]


def named(prefix, number):
    return [f"{prefix}{number} {HOSTILE[number % len(HOSTILE)]}" for number in range(number)]


@pytest.fixture(scope="module")
def hostile():
    """A model of all subjects whose words, ids and labels contain markup."""
    words = [f"{HOSTILE[number % len(HOSTILE)]}" for number in range(len(WORDS))]
    return everything(braided(words=words, ids=named("d", N_DOCUMENTS), labels=HOSTILE[:3]))


def readable(html):
    """The page without the URLs in users' texts, which `check_page` would reject."""
    whole = html.replace("http://example.org", "example.org")
    return re.sub(r"http:/{0,2}[a-z.]*…", "…", whole)  # figures shorten them


def test_texts_of_users_are_escaped(hostile):
    plain = everything(braided())
    page = check_page(readable(render_report(hostile, title=HOSTILE[0], words=18)))
    other = check_page(render_report(plain, title="A title", words=18))
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in other.tags}
    assert page.raw == other.raw
    texts = set(page.texts)
    assert {text.replace("http://", "") for text in HOSTILE[: len(WORDS)]} <= texts
    ids = {one.id for topic in summarise(hostile).topics.topics for one in topic.documents}
    assert {name.replace("http://", "") for name in ids} <= texts
    assert len(page.named("script")) == 1


def test_control_characters_and_long_texts():
    model = LDA(2, **ONE_CHAIN).fit(braided())
    odd = ["", "a\x00b", "c\nd\x1b[31m", "\ud800", "x" * 5000]
    model.documents_ = KnownDocuments(N_DOCUMENTS, [*odd, *model.doc_ids_[5:]])
    html = render_report(model, documents=N_DOCUMENTS)
    page = check_page(html)
    assert html.encode()
    assert {"(empty)", r"a\x00b", r"c\nd\x1b[31m", r"\ud800", "x" * 300 + "… (5,000 in all)"} <= set(page.texts)


@pytest.mark.parametrize("keep", ["titles", "ids", "nothing"])
def test_documents_are_named_as_far_as_they_are_kept(keep):
    corpus = braided()._with(titles=[f"Title of {name}" for name in braided().ids])
    for kind in (LDA, LinkedLDA, RelationalTopicModel):
        settings = ONE_CHAIN if kind is LDA else QUICK
        html = render_report(kind(2, keep=keep, **settings).fit(corpus))
        texts = " ".join(check_page(html).texts)
        assert ("Title of " in texts) == (keep == "titles")
        assert (str(corpus.ids[0])[:3] in texts) or keep == "nothing"


def test_texts_in_any_script_are_kept():
    assert printable("naïve café 日本語 שלום na\u200cme") == "naïve café 日本語 שלום na\u200cme"
    assert printable("\x7f\x85") == r"\x7f\x85"


def test_names_of_topics_and_slices_are_escaped():
    prior = SeedPrior({HOSTILE[0]: ["loan"], HOSTILE[3]: ["river"]})
    model = OnlineLDA(3, beta=prior, window=1, **ONE_CHAIN)
    for label in (HOSTILE[1], HOSTILE[2]):
        model.partial_fit(Corpus.from_texts(["river stream", "loan money"] * 9), label=label)
    page = check_page(render_report(model))
    assert {HOSTILE[1], HOSTILE[2]} <= set(page.texts)
    names = check_page(render_report(LDA(3, beta=prior, **ONE_CHAIN).fit(braided()))).texts
    assert {HOSTILE[0], HOSTILE[3]} <= set(names)


def test_the_security_policy_allows_only_the_pages_own_script(hostile):
    page = check_page(readable(render_report(hostile)))
    (policy,) = [meta["content"] for meta in page.named("meta") if "http-equiv" in meta]
    digests = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for kind, text in page.raw.items()
    }
    assert f"script-src 'sha256-{digests['script']}'" in policy
    assert f"style-src 'sha256-{digests['style']}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_every_topic_is_in_the_page_without_a_script(hostile):
    html = render_report(hostile)
    page = check_page(readable(html))
    shown_topics = [attributes for _, attributes in page.tags if attributes.get("class") == "topic"]
    assert len(shown_topics) == 4
    assert not any("hidden" in attributes for attributes in shown_topics)
    hidden = [attributes.get("class") for _, attributes in page.tags if "hidden" in attributes]
    assert hidden == ["panel", "filter"]  # shown by the script


def test_several_models_have_one_section_each(hostile):
    sections = [
        Section("First & last", summarise(hostile), "What <b>it</b> is."),
        Section("Second", summarise(everything(braided()))),
    ]
    page = check_page(readable(render_sections(sections, "Both", about="Two models.")))
    assert {"First & last", "What <b>it</b> is.", "Second", "Both", "Two models."} <= set(page.texts)
    for subject in ("head", "topics", "labels", "values", "links", "influence"):
        assert {f"p1-{subject}", f"p2-{subject}"} <= set(page.ids)
        assert {"#p1-" + subject, "#p2-" + subject} <= {link["href"] for link in page.named("a")}
    assert "p3" not in page.ids


def test_the_page_says_what_is_not_shown(monkeypatch):
    monkeypatch.setattr("plait.report.summary.labels._MAX_LABELS", 3)
    monkeypatch.setattr("plait.report.summary.topics._MAX_TOPICS", 4)
    X = np.random.default_rng(0).poisson(1.0, size=(60, 12)) + 1
    model = MedLDA(4, **(QUICK | {"n_sweeps": 2, "n_samples": 1})).fit(X, np.arange(60) % 5)
    text = check_page(render_report(model)).text
    assert "2 labels are not shown." in text
    assert "not shown." not in text.replace("2 labels are not shown.", "")
    topics = LDA(5, **(ONE_CHAIN | {"n_sweeps": 2, "n_samples": 1})).fit(X[:40])
    assert "1 smaller topic is not shown." in check_page(render_report(topics)).text


def test_the_default_title_names_the_model():
    model = LDA(2, **ONE_CHAIN).fit(braided())
    assert "<h1>LDA, 2 topics</h1>" in render_report(model)
    assert "<title>Mine</title>" in render_report(model, title="Mine")


def test_a_report_is_written_atomically(tmp_path, monkeypatch):
    model = LDA(2, **ONE_CHAIN).fit(braided())
    path = tmp_path / "report.html"
    assert plait.write_report(model, str(path), title="Mine", words=3) == path
    assert path.read_text(encoding="utf-8") == render_report(model, title="Mine", words=3)
    with pytest.raises(PlaitError, match=r"is a folder; give the name of a file in it, such as .*report\.html"):
        write_report(model, tmp_path)
    before = path.read_bytes()
    with pytest.raises(PlaitError, match=r"report\.html exists already; give overwrite=True to replace it"):
        write_report(model, path, title="Other")
    assert path.read_bytes() == before
    assert write_report(model, path, title="Other", overwrite=True) == path
    assert "<title>Other</title>" in path.read_text(encoding="utf-8")
    before = path.read_bytes()
    monkeypatch.setattr("plait.report.page.render_sections", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(model, path, overwrite=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_without_jinja_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(
        PlaitError, match=re.escape("a report needs Jinja2: pip install '.[report]' in a checkout of plait")
    ):
        render_report(LDA())
    assert summarise(LDA(2, **ONE_CHAIN).fit(braided())).head.n_topics == 2


def test_is_made_by_recognises_pages(tmp_path):
    section = Section("x", summarise(LDA(2, **ONE_CHAIN).fit(braided())))
    path = tmp_path / "a.html"
    path.write_text(render_sections([section], "T" * 5000, made_by="demo"), encoding="utf-8")
    assert is_made_by(path, "demo")
    path.write_text(render_sections([section], '<meta name="plait-made-by" content="demo">'), encoding="utf-8")
    assert not is_made_by(path, "demo")
    path.write_bytes(b"\xff\x00")
    assert not is_made_by(path, "demo")


def test_texts_for_the_pointer_are_written_once_per_figure():
    model = LDA(4, n_sweeps=3, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 10)
    wide, narrow = (
        re.findall(rf'<div class="on-{kind}">(.*?)</svg>', render_report(model), re.DOTALL)
        for kind in ("wide", "narrow")
    )
    assert len(wide) == len(narrow) > 3
    for one, other in zip(wide, narrow, strict=True):
        assert one.count("<title") == other.count("<title")  # the script fills them in by position
        links = "".join(re.findall(r"<a .*?</a>", other, re.DOTALL))
        assert other.count("<title>") == links.count("<title>")  # links keep theirs, which name them
