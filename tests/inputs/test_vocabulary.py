"""Words for the columns of a matrix: from a list, from a vectorizer, from the steps of a pipeline."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from plait import LDA, Corpus, OnlineLDA, PlaitError, load, name_words, save
from plait.inputs.vocabulary import column_words
from plait.inputs.words import training_words

TEXTS = ["river stream water", "stream water", "money loan credit", "loan credit"] * 3
WORDS = ["credit", "loan", "money", "river", "stream", "water"]
QUICK = {"n_topics": 2, "n_sweeps": 2, "n_samples": 1, "fold_in_sweeps": 2, "random_state": 0, "verbose": False}


@pytest.fixture(scope="module")
def vectorizer():
    return CountVectorizer().fit(TEXTS)


@pytest.fixture
def given(vectorizer):
    return {
        "list": WORDS,
        "array": np.array(WORDS),
        "vectorizer": vectorizer,
        "pipeline": make_pipeline(CountVectorizer(), TfidfTransformer()).fit(TEXTS),
    }


@pytest.mark.parametrize("form", ["list", "array", "vectorizer", "pipeline"])
def test_words_come_from_a_list_or_from_what_made_the_columns(given, form):
    words = column_words(given[form], 6)
    assert words.dtype == object
    assert words.tolist() == WORDS
    assert {type(word) for word in words} == {str}


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (WORDS[:5], "vocabulary has 5 words but X has 6 columns"),
        ([*WORDS[:5], 7], r"vocabulary\[5\] is 7, not text"),
        ([*WORDS[:5], "loan"], r'vocabulary\[5\] is "loan", and so is vocabulary\[1\]'),
        ("red", 'vocabulary is "red"; give a list of words'),
        (7, "vocabulary is 7"),
        ([WORDS], "vocabulary is"),
        (CountVectorizer(), r"CountVectorizer that is not fitted; .*plait\.name_words\(search\)"),
    ],
)
def test_other_vocabularies_are_errors(vocabulary, message):
    with pytest.raises(PlaitError, match=message):
        column_words(vocabulary, 6)


def test_training_words_take_the_vocabulary_of_a_matrix_only(vectorizer):
    counts = vectorizer.transform(TEXTS)
    model = LDA()
    words = training_words(model, counts, False, vectorizer)
    assert words.vocabulary.tolist() == WORDS
    assert words.ids is None
    assert not hasattr(model, "feature_names_in_"), "later matrices have no names, so nothing must ask for them"
    assert training_words(model, counts, False).vocabulary is None
    corpus = Corpus.from_matrix(counts, vocabulary=WORDS)
    with pytest.raises(PlaitError, match="a Corpus has its own words"):
        training_words(model, corpus, False, WORDS)


def test_a_corpus_sets_the_names_of_features(recwarn):
    corpus = Corpus.from_texts(TEXTS)
    model = LDA(**QUICK).fit(corpus)
    assert model.feature_names_in_.tolist() == WORDS
    assert model.n_features_in_ == 6
    assert model.get_feature_names_out().tolist() == [" ".join(topic.words[:3]) for topic in model.topics()]
    model.transform(corpus)
    model.transform(corpus.counts)
    assert not recwarn.list, "a sparse matrix cannot have names"
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.transform(corpus.counts.toarray())
    model.fit(corpus.counts)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    "steps", [[CountVectorizer()], [CountVectorizer(), TfidfTransformer(norm=None, use_idf=False)]]
)
def test_the_topics_of_a_pipeline_show_words(steps, recwarn):
    pipeline = make_pipeline(*steps, LDA(**QUICK, sampler="limit")).fit(TEXTS)
    model = pipeline[-1]
    assert model.vocabulary_.tolist() == WORDS
    assert name_words(pipeline) is model
    assert {word for topic in model.topics(3) for word in topic.words} <= set(WORDS)
    assert pipeline.transform(TEXTS).shape == (12, 2)
    assert not recwarn.list, "a matrix without names is what the model was fitted to"


def test_words_are_named_in_the_best_pipeline_of_a_search():
    search = GridSearchCV(make_pipeline(CountVectorizer(), LDA(**QUICK)), {"lda__n_topics": [1, 2]}, cv=2).fit(TEXTS)
    assert search.best_estimator_[-1].vocabulary_.tolist() == WORDS
    assert name_words(search) is search.best_estimator_[-1]


def test_steps_that_name_no_features_leave_the_words_unnamed():
    steps = CountVectorizer(), FunctionTransformer(accept_sparse=True)
    assert make_pipeline(*steps, LDA(**QUICK)).fit(TEXTS)[-1].vocabulary_ is None
    repeated = FunctionTransformer(accept_sparse=True, feature_names_out=lambda step, names: ["w"] * len(names))
    assert make_pipeline(CountVectorizer(), repeated, LDA(**QUICK)).fit(TEXTS)[-1].vocabulary_ is None


def test_a_model_by_itself_needs_a_vocabulary(vectorizer):
    model = LDA(**QUICK).fit(sparse.csr_array(vectorizer.transform(TEXTS)))
    assert name_words(model, vectorizer).vocabulary_.tolist() == WORDS
    with pytest.raises(PlaitError, match="LDA has no step before it that names the columns"):
        name_words(model)
    with pytest.raises(PlaitError, match="needs a fitted topic model, not CountVectorizer"):
        name_words(make_pipeline(vectorizer))
    with pytest.raises(PlaitError, match="needs a fitted topic model, not LDA; call fit first"):
        name_words(LDA(), WORDS)


def test_a_stream_in_a_pipeline_shows_words(tmp_path):
    model = make_pipeline(CountVectorizer(), OnlineLDA(**QUICK)).fit(TEXTS)[-1]
    assert model.vocabulary_.tolist() == WORDS
    assert set(model.topics(top=6)[0].words) == set(WORDS)
    save(model, tmp_path / "m.plait")
    assert load(tmp_path / "m.plait").vocabulary_.tolist() == WORDS
    assert OnlineLDA(**QUICK).fit(CountVectorizer().fit_transform(TEXTS)).vocabulary_ is None
