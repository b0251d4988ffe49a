"""Estimators take texts: lists, arrays, Series and data frames, read as the texts of the model were."""

from __future__ import annotations

import warnings

import numpy as np
import pandas
import polars
import pytest
from sklearn.model_selection import cross_val_score

import plait
from plait import (
    LDA,
    Corpus,
    LinkedLDA,
    MedLDA,
    OnlineLDA,
    PlaitError,
    RelationalTopicModel,
    SupervisedLDA,
    TextOptions,
    TopicModel,
    load,
    save,
)

WATER = "The river flows into the lake; boats and fish on the river. Stream and flood at the shore."
MONEY = "The bank gives a loan; credit and money for the market. Prices of stocks and shares."
TEXTS = [WATER, MONEY, WATER.replace("fish", "rain"), MONEY.replace("credit", "interest")] * 6
LABELS = ["water", "money"] * 12
LINKS = [(str(n), str((n + 2) % 24)) for n in range(24)]
NEW = ["boats on the river", "a loan from the bank"]
QUICK = {"n_sweeps": 8, "n_samples": 2, "sample_every": 1, "random_state": 0, "verbose": False}
FORMS = {
    "list": list,
    "tuple": tuple,
    "object array": lambda texts: np.array(texts, dtype=object),
    "text array": np.array,
    "pandas Series": pandas.Series,
    "pandas string Series": lambda texts: pandas.Series(texts, dtype="string", index=range(5, 5 + len(texts))),
    "Polars Series": polars.Series,
}


def same(first, second) -> None:
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_texts_in_any_form(form):
    corpus = Corpus.from_texts(TEXTS)
    expected = LDA(2, **QUICK).fit(corpus)
    model = LDA(2, **QUICK).fit(form(TEXTS))
    same(model.doc_topic_, expected.doc_topic_)
    assert model.vocabulary_.tolist() == corpus.vocabulary.tolist()
    assert model.text_options_ == corpus.text_options
    same(model.transform(form(NEW)), expected.transform(Corpus.from_texts(NEW, like=expected)))
    assert model.perplexity(form(TEXTS)) == expected.perplexity(corpus)
    assert model.score(form(TEXTS)) == expected.score(corpus)
    same(model.coherence(form(TEXTS)), expected.coherence(corpus))
    same(LDA(2, **QUICK).fit_transform(form(TEXTS)), model.transform(corpus))


MODELS = {
    "LDA": (LDA(2, **QUICK), {}),
    "MedLDA": (MedLDA(2, **QUICK), {"y": LABELS}),
    "SupervisedLDA": (SupervisedLDA(2, **QUICK), {"y": [1.0, 2.0] * 12}),
    "LinkedLDA": (LinkedLDA(2, n_chains=1, **QUICK), {"links": np.eye(24, k=2)}),
    "RelationalTopicModel": (RelationalTopicModel(2, **QUICK), {"links": np.eye(24, k=2)}),
    "TopicModel": (TopicModel(2, **QUICK), {}),
    "OnlineLDA": (OnlineLDA(2, **QUICK), {}),
}


@pytest.mark.parametrize(("model", "given"), MODELS.values(), ids=MODELS)
def test_every_model_takes_texts(model, given, tmp_path):
    model.fit(TEXTS, **given)
    assert model.text_options_.language == "en"
    before = model.transform(NEW)
    assert before.shape == (2, 2)
    same(before, model.transform(Corpus.from_texts(NEW, like=model)))
    assert np.isfinite(model.perplexity(TEXTS[:3]))
    save(model, tmp_path / "model.plait")
    loaded = load(tmp_path / "model.plait")
    assert loaded.text_options_ == model.text_options_
    same(before, loaded.transform(NEW))


@pytest.mark.parametrize(
    "options",
    [
        {"phrases": True},
        {"phrases": ["river flows"]},
        {"normalize": "lemmas"},
        {"normalize": "stems"},
        {"numbers": "keep", "urls": "keep", "html": False},
        {"stop_words": ["river"], "lowercase": False},
        {"language": "de"},
        {"accents": "strip", "min_length": 4},
    ],
    ids=str,
)
def test_saved_models_read_texts_as_before(options, tmp_path):
    texts = [text.replace(".", " 3 times at http://lake.org/café.") for text in TEXTS]
    model = LDA(2, **QUICK).fit(Corpus.from_texts(texts, **options))
    save(model, tmp_path / "model.plait")
    before = model.transform(texts)
    same(before, load(tmp_path / "model.plait").transform(texts))
    same(before, model.transform(Corpus.from_texts(texts, like=model).with_vocabulary(model.vocabulary_)))


