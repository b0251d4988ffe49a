"""A CountVectorizer as the tokenizer: same counts as scikit-learn, every setting honoured or refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from plait.corpus import Corpus, CorpusError, TextOptions

TEXTS = ["The red fox the fox", "A blue sea, a red sea", "Caf\u00e9 at the red sea 1990"]

SETTINGS = [
    {},
    {"min_df": 2},
    {"max_df": 0.6},
    {"max_df": 2},
    {"max_features": 3},
    {"ngram_range": (1, 2)},
    {"stop_words": ["red"]},
    {"stop_words": "english"},
    {"token_pattern": r"(?u)\b[a-z]{3,}\b"},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii"},
    {"lowercase": False},
    {"binary": True},
    {"vocabulary": ["sea", "red"]},
    {"vocabulary": {"red": 1, "sea": 0}},
    {"analyzer": "char", "ngram_range": (2, 2)},
    {"analyzer": "char_wb", "ngram_range": (3, 4), "min_df": 2},
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.upper},
    {"analyzer": str.split},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_counts_are_those_of_scikit_learn(settings):
    vectorizer = CountVectorizer(**settings)
    corpus = Corpus.from_texts(TEXTS, tokenizer=vectorizer)
    expected = CountVectorizer(**settings).fit(TEXTS)
    assert set(corpus.vocabulary) == set(expected.get_feature_names_out())
    columns = [expected.vocabulary_[word] for word in corpus.vocabulary]
    assert np.array_equal(corpus.counts.toarray(), expected.transform(TEXTS).toarray()[:, columns])


@pytest.mark.parametrize("settings", SETTINGS[:17], ids=str)
def test_standard_settings_are_stored(settings):
    options = Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(**settings)).text_options
    again = TextOptions.from_dict(options.to_dict())
    assert again == options
    assert [again.words(text) for text in TEXTS] == [options.words(text) for text in TEXTS]


class Stemming(CountVectorizer):
    def build_analyzer(self):
        analyze = super().build_analyzer()
        return lambda text: [word[:3] for word in analyze(text)]


@pytest.mark.parametrize(
    ("vectorizer", "name"),
    [
        (CountVectorizer(tokenizer=str.split, token_pattern=None), r"CountVectorizer\(tokenizer=builtins:str\.split\)"),
        (CountVectorizer(token_pattern=r"(?u)\b(\w+\w)\b"), r"CountVectorizer\(token_pattern="),
        (Stemming(), "Stemming"),
    ],
)
def test_vectorizers_with_code_must_be_given_again(vectorizer, name):
    corpus = Corpus.from_texts(TEXTS, tokenizer=vectorizer)
    loaded = TextOptions.from_dict(corpus.text_options.to_dict())
    with pytest.raises(CorpusError, match=f"the tokenizer .*{name}.*; give it again"):
        loaded.words("red")
    assert loaded.with_tokenizer(vectorizer).words(TEXTS[0]) == corpus.text_options.words(TEXTS[0])


@pytest.mark.parametrize(
    ("vectorizer", "message"),
    [
        (TfidfVectorizer(), "use_idf=True, which weights the counts"),
        (TfidfVectorizer(use_idf=False), "norm='l2', which weights"),
        (TfidfVectorizer(use_idf=False, norm=None, sublinear_tf=True), "sublinear_tf=True"),
        (CountVectorizer(input="filename"), "input='filename'; plait gives it texts"),
        (HashingVectorizer(), "HashingVectorizer, which does not name its words"),
    ],
)
def test_settings_that_cannot_be_honoured_are_refused(vectorizer, message):
    with pytest.raises(CorpusError, match=message):
        Corpus.from_texts(TEXTS, tokenizer=vectorizer)
    assert Corpus.from_texts(TEXTS, tokenizer=TfidfVectorizer(use_idf=False, norm=None)).n_tokens


@pytest.mark.parametrize(
    "options",
    [{"language": "de"}, {"accents": "strip"}, {"min_length": 3}, {"normalize": "stems"}, {"phrases": True}],
    ids=str,
)
def test_options_that_a_vectorizer_decides_are_refused(options):
    with pytest.raises(CorpusError, match=f"{next(iter(options))} does not apply with a CountVectorizer"):
        Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(), **options)


def test_limits_come_from_one_place():
    assert Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(), min_df=3).vocabulary.tolist() == ["red"]
    with pytest.raises(CorpusError, match="min_df is 3, but the CountVectorizer has 2; give it in one place"):
        Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(min_df=2), min_df=3)
    options = Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(min_df=2, max_features=1)).text_options
    assert (options.min_df, options.max_df, options.max_words) == (2, 1.0, 1)


def test_more_stop_words_can_be_given():
    corpus = Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(), stop_words=["the"])
    assert "the" not in corpus.vocabulary
    assert "at" in corpus.vocabulary


def test_a_vocabulary_keeps_its_order_and_counts_other_words():
    corpus = Corpus.from_texts(TEXTS, tokenizer=CountVectorizer(vocabulary=["sea", "zebra", "red"]))
    assert corpus.vocabulary.tolist() == ["sea", "zebra", "red"]
    assert corpus.skipped["token outside the vocabulary"] > 0
