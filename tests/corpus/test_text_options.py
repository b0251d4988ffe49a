"""TextOptions: values, plain data, comparison, and the same counts before and after they are stored."""

from __future__ import annotations

import copy
import json
import pickle
import sys

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import plait
from plait.corpus import Corpus, CorpusError, TextOptions, read_corpus
from plait.corpus.text.counting import count_texts

TEXTS = [
    "The New York river isn't far; <b>Caf\u00e9s</b> of New York sell 3 teas at http://tea.org in 1990 &amp; later.",
    "Rivers and caf\u00e9s: the New York teas of the U.S. river were sold to x@y.com by 12th-century houses.",
] * 12

CASES = {
    "defaults": {},
    "no language": {"language": None},
    "case": {"lowercase": False},
    "accents": {"accents": "strip"},
    "numbers": {"numbers": "keep"},
    "urls": {"urls": "keep"},
    "html": {"html": False},
    "length": {"min_length": 5},
    "stop words": {"stop_words": ["river", "teas"]},
    "no stop words": {"stop_words": None},
    "lemmas": {"language": "en", "normalize": "lemmas"},
    "stems": {"language": "en", "normalize": "stems"},
    "found phrases": {"phrases": True},
    "given phrases": {"phrases": ["new york", "cafés of new york"]},
    "limits": {"min_df": 13, "max_df": 24, "max_words": 3},
    "n-grams": {"tokenizer": CountVectorizer(ngram_range=(1, 3), stop_words="english", min_df=2)},
    "characters": {"tokenizer": CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), strip_accents="ascii")},
}


def counts_of(corpus, options):
    return count_texts(TEXTS, options, corpus.vocabulary).counts.toarray()


@pytest.mark.parametrize("name", CASES)
def test_stored_options_give_the_same_counts(name):
    corpus = Corpus.from_texts(TEXTS, **CASES[name])
    stored = json.loads(json.dumps(corpus.text_options.to_dict()))
    again = TextOptions.from_dict(stored)
    assert again == corpus.text_options
    assert again.is_resolved
    assert np.array_equal(counts_of(corpus, again), corpus.counts.toarray())
    reread = Corpus.from_texts(TEXTS, like=corpus).with_vocabulary(corpus.vocabulary)
    assert np.array_equal(reread.counts.toarray(), corpus.counts.toarray())


@pytest.mark.parametrize("name", sorted(set(CASES) - {"defaults", "limits", "no language"}))
def test_each_option_changes_the_words(name):
    given, plain = (Corpus.from_texts(TEXTS, **case) for case in (CASES[name], {}))
    assert set(given.vocabulary) != set(plain.vocabulary)


def test_a_corpus_knows_how_it_was_read(tmp_path):
    corpus = Corpus.from_texts(TEXTS, min_df=2)
    options = corpus.text_options
    assert (options.language, options.min_length, options.min_df, options.max_df) == ("en", 3, 2, 1.0)
    assert "the" in options.stop_words
    for other in (
        corpus[3:],
        corpus.select([1]),
        corpus.split(0.5, random_state=0)[0],
        corpus.filter_words(),
        corpus.with_vocabulary(["river"]),
        pickle.loads(pickle.dumps(corpus)),
        corpus.merge(Corpus.from_texts(["new"], ids=["x"], like=corpus)),
    ):
        assert other.text_options.same_words(options)
    assert corpus.filter_words(min_df=3).text_options.min_df == 3
    assert Corpus.from_matrix([[1]]).text_options is None
    (tmp_path / "x.jsonl").write_text('{"id": 1, "tokens": ["red"]}\n')
    assert read_corpus(tmp_path / "x.jsonl").text_options is None


def test_corpora_that_were_read_differently_are_not_merged():
    first = Corpus.from_texts(["The old river of it"], ids=["a"])
    with pytest.raises(CorpusError, match=r"different text options \(numbers\).*like=first"):
        first.merge(Corpus.from_texts(["The 1990 river of it"], ids=["b"], numbers="keep"))
    assert first.merge(Corpus.from_texts(["new"], ids=["b"], like=first)).text_options == first.text_options
    assert first.merge(Corpus.from_matrix([[1]], ids=["b"])).text_options is None


