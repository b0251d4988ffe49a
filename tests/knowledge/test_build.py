"""KnowledgePrior.from_articles: selected articles, counts, topics, strength and report."""

from __future__ import annotations

import json

import numpy as np
import pytest

import plait
from plait import LDA, Corpus, KnowledgePrior
from plait.errors import PlaitError
from plait.knowledge.build import STRENGTHS
from plait.knowledge.strength import StrengthTrial, best_strength
from plait.metrics import split_documents
from tests.store.small import same

ARTICLES = {
    "River": "river stream water flood delta water",
    "Stream": "stream river water moss",
    "Central bank": "bank money loan",
    "Loan (finance)": "loan debt credit debt",
    "Mars": "mars planet",  # mentioned, without a word of the corpus but its own name
    "Opera": "song music river",  # never mentioned
    "The": "river",
}
TEXTS = [
    "A river and a stream",
    "Rivers flood the water",
    "The central bank lends money",
    "loans, debt and credit",
    "stream and river",
]
QUICK = {"model": LDA(n_sweeps=20, n_samples=2), "n_topics": 2, "verbose": False}
BY_COUNTS = {"method": "counts", "strength": 0.01, "base": 0.01}


def articles():
    return Corpus.from_texts(ARTICLES.values(), titles=list(ARTICLES), ids=[f"a{n}" for n in range(len(ARTICLES))])


def corpus(texts=TEXTS, **more):
    return Corpus.from_texts(texts, **more)


def build(**changes):
    given = {"articles": articles(), "corpus": corpus(TEXTS * 4), "texts": TEXTS * 4, **QUICK, **BY_COUNTS, **changes}
    return KnowledgePrior.from_articles(given.pop("articles"), given.pop("corpus"), **given)


def test_the_articles_that_enough_documents_mention_are_used():
    prior = build()
    assert [(article.title, article.mentions) for article in prior.articles] == [
        ("River", 12),
        ("Stream", 8),
        ("Central bank", 4),
        ("Loan (finance)", 4),
    ]
    assert prior.articles[3].id == "a3"
    search = prior.search
    assert (search.where, search.n_documents, search.n_titles) == ("texts", 20, 7)
    assert (search.n_unsearched, search.n_mentioned, search.n_too_rare, search.n_too_common) == (1, 4, 0, 0)


@pytest.mark.parametrize(
    ("limits", "titles"),
    [
        ({"min_mentions": 5}, {"River", "Stream"}),
        ({"min_mentions": 1, "max_mentions": 0.3}, {"Central bank", "Loan (finance)"}),
        ({"min_mentions": 8}, {"River", "Stream"}),
    ],
)
def test_limits_of_mentions(limits, titles):
    prior = build(**limits)
    assert set(prior.articles.titles) == titles
    assert prior.search.n_too_rare + prior.search.n_too_common == 2


def test_counts_are_those_of_the_related_articles_over_the_words_of_the_corpus():
    prior = build()
    # The documents have neither moss nor delta, and "loans" is another word than loan.
    totals = dict(zip(prior.words, prior.counts.sum(axis=0), strict=True))
    assert totals == {
        "bank": 1,
        "credit": 1,
        "debt": 2,
        "flood": 1,
        "money": 1,
        "river": 2,
        "stream": 2,
        "water": 3,
    }


def test_topics_are_those_of_an_lda_of_the_related_articles():
    prior = build(random_state=3, base=0.05)
    related = articles().select([0, 1, 2, 3]).with_vocabulary(prior.words)
    model = LDA(2, beta=0.05, n_sweeps=20, n_samples=2, random_state=3, verbose=False).fit(related)
    counts = np.mean([sample.word_topic.toarray().T for sample in model._chain_samples[0]], axis=0)
    np.testing.assert_array_equal(prior.counts, counts)
    for article, shares in zip(prior.articles, model.doc_topic_, strict=True):
        assert article.topics == tuple(np.argsort(-shares, kind="stable"))


def test_the_same_prior_for_any_number_of_threads_and_another_seed_is_another():
    assert same(build(n_jobs=2), build())
    assert build(random_state=7) != build()


def test_without_texts_the_counts_are_searched_and_the_report_says_so():
    prior = build(texts=None)
    assert prior.search.where == "counts"
    assert "no texts" in prior.report
    assert "in the texts of 20 documents" in build().report


def test_a_path_is_read_and_its_texts_are_searched(tmp_path):
    rows = [{"id": f"d{number}", "text": text} for number, text in enumerate(TEXTS * 4)]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    titles = [{"id": f"a{n}", "title": title, "text": text} for n, (title, text) in enumerate(ARTICLES.items())]
    book = tmp_path / "articles.jsonl"
    book.write_text("".join(json.dumps(row) + "\n" for row in titles), encoding="utf-8")
    assert same(build(articles=book, corpus=str(path), texts=None), build())
    # Only the documents of the corpus are searched.
    first = corpus(TEXTS, ids=[f"d{number}" for number in range(5)])
    assert build(corpus=first, texts=path, min_mentions=1).search.n_documents == 5


