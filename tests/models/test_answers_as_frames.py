"""Answers as data: lists that print as tables, data frames of Polars and pandas, HTML for notebooks."""

from __future__ import annotations

import pickle

import numpy as np
import pandas
import polars
import pytest
from sklearn import config_context
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import plait
from plait import LDA, Corpus, LinkedLDA, MedLDA, OnlineLDA, RelationalTopicModel, SeedPrior
from plait.models.answers.listing import Listing, make_frame

QUICK = {"n_topics": 2, "n_sweeps": 20, "n_samples": 2, "random_state": 0, "verbose": False}
TEXTS = ["river stream bank water", "stream river boat", "money loan bank credit", "loan money money debt"] * 6
LINKS = [(f"d{number}", f"d{number + 4}") for number in range(20)]
HOSTILE = "<script>alert(1)</script>"


def rivers(**changes) -> Corpus:
    given = {
        "ids": [f"d{number}" for number in range(24)],
        "titles": [f"{HOSTILE} {number}" for number in range(24)],
        "labels": ["water", "water", "money", "money"] * 6,
        "times": [1990 + number // 6 for number in range(24)],
        "links": LINKS,
    }
    return Corpus.from_texts(TEXTS, **(given | changes))


@pytest.fixture(scope="module")
def model():
    return LDA(**QUICK).fit(rivers())


def test_topics_print_as_a_table_and_are_a_list(model):
    topics = model.topics(3)
    assert isinstance(topics, list)
    header, *lines = repr(topics).splitlines()
    assert header.split() == ["topic", "share", "words"]
    assert len(lines) == 2
    assert lines[0].split()[2:] == topics[0].words
    assert [topic.index for topic in topics] == [0, 1]
    assert repr(topics[:1]) == f"[{topics[0]!r}]"


def test_named_topics_have_a_column(model):
    named = LDA(**QUICK, beta=SeedPrior({"rivers": ["river"], "loans": ["loan"]})).fit(rivers())
    assert repr(named.topics(3)).splitlines()[0].split() == ["topic", "share", "name", "words"]
    assert named.get_feature_names_out().tolist() == ["rivers", "loans"]


def test_topics_as_a_frame(model):
    frame = model.topics(3, as_frame=True)
    assert isinstance(frame, polars.DataFrame)
    assert frame.columns == ["topic", "share", "name", "words", "weights"]
    assert frame["words"].to_list() == [topic.words for topic in model.topics(3)]
    assert frame["share"].to_list() == pytest.approx(model.topic_share_.tolist())


def test_typical_documents_have_titles_and_still_unpack(model):
    typical = model.typical_documents(2)
    name, share = typical[0][0]
    row = int(name.removeprefix("d"))
    assert share == model.doc_topic_[row, 0]
    assert typical[0][0].title == f"{HOSTILE} {row}"
    assert typical[0][0].excerpt == TEXTS[row]
    frame = model.typical_documents(2, as_frame=True)
    assert frame.columns == ["topic", "rank", "id", "title", "share", "excerpt"]
    assert frame["topic"].to_list() == [0, 0, 1, 1]
    assert frame["id"][0] == name


def test_pandas_by_set_output_or_by_the_configuration(model):
    own = LDA(**QUICK).fit(rivers()).set_output(transform="pandas")
    assert isinstance(own.topics(as_frame=True), pandas.DataFrame)
    assert isinstance(own.topics_per("label"), pandas.DataFrame)
    with config_context(transform_output="pandas"):
        assert isinstance(model.typical_documents(as_frame=True), pandas.DataFrame)
    assert isinstance(model.typical_documents(as_frame=True), polars.DataFrame)
    with config_context(transform_output="pandas"):
        own.set_output(transform="polars")
        assert isinstance(own.topics(as_frame=True), polars.DataFrame)


def test_transform_has_ids_as_the_index_and_topics_as_columns():
    corpus = rivers()
    model = LDA(**QUICK).fit(corpus).set_output(transform="pandas")
    frame = model.transform(corpus)
    assert frame.index.tolist() == corpus.ids.tolist()
    assert frame.index.name == "id"
    assert frame.columns.tolist() == [" ".join(topic.words) for topic in model.topics(3)]
    assert model.fit_transform(corpus).index.tolist() == corpus.ids.tolist()
    plain = LDA(**QUICK).fit(corpus)
    np.testing.assert_array_equal(frame.to_numpy(), plain.transform(corpus))
    columns = plain.set_output(transform="polars").transform(corpus)
    assert columns.columns == frame.columns.tolist()
    np.testing.assert_array_equal(columns.to_numpy(), frame.to_numpy())


def test_linked_models_have_ids_as_the_index_too():
    corpus = rivers()
    model = LinkedLDA(**QUICK).fit(corpus).set_output(transform="pandas")
    assert model.transform(corpus, links=corpus.links).index.tolist() == corpus.ids.tolist()


def test_columns_of_a_matrix_without_words_are_numbered():
    model = LDA(**QUICK).fit(rivers().counts)
    assert model.get_feature_names_out().tolist() == ["lda0", "lda1"]
    assert model.set_output(transform="pandas").transform(rivers().counts).columns.tolist() == ["lda0", "lda1"]


def test_a_pipeline_can_name_its_columns():
    pipeline = make_pipeline(CountVectorizer(), LDA(**QUICK)).fit(TEXTS)
    assert len(pipeline.get_feature_names_out()) == 2


def test_equal_labels_are_told_apart():
    model = LDA(**QUICK).fit(rivers())
    model.topic_word_ = np.repeat(model.topic_word_[:1], 2, axis=0)
    first, second = model.get_feature_names_out()
    assert first != second
    assert first.endswith("(0)")


def test_suggestions_as_a_frame():
    corpus = rivers()
    model = RelationalTopicModel(**QUICK, n_chains=1, pair_features=None).fit(corpus)
    columns = ["document", "document_title", "rank", "id", "title", "score", "value", "topics"]
    frame = model.suggest_missing_links(["d3", "d5"], top=3, as_frame=True)
    assert frame.columns == columns
    assert frame["document"].to_list() == ["d3"] * 3 + ["d5"] * 3
    assert frame["document_title"][0] == f"{HOSTILE} 3"
    assert all(title == f"{HOSTILE} {name[1:]}" for name, title in frame.select("id", "title").iter_rows())
    own = model.suggest_missing_links("d3", top=3)
    assert [one.id for one in own[0]] == frame["id"].to_list()[:3]
    new = model.suggest_links(rivers(ids=[f"new {number}" for number in range(24)], links=None)[:2], top=1)
    assert new.to_frame()["document"].to_list() == ["new 0", "new 1"]
    assert model.suggest_links(corpus.counts[:2], top=1, as_frame=True)["document"].to_list() == ["0", "1"]
    links = model.topic_links(2, as_frame=True)
    assert links.columns == ["source", "target", "weight", "source_words", "target_words"]


def test_values_tell_scores_apart_and_order_equal_ones():
    from plait.models.answers.suggestions import best_columns

    scores = np.array([[1.0, 0.5, 1.0, 1.0]])
    assert best_columns(scores, 3)[0].tolist() == [0, 2, 3]
    assert best_columns(scores, 2, np.array([[30.0, 0.0, 45.0, 40.0]]))[0].tolist() == [2, 3]
    model = RelationalTopicModel(**QUICK, n_chains=1, pair_features=None).fit(rivers())
    for one in model.suggest_missing_links([0], top=5)[0]:
        assert 0 < one.score < 1
        assert np.sign(one.value) == np.sign(one.score - 0.5)


def test_influence_as_a_frame():
    model = LinkedLDA(**QUICK).fit(rivers())
    assert model.influencers("d0", as_frame=True).columns == ["document", "title", "share"]
    frame = model.most_influential(3, as_frame=True)
    assert frame.columns == ["document", "title", "words", "documents"]
    assert frame["title"][0] == f"{HOSTILE} {frame['document'][0][1:]}"
    links = model.strongest_links(2, as_frame=True)
    assert links.columns == ["document", "title", "source", "source_title", "share", "words"]
    assert links["source_title"][0] == f"{HOSTILE} {links['source'][0][1:]}"


def test_streams_as_frames():
    model = OnlineLDA(**QUICK, window=1).fit(rivers(), times="year")
    assert model.trend(0, as_frame=True).columns == ["slice", "share"]
    assert model.trend(0, as_frame=True)["slice"].to_list() == ["1990", "1991", "1992", "1993"]
    assert model.drift(0, as_frame=True).columns == ["slice", "drift", "noise", "novelty"]
    assert model.words_over_time(0, 2, as_frame=True)["words"].list.len().to_list() == [2] * 4
    assert model.emerging(0.0, as_frame=True).columns[:4] == ["topic", "slice", "share", "novelty"]
    assert model.fading(as_frame=True).columns == ["topic", "slice", "share", "before", "noise", "words"]
    assert model.trend(0) == model.trend(0)


def test_lists_are_pickled_and_long_ones_are_cut(model):
    again = pickle.loads(pickle.dumps(model.typical_documents(2)))
    assert repr(again) == repr(model.typical_documents(2))
    assert again[0][0].title.startswith(HOSTILE)
    many = Listing(model.topics(1) * 200, ("index",))
    assert repr(many).splitlines()[-1] == "… and 200 more rows"
    assert repr(Listing([], ("index",))) == "[]"


def test_an_unknown_kind_of_frame_is_refused(model):
    with pytest.raises(plait.PlaitError, match="'polars' or 'pandas', not 'arrow'"):
        model.topics().to_frame("arrow")
    with pytest.raises(plait.PlaitError, match="'polars' or 'pandas'"):
        make_frame({}, "dask")


def test_html_escapes_titles_and_words(model):
    for answer in (model, rivers(), model.typical_documents(), model.topics(), model.find_documents("river")):
        html = answer._repr_html_()
        assert "<script>" not in html
        assert "<table" in html
    assert "&lt;script&gt;" in model.typical_documents()._repr_html_()
    assert "&lt;script&gt;" in model._repr_html_()
    assert "&lt;script&gt;" in rivers()._repr_html_()


def test_html_of_a_model(model):
    html = model._repr_mimebundle_()["text/html"]
    assert "24 documents" in html
    assert "typical documents" in html
    assert "LDA(n_samples=2" in html
    unfitted = LDA()._repr_html_()
    assert "typical documents" not in unfitted
    assert "LDA" in unfitted
    bare = LDA(**QUICK, keep="nothing").fit(rivers())
    assert "typical documents" not in bare._repr_html_()
    with config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_html_of_a_corpus_shows_what_is_in_it():
    html = rivers(metadata={"party": ["<b>"] * 24})._repr_html_()
    for text in ("documents", "24", "labels", "links", "first documents", "party", "&lt;b&gt;", "river stream bank"):
        assert text in html
    assert "<b>" not in html
    assert "first documents" not in rivers()[:0]._repr_html_()


def test_html_of_an_explanation():
    model = MedLDA(**QUICK, n_chains=1).fit(rivers())
    html = model.explain("river boat")._repr_html_()
    assert "contribution" in html
    assert "river (1 ×)" in html


def test_long_texts_are_cut_in_html():
    model = LDA(**QUICK).fit(rivers(titles=["long " * 200] * 24))
    assert "long " * 80 not in model.typical_documents()._repr_html_()


@pytest.mark.parametrize("keep", ["titles", "nothing"])
def test_answers_are_the_same_after_a_round_trip(tmp_path, keep):
    model = LDA(**QUICK, keep=keep).fit(rivers())
    again = plait.load(plait.save(model, tmp_path / "m.plait"))
    for ask in (
        lambda one: one.typical_documents(3, as_frame=True),
        lambda one: one.find_documents("river", as_frame=True),
        lambda one: one.similar_documents(3, as_frame=True),
        lambda one: one.topic_similarity(),
        lambda one: one.topic_hierarchy().to_frame(),
    ):
        assert ask(again).equals(ask(model))