def test_limits_are_not_repeated_by_like():
    corpus = Corpus.from_texts(TEXTS, min_df=24, max_words=2)
    again = Corpus.from_texts(["river water"], like=corpus)
    assert again.vocabulary.tolist() == ["river", "water"]
    assert Corpus.from_texts(["river water", "water"], like=corpus, min_df=2).vocabulary.tolist() == ["water"]


def test_like_and_text_options_exclude_other_options():
    corpus = Corpus.from_texts(TEXTS)
    with pytest.raises(CorpusError, match="language and like are both given"):
        Corpus.from_texts(TEXTS, like=corpus, language="de")
    with pytest.raises(CorpusError, match="min_df and text_options are both given"):
        Corpus.from_texts(TEXTS, text_options=TextOptions(), min_df=2)
    with pytest.raises(CorpusError, match="text_options and like are both given"):
        Corpus.from_texts(TEXTS, text_options=TextOptions(), like=corpus)
    with pytest.raises(CorpusError, match="like is a Corpus whose words came as tokens, counts or a matrix"):
        Corpus.from_texts(TEXTS, like=Corpus.from_matrix([[1]]))
    with pytest.raises(CorpusError, match="like is of the type int; give a Corpus or a fitted model"):
        Corpus.from_texts(TEXTS, like=3)
    with pytest.raises(CorpusError, match=r"text_options is of the type dict; give plait\.TextOptions"):
        Corpus.from_texts(TEXTS, text_options={})
    options = TextOptions(numbers="keep", stop_words=None)
    assert "1990" in Corpus.from_texts(TEXTS, text_options=options).vocabulary


def test_files_and_frames_take_options(tmp_path):
    import polars

    (tmp_path / "x.csv").write_text("id,text\na,Der alte Fluss 1990\n", encoding="utf-8")
    frame = polars.DataFrame({"id": ["a"], "text": ["Der alte Fluss 1990"]})
    options = TextOptions(language="de", numbers="keep", stop_words=["der"])
    for corpus in (
        read_corpus(tmp_path / "x.csv", text_options=options),
        Corpus.from_frame(frame, text_options=options),
    ):
        assert corpus.vocabulary.tolist() == ["1990", "alte", "fluss"]
        assert read_corpus(tmp_path / "x.csv", like=corpus).vocabulary.tolist() == ["1990", "alte", "fluss"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "germn"}, r'language is "germn".*do you mean "german"'),
        ({"language": 3}, "language is 3; give a code"),
        ({"accents": "remove"}, 'accents is "remove"; give one of "keep", "strip"'),
        ({"numbers": True}, 'numbers is True; give one of "drop", "keep"'),
        ({"urls": None}, "urls is null; give one of|urls is None; give one of"),
        ({"html": "yes"}, 'html is "yes"; give True or False'),
        ({"lowercase": 1}, "lowercase is 1; give True or False"),
        ({"min_length": 0}, "min_length is 0; give a number of characters"),
        ({"normalize": "roots"}, 'normalize is "roots"; give one of None, "lemmas", "stems"'),
        ({"normalize": "lemmas", "language": "ta"}, 'does not have Tamil; normalize="stems" has it'),
        ({"phrases": "new york"}, 'phrases is "new york"; give True, False or a list'),
        ({"phrases": ["york"]}, 'phrases contains "york"; give texts of two or more words'),
        ({"phrases": ["new \ud800"]}, "phrases: "),
        ({"min_df": "some"}, "min_df is 'some'; give a number"),
        ({"max_df": 1.5}, r"max_df is 1\.5; give a number"),
        ({"max_words": 0}, "max_words is 0"),
        ({"stop_words": ["\ud800"]}, "stop_words: "),
        ({"tokenizer": 7}, "tokenizer is 7"),
    ],
)
def test_wrong_values_are_named(options, message):
    with pytest.raises(CorpusError, match=message) as caught:
        TextOptions(**options)
    assert caught.value.parameter in options