def test_a_path_of_counts_has_no_texts(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"id": n, "counts": {"river": 1, "stream": 2}}) + "\n" for n in range(4)))
    assert build(corpus=path, texts=None).search.where == "counts"


def test_a_prior_lowers_the_perplexity_of_a_small_corpus():
    rng = np.random.default_rng(0)
    themes = [[f"{name}{number}" for number in range(60)] for name in ("water", "money", "music")]
    texts = [" ".join(rng.choice(themes[number % 3], size=20)) + " " + "abc"[number % 3] * 3 for number in range(18)]
    book = Corpus.from_texts([" ".join(rng.choice(theme, size=900)) for theme in themes], titles=["aaa", "bbb", "ccc"])
    documents = corpus(texts)
    options = {"model": LDA(n_sweeps=40, n_samples=3), "n_topics": 3, "verbose": False}
    prior = KnowledgePrior.from_articles(book, documents, texts=texts, method="counts", **options)
    plain, *others = prior.trials
    assert plain.strength == 0
    assert [trial.strength for trial in others] == list(STRENGTHS["counts"])
    assert min(trial.perplexity for trial in others) < 0.9 * plain.perplexity
    assert prior.strength == min(others, key=lambda trial: trial.perplexity).strength
    assert f"{plain.perplexity:,.1f}" in prior.report


def test_chosen_strengths_are_measured_as_by_hand():
    prior = build(strength="auto", strengths=[0.5, 2.0])
    documents, expected = corpus(TEXTS * 4), np.zeros(3)
    for training, held_out in split_documents(20, 5, 0)[:3]:
        for number, strength in enumerate((0.0, 0.5, 2.0)):
            learned = {"beta": 0.05, "learn_beta": True}
            table = {"beta": plait.priors.WordCountsPrior(prior.words, prior.counts, strength), "learn_beta": False}
            options = table if strength else learned
            model = LDA(2, **options, n_sweeps=20, n_samples=2, sample_every=5, random_state=0, verbose=False)
            expected[number] += np.log(model.fit(documents.select(training)).perplexity(documents.select(held_out))) / 3
    np.testing.assert_allclose([trial.perplexity for trial in prior.trials], np.exp(expected))


def test_a_warning_says_that_knowledge_does_not_help():
    trials = [StrengthTrial(0.0, 100.0), StrengthTrial(0.1, 120.0), StrengthTrial(1.0, 110.0)]
    with pytest.warns(UserWarning, match=r"does not lower the held-out perplexity: 110.0.*strength 1.*100.0 without"):
        assert best_strength(trials) == 0.0


def test_the_report_names_articles_topics_and_strength():
    report = build(strength=0.25).report
    assert "6 of 7 titles searched (left out 1" in report
    assert "4 mentioned; left out none; 4 articles used" in report
    assert any(line.split()[0] == "12" and line.endswith("River") for line in report.splitlines())
    assert "strength 0.25, base 0.01" in report
    assert "water" in report.splitlines()[-1] + report.splitlines()[-2]


def test_it_comes_back_from_a_file_with_its_report(tmp_path):
    prior = build(strength="auto", strengths=[0.5])
    again = plait.load(plait.save(prior, tmp_path / "prior.plait"))
    assert same(again, prior)
    assert again.report == prior.report


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"articles": corpus()}, "articles have no titles.*title="),
        ({"min_mentions": 13}, r"no article is related.*0 in min_mentions=13.*lower min_mentions"),
        ({"texts": []}, "no texts to search"),
        ({"texts": "/no/such/file"}, "does not exist; give a list of texts"),
        ({"corpus": corpus(["river stream zinc", "stream river tin"] * 3), "texts": ["river stream"] * 6}, None),
        ({"corpus": corpus(["zinc", "tin"] * 10)}, "have none of the words of the corpus.*same tokenizer"),
        ({"min_mentions": 0}, "min_mentions must"),
        ({"max_mentions": 0.0}, "max_mentions must"),
        ({"max_mentions": 1.5}, "max_mentions must"),
        ({"strength": "much"}, "'auto', not 'much'"),
        ({"strength": -1.0}, "strength, the weight of the knowledge, must"),
        ({"method": "words"}, "method must be 'vectors' or 'counts'"),
        ({"texts": TEXTS}, "5 texts and 20 documents"),
        ({"strengths": [1.0]}, "strengths= is only used with strength='auto'"),
        ({"strength": "auto", "strengths": []}, "strengths is empty"),
        ({"strength": "auto", "strengths": [0.0]}, "each of strengths"),
        ({"base": 0.0}, "base must lie"),
        ({"n_topics": 0}, "n_topics must"),
        ({"model": plait.MedLDA()}, "model must be an LDA"),
    ],
)
def test_invalid_input_is_rejected_with_a_remedy(changes, message):
    if message is None:
        assert len(build(**changes).articles) == 2
        return
    with pytest.raises(PlaitError, match=message):
        build(**changes)