def test_bigrams_of_a_vectorizer_are_kept(tmp_path):
    from sklearn.feature_extraction.text import CountVectorizer

    corpus = Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(ngram_range=(1, 2), min_df=2))
    assert "the river" in corpus.vocabulary
    model = LDA(2, **QUICK).fit(corpus)
    save(model, tmp_path / "model.plait")
    loaded = load(tmp_path / "model.plait")
    same(loaded.transform(TEXTS), model.transform(corpus))


def test_labels_of_texts():
    model = MedLDA(2, **QUICK).fit(TEXTS, LABELS)
    corpus = Corpus.from_texts(TEXTS, labels=LABELS)
    same(model.predict(TEXTS), MedLDA(2, **QUICK).fit(corpus).predict(corpus))
    assert model.score(TEXTS, LABELS) > 0.9
    same(model.decision_function(NEW), model.decision_function(Corpus.from_texts(NEW, like=model)))
    assert model.explain(NEW[0]).label == model.predict(NEW)[0]
    assert model.explain([NEW[1]]).label == model.predict(NEW)[1]
    calibrated = MedLDA(2, **QUICK, calibrate=0.5).fit(TEXTS * 2, LABELS * 2)
    assert calibrated.predict_proba(NEW).shape == (2, 2)


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_data_frames_with_a_column_of_texts(make):
    frame = make(
        {"nr": [f"n{n}" for n in range(24)], "text": TEXTS, "label": LABELS, "title": [f"T{n}" for n in range(24)]}
    )
    model = MedLDA(2, **QUICK).fit(frame)
    same(model.classes_, ["money", "water"])
    assert model.documents_.titles[3] == "T3"
    expected = MedLDA(2, **QUICK).fit(Corpus.from_texts(TEXTS, labels=LABELS))
    same(model.decision_function(frame), expected.decision_function(TEXTS))
    assert model.score(frame) == expected.score(TEXTS, LABELS)
    assert LDA(2, **QUICK).fit(frame).transform(make({"text": NEW})).shape == (2, 2)


def test_links_of_texts_and_frames():
    links = np.eye(24, k=2)
    model = RelationalTopicModel(2, **QUICK).fit(TEXTS, links=links)
    by_text = model.suggest_links(NEW, top=2)
    by_frame = model.suggest_links(pandas.DataFrame({"text": NEW, "title": ["Boats", "Loans"]}), top=2)
    assert [[one.id for one in own] for own in by_text] == [[one.id for one in own] for own in by_frame]
    assert model.predict_words(NEW, np.eye(2, 24)).shape == (2, len(model.vocabulary_))
    corpus = Corpus.from_texts(TEXTS, ids=[str(n) for n in range(24)], links=LINKS)
    linked = LinkedLDA(2, n_chains=1, **QUICK).fit(corpus)
    same(linked.transform(NEW), linked.transform(Corpus.from_texts(NEW, like=linked)))
    assert linked.infer_influence(NEW, np.eye(2, 24)).shape == (2, 24)


def test_frames_of_numbers_are_counts():
    counts = pandas.DataFrame([[2, 0, 1], [0, 3, 1]] * 5, columns=["river", "loan", "bank"])
    model = LDA(2, **QUICK).fit(counts)
    assert model.vocabulary_.tolist() == ["river", "loan", "bank"]
    assert model.text_options_ is None