def test_normalising_needs_a_language():
    with pytest.raises(CorpusError, match=r'normalize="lemmas" needs a language.*language='):
        Corpus.from_texts(["xyz abc"], normalize="lemmas")


def test_data_of_strangers_is_checked():
    data = TextOptions(language="en").resolve([]).to_dict()
    for change in (
        {"stop_words": "/etc/passwd"},
        {"phrases": "x y"},
        {"tokenizer": "os:system"},
        {"tokenizer": {"name": ""}},
    ):
        with pytest.raises(CorpusError):
            TextOptions.from_dict(data | change)
    with pytest.raises(CorpusError, match='have "colour", which this version'):
        TextOptions.from_dict(data | {"colour": 1})
    with pytest.raises(CorpusError, match="have no html"):
        TextOptions.from_dict({name: value for name, value in data.items() if name != "html"})
    with pytest.raises(CorpusError, match="the text options are 3"):
        TextOptions.from_dict(3)


def test_comparison_and_copies():
    options = TextOptions(phrases=["b c", "a b"])
    assert options == TextOptions(phrases=["a b", "b  c"])
    assert hash(options) == hash(TextOptions(phrases=["a b", "b c"]))
    assert options.same_words(TextOptions(phrases=["a b", "b c"], min_df=7, max_df=3, max_words=2))
    assert options.differences(TextOptions(phrases=["a b"], accents="strip")) == ["accents", "phrases"]
    assert copy.deepcopy(options) is options
    assert pickle.loads(pickle.dumps(options)) == options
    assert repr(TextOptions(language="German", stop_words=["x"])) == "TextOptions(language='de', stop_words=['x'])"
    assert "stop_words=<" in repr(TextOptions(stop_words="english"))


def split(text):
    return text.split("/")


def test_a_tokenizer_must_be_given_again():
    corpus = Corpus.from_texts(["red/old fox"], tokenizer=split)
    assert corpus.vocabulary.tolist() == ["old fox", "red"]
    assert Corpus.from_texts(["red"], like=corpus).n_words == 1, "the function is still known"
    name = f"{split.__module__}:split"
    for options in (
        pickle.loads(pickle.dumps(corpus)).text_options,
        TextOptions.from_dict(corpus.text_options.to_dict()),
    ):
        assert options.to_dict()["tokenizer"] == {"name": name}
        with pytest.raises(CorpusError, match=rf"with the tokenizer {name}; give it again: .*tokenizer=split"):
            count_texts(["red"], options, ["red"])
        with pytest.raises(CorpusError, match=r"not builtins:str\.split; give the same one"):
            options.with_tokenizer(str.split)
        given = options.with_tokenizer(split)
        assert given.same_words(corpus.text_options)
        assert count_texts(["red/red"], given, ["red"]).counts.toarray().tolist() == [[2]]
    with pytest.raises(CorpusError, match="without a tokenizer of the user's own"):
        TextOptions().with_tokenizer(split)


def test_texts_are_counted_over_a_vocabulary():
    options = Corpus.from_texts(TEXTS).text_options
    counted = count_texts(["River river unknown", "", "the"], options, ["river", "house"])
    assert counted.counts.toarray().tolist() == [[2, 0], [0, 0], [0, 0]]
    assert counted.n_outside == 1
    assert counted.counts.dtype == np.int32
    assert count_texts([], options, ["river"]).counts.shape == (0, 1)
    for wrong, message in (
        (["a", None], r"texts\[1\]: "),
        ("river", "give a list of texts"),
        (["\ud800"], r"texts\[0\]: "),
    ):
        with pytest.raises(CorpusError, match=message):
            count_texts(wrong, options, ["river"])
    with pytest.raises(CorpusError, match="phrases=True finds phrases in a whole corpus"):
        count_texts(["river"], TextOptions(phrases=True), ["river"])
    assert count_texts(["the river of it"], TextOptions(), ["river", "the"]).counts.toarray().tolist() == [[1, 0]]


def test_options_for_text_are_refused_for_tokens(write_jsonl):
    path = write_jsonl({"id": 1, "tokens": ["red"]})
    for options in ({"phrases": True}, {"normalize": "stems", "language": "en"}, {"language": "de"}, {"min_length": 2}):
        with pytest.raises(CorpusError, match="= is for text, but the words are tokens; leave it out"):
            read_corpus(path, **options)


