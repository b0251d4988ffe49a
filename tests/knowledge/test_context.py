"""Mentions that mean something else are rejected, with a reason; articles linked with related ones are used."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait import Corpus, KnowledgePrior
from plait.corpus.text.stop_words import load_stop_words
from plait.knowledge.context import weigh_titles
from plait.knowledge.related import find_related
from plait.knowledge.titles import Titles

STOP_WORDS = load_stop_words("english")
PLACES = ["river water flows sea russia", "city people street mayor", "loan money credit debt"]
# Ten letters by a person named Volga about loans, ten about rivers.
TEXTS = ["Volga wrote: the loan and the credit", "The river flows to the sea, much water"] * 10


def related(texts, titles, contents, links=None, **more):
    articles = Corpus.from_texts(contents, titles=titles, ids=[f"a{n}" for n in range(len(titles))], links=links)
    return find_related(articles, Corpus.from_texts(texts), texts, STOP_WORDS, 2, 1.0, required=False, **more)


def test_a_name_that_means_something_else_is_rejected():
    found = related(TEXTS, ["Volga (river)", "Credit"], [PLACES[0], PLACES[2]])
    assert found.articles.titles.tolist() == ["Credit"]
    (rejected,) = found.rejected
    assert (rejected.title, rejected.mentions) == ("Volga (river)", 10)
    assert "agreement 0.00" in rejected.reason
    assert found.search.n_rejected == 1
    assert "left out 1 by case, links or context" in found.search.lines()[1]


def test_the_same_title_is_used_where_its_context_agrees():
    texts = ["The Volga is a river of Russia", "A bank gives credit"] * 10
    found = related(texts, ["Volga (river)", "Credit"], [PLACES[0], PLACES[2]])
    assert "Volga (river)" in found.articles.titles


def test_agreement_is_a_ratio_of_mean_cosines():
    titles = Titles(["Don"], STOP_WORDS)
    corpus = Corpus.from_texts(["don river", "don loan", "river", "loan"])
    articles = Corpus.from_texts(["don river"], titles=["Don"])
    mentioned = sparse.csr_array(np.array([[1, 1, 0, 0]]))
    evidence = weigh_titles(np.array([0]), articles, corpus, titles, mentioned)
    # Without "don" the article is "river". Its cosine is 1/sqrt 2 with the first document, 0, 1 and 0 with the others.
    half = 2**-0.5
    np.testing.assert_allclose(evidence.agreement, [(half / 2) / (1 / 2)])
    assert np.isnan(evidence.link_probability).all()


def test_common_words_are_rarely_linked():
    contents = ["group people"] + ["group flows river"] * 12 + ["river water group"]
    titles = ["Group", *(f"Place {number}" for number in range(12)), "River"]
    links = [(f"a{n}", "a13") for n in range(1, 13)] + [("a13", "a0")]
    links += [("a0", "a13")]
    articles = Corpus.from_texts(contents, titles=titles, ids=[f"a{n}" for n in range(14)], links=links)
    search = Titles(titles, STOP_WORDS)
    corpus = Corpus.from_texts(["group river", "people"] * 3)
    none = sparse.csr_array((14, 6), dtype=np.int8)
    evidence = weigh_titles(np.array([0, 13]), articles, corpus, search, none)
    np.testing.assert_allclose(evidence.link_probability, [1 / 13, 1.0])


def test_names_in_small_letters_are_listed():
    texts = ["The bank of england road", "A loan. Credit and money"] * 3
    found = related(texts, ["Bank of England", "Credit"], ["bank money england", "credit money loan"])
    assert [(one.title, one.mentions, one.reason) for one in found.rejected] == [
        ("Bank of England", 3, "in small letters only")
    ]


def test_articles_linked_with_related_ones_are_used():
    texts = ["river delta", "stream moss", "sea salt", "loan credit"] * 3
    titles = ["River", "Stream", "Sea", "Loan", "Ocean current", "Opera house"]
    contents = ["river delta", "stream moss", "sea salt", "loan credit", "salt delta wave", "song salt"]
    links = [("a0", "a4"), ("a4", "a1"), ("a2", "a4"), ("a0", "a5")]
    found = related(texts, titles, contents, links)
    assert "Ocean current" in found.articles.titles  # three links with related articles
    assert "Opera house" not in found.articles.titles  # one link
    assert found.search.n_linked == 1
    assert found.mentions[found.articles.titles.tolist().index("Ocean current")] == 0


def test_the_prior_lists_rejected_titles():
    articles = Corpus.from_texts([PLACES[0], PLACES[2]], titles=["Volga (river)", "Credit"])
    prior = KnowledgePrior.from_articles(
        articles, Corpus.from_texts(TEXTS), texts=TEXTS, n_topics=2, strength=1.0, verbose=False
    )
    assert [one.title for one in prior.rejected_titles()] == ["Volga (river)"]
    assert prior.rejected_titles(0) == []
    assert "Volga (river): agreement" in prior.report