def test_empty_and_unknown_texts_stay_rows():
    texts = ["", *TEXTS, None]
    model = LDA(2, **QUICK).fit(texts)
    assert model.doc_topic_.shape == (26, 2)
    same(model.fit(pandas.Series(texts)).doc_topic_.shape, (26, 2))
    assert MedLDA(2, **QUICK).fit(texts, ["money", *LABELS, "water"]).doc_topic_.shape == (26, 2)
    with pytest.warns(UserWarning, match="3 of 4 documents have no word that the model knows"):
        found = model.transform(["", "zebra", NEW[0], float("nan")])
    same(found[0], found[1])
    same(found[0], found[3])
    with pytest.warns(UserWarning, match="^the document has no word that the model knows; topic proportions") as said:
        model.transform(["zebra"])
    assert {one.filename for one in said} == {__file__}
    with pytest.warns(UserWarning, match="^1 of 2 documents has no word that the model knows") as said:
        model.transform(["zebra", NEW[0]])
    assert {one.filename for one in said} == {__file__}
    assert not np.array_equal(found[0], found[2])
    with pytest.warns(UserWarning, match=r"5 of 7 tokens \(71\.4%\) are not in the model's vocabulary"):
        model.transform(["zebra giraffe lion tiger elephant river bank"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(NEW)
    with pytest.raises(PlaitError, match="no word that the model knows"):
        MedLDA(2, **QUICK).fit(TEXTS, LABELS).explain("zebra")


def test_a_text_is_not_a_list_of_texts():
    with pytest.raises(PlaitError, match=r'X is the text "red fox"; give a list of texts'):
        LDA(2).fit("red fox")
    with pytest.raises(PlaitError, match=r"to read a file use plait\.read_corpus"):
        LDA(2).fit("survey.csv")
    with pytest.raises(PlaitError, match=r'X is the text "red fox"'):
        LDA(2, **QUICK).fit(TEXTS).transform("red fox")
    with pytest.raises(PlaitError, match=r"texts, item 2: 7 is not text|7 is not text"):
        LDA(2).fit(["red fox", 7])


def test_models_of_matrices_refuse_texts():
    model = LDA(2, **QUICK).fit(np.eye(4, dtype=int))
    with pytest.raises(
        PlaitError, match="the LDA was fitted to a matrix without words, so it cannot read text; give a"
    ):
        model.transform(NEW)
    named = LDA(2, vocabulary=["river", "lake", "bank", "loan"], **QUICK).fit(np.eye(4, dtype=int))
    with pytest.raises(PlaitError, match=r"came as tokens, counts or a matrix.*Corpus\.from_texts"):
        named.transform(NEW)
    with pytest.raises(PlaitError, match=r"came as tokens, counts or a matrix"):
        named.transform(pandas.DataFrame({"text": NEW}))
    with pytest.warns(UserWarning, match="not in the model"):
        assert named.transform(Corpus.from_texts(NEW)).shape == (2, 2)


def test_a_corpus_that_was_read_otherwise_is_refused():
    model = LDA(2, **QUICK).fit(Corpus.from_texts(TEXTS, normalize="stems", language="en"))
    other = Corpus.from_texts(NEW, language="en", numbers="keep")
    with pytest.raises(
        PlaitError, match=r'numbers \("keep" instead of "drop"\).*normalize \(None instead of "stems"\)'
    ) as caught:
        model.transform(other)
    assert "read_corpus(path, like=model)" in str(caught.value)
    with pytest.raises(PlaitError, match="other text options"):
        model.perplexity(other)
    assert model.transform(Corpus.from_texts(NEW, like=model)).shape == (2, 2)
    tokens = Corpus.from_frame(polars.DataFrame({"tokens": [["river", "loan"]]}))
    assert model.transform(tokens).shape == (1, 2)


def test_slices_of_a_stream_are_read_alike():
    model = OnlineLDA(2, **QUICK).partial_fit(TEXTS[:12], label="one")
    options = model.text_options_
    model.partial_fit([*TEXTS[12:], "eine kleine zebra"], label="two")
    assert model.text_options_.same_words(options)
    assert "zebra" in model.vocabulary_
    assert np.isfinite(model.perplexity(["zebra on the river", ""]))
    with pytest.raises(PlaitError, match=r"other text options.*language"):
        model.partial_fit(Corpus.from_texts(["der Fluss"], language="de"))
    counts = Corpus.from_frame(polars.DataFrame({"tokens": [["river", "loan"]] * 3}))
    assert model.partial_fit(counts).text_options_.same_words(options)
    frame = pandas.DataFrame({"text": TEXTS, "date": [f"2024-0{1 + n // 12}-01" for n in range(24)]})
    assert len(OnlineLDA(2, **QUICK).fit(frame, times="month").slices_) == 2


def test_cross_validation_of_texts():
    scores = cross_val_score(MedLDA(2, **QUICK), TEXTS, LABELS, cv=2)
    assert scores.shape == (2,)
    assert np.isfinite(cross_val_score(LDA(2, **QUICK), np.array(TEXTS, dtype=object), cv=2)).all()


def test_options_without_limits_are_those_of_the_model():
    model = LDA(2, **QUICK).fit(Corpus.from_texts(TEXTS, min_df=3))
    assert model.text_options_.min_df == 3
    assert model.text_options_.same_words(TextOptions(language="en").resolve([]))


def test_an_error_of_a_frame_names_the_way_to_read_it():
    frame = pandas.DataFrame({"text": ["red fox", "blue sea"], "date": ["1990-01-01", "n.d."]})
    with pytest.raises(plait.CorpusError, match=r"n\.d\.") as caught:
        LDA(2).fit(frame)
    assert any("Corpus.from_frame" in note for note in caught.value.__notes__)


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_texts_are_an_error(nothing):
    with pytest.raises(PlaitError, match="X is empty: there are no documents; give a list of texts"):
        LDA(2, verbose=False).fit(nothing)