def test_automatic_limits_depend_on_the_number_of_documents():
    def read(n_documents, **options):
        texts = [f"common w{number % 150}x w{number}rare" for number in range(n_documents)]
        return Corpus.from_texts(texts, language=None, **options)

    assert (read(90).text_options.min_df, read(90).text_options.max_df) == (1, 1.0)
    assert (read(450).text_options.min_df, read(450).text_options.max_df) == (2, 0.5)
    assert read(450).n_words == 150
    assert (read(900).text_options.min_df, read(900).text_options.max_df) == (5, 0.5)
    assert (read(2100).text_options.min_df, read(2100).text_options.max_df) == (10, 0.3)
    assert (read(450, min_df=1).text_options.min_df, read(450, max_df=1.0).text_options.max_df) == (1, 1.0)
    few = Corpus.from_texts(["red fox"] * 3000)
    assert few.n_words == 2, "limits that leave fewer than 100 words do not apply"


def test_the_error_names_the_extra(monkeypatch):
    for name in ("stopwordsiso", "simplemma", "snowballstemmer"):
        monkeypatch.setitem(sys.modules, name, None)
    from plait.corpus.text.stop_words import stop_words_of

    stop_words_of.cache_clear()
    with pytest.raises(CorpusError, match=r"stop words of German need .*pip install '\.\[text\]'"):
        Corpus.from_texts(["Haus"], language="de")
    for normalize in ("lemmas", "stems"):
        with pytest.raises(CorpusError, match=rf"{normalize}.* needs the package .*pip install '\.\[text\]'"):
            Corpus.from_texts(["Haus"], language="de", normalize=normalize, stop_words=None)
    assert Corpus.from_texts(["The old house of it"]).vocabulary.tolist() == ["house", "old"]


def test_plait_exports_the_options():
    assert plait.TextOptions is TextOptions


def even_corpus(n_documents: int = 2000, n_words: int = 60) -> list[str]:
    """Texts of 120 words of their own, a common word once in each, and a common word that a few repeat."""
    random = np.random.default_rng(0)
    texts = []
    for row in range(n_documents):
        words = [f"word{number}" for number in random.integers(0, 400, n_words)]
        words += ["thanks"] * (row % 4 == 0) + ["bank"] * (6 * (row % 4 == 1))
        texts.append(" ".join(words))
    return texts


def test_common_words_that_are_spread_evenly_are_dropped():
    texts = even_corpus()
    corpus = Corpus.from_texts(texts, language="en")
    assert "thanks" not in corpus.vocabulary
    assert "bank" in corpus.vocabulary
    assert corpus.text_options.even_words == "drop"
    again = Corpus.from_texts(texts, text_options=corpus.text_options)
    assert again.vocabulary.tolist() == corpus.vocabulary.tolist()
    assert "thanks" in Corpus.from_texts(texts, language="en", even_words="keep").vocabulary
    assert "thanks" in Corpus.from_texts(texts, language="en", max_df=0.3).vocabulary
    assert "thanks" in Corpus.from_texts(["thanks fox"], like=corpus).vocabulary


@pytest.mark.parametrize(("n_documents", "n_words"), [(1999, 60), (2000, 20)])
def test_evenly_spread_words_of_small_corpora_and_short_texts_are_kept(n_documents, n_words):
    texts = even_corpus(n_documents, n_words)
    assert "thanks" in Corpus.from_texts(texts, language="en").vocabulary
    dropped = Corpus.from_texts(texts, language="en", even_words="drop", max_df=0.9)
    assert "thanks" not in dropped.vocabulary
    with pytest.raises(CorpusError, match="even_words is 'maybe'"):
        Corpus.from_texts(texts[:3], even_words="maybe")


def test_options_of_earlier_files_keep_evenly_spread_words():
    data = TextOptions(language="en").to_dict()
    del data["even_words"]
    assert TextOptions.from_dict(data).even_words == "keep"
