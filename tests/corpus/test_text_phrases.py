"""Phrases: collocations by normalised PMI, trigrams, phrases of the user's own."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from plait.corpus import Corpus, CorpusError, read_corpus
from plait.corpus.text.phrases import PhraseIndex, find_phrases


def make_texts(n_texts: int = 60) -> list[str]:
    random = np.random.default_rng(0)
    other = [f"word{number}" for number in range(40)]
    texts = []
    for _ in range(n_texts):
        words = list(random.choice(other, 20))
        words[3:3] = ["new", "york", "city"]
        words[10:10] = ["machine", "learning"]
        words[16:16] = ["new"]
        texts.append(" ".join(words))
    return texts


def test_phrases_are_found_and_shown_with_spaces():
    corpus = Corpus.from_texts(make_texts(), phrases=True)
    assert {"machine learning", "new york city"} <= set(corpus.text_options.phrases)
    assert {"machine learning", "new york city"} <= set(corpus.vocabulary)
    assert not {"machine", "york"} & set(corpus.vocabulary)
    assert corpus.n_tokens < Corpus.from_texts(make_texts()).n_tokens


def naive_pairs(sentences: list[list[str]], min_count: int, min_npmi: float) -> set[tuple[str, str]]:
    """Return pairs straight from the definition of Bouma (2009)."""
    words = Counter(word for sentence in sentences for word in sentence)
    pairs = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    total = sum(words.values())
    found = set()
    for (first, second), count in pairs.items():
        together = count / total
        npmi = math.log(together / (words[first] / total * words[second] / total)) / -math.log(together)
        if count >= min_count and npmi >= min_npmi and first != second:
            found.add((first, second))
    return found


@pytest.mark.parametrize("min_npmi", [0.1, 0.3, 0.6])
def test_pairs_agree_with_the_definition(min_npmi):
    random = np.random.default_rng(1)
    names = [f"w{number}" for number in range(12)]
    shares = np.arange(12, 0, -1) / 78
    sentences = [[names[number] for number in random.choice(12, 9, p=shares)] for _ in range(80)]
    for sentence in sentences[::2]:
        sentence[2:4] = ["w3", "w9"]
    tokens = [number for sentence in sentences for number in [*(names.index(word) for word in sentence), -1]]
    found = {phrase for phrase in find_phrases(np.array(tokens), names, 5, min_npmi) if len(phrase) == 2}
    expected = naive_pairs(sentences, 5, min_npmi)
    assert found == expected
    assert (("w3", "w9") in found) == (min_npmi < 0.5)


def test_phrases_do_not_cross_stop_words_sentences_and_documents():
    texts = ["red fox. blue sea", "green of hill", "old, lake", "cold (wind)", "one\n\ntwo"] * 30 + ["warm rain"] * 30
    phrases = Corpus.from_texts(texts, phrases=True, stop_words=["of"]).text_options.phrases
    assert set(phrases) == {"red fox", "blue sea", "warm rain"}


def test_phrases_of_the_user():
    corpus = Corpus.from_texts(
        ["The state of the art of Machine  Learning, machine learnings"],
        phrases=["machine learning", "State of the Art"],
    )
    assert {"machine learning", "state of the art", "machine", "learnings"} == set(corpus.vocabulary)
    lemmas = Corpus.from_texts(
        ["The big machines of the car engines"], language="en", phrases=["car engine"], normalize="lemmas"
    )
    assert "car engine" in lemmas.vocabulary


def test_found_phrases_of_normalised_words_are_applied_to_new_texts():
    texts = [text.replace("machine learning", "machines learned") for text in make_texts()]
    corpus = Corpus.from_texts(texts, phrases=True, language="en", normalize="stems")
    assert "machin learn" in corpus.vocabulary
    again = Corpus.from_texts(texts, like=corpus)
    assert np.array_equal(again.with_vocabulary(corpus.vocabulary).counts.toarray(), corpus.counts.toarray())


def test_generators_and_files_are_read_once(tmp_path):
    texts = make_texts()
    corpus = Corpus.from_texts((text for text in texts), phrases=True)
    (tmp_path / "x.csv").write_text("id,text\n" + "".join(f"{row},{text}\n" for row, text in enumerate(texts)))
    assert read_corpus(tmp_path / "x.csv", phrases=True).vocabulary.tolist() == corpus.vocabulary.tolist()


def test_no_phrases_are_found_in_few_texts():
    corpus = Corpus.from_texts(["red fox", "red fox"], phrases=True)
    assert corpus.text_options.phrases == ()
    assert corpus.vocabulary.tolist() == ["fox", "red"]


def test_empty_documents_are_reported():
    with pytest.raises(CorpusError, match=r"texts, item 2.*all words of the document were removed"):
        Corpus.from_texts(["red fox", "the"], phrases=True, stop_words=["the"])
    corpus = Corpus.from_texts([*make_texts(), "the"], phrases=True, stop_words=["the"], on_error="skip")
    assert len(corpus) == 60
    assert corpus.skipped["empty document"] == 1


def test_phrases_need_a_free_vocabulary(tmp_path):
    (tmp_path / "documents.jsonl").write_text('{"id": 1, "text": "red fox"}\n')
    (tmp_path / "vocabulary.txt").write_text("red\nfox\nred fox\n")
    with pytest.raises(CorpusError, match="phrases=True finds new words, but the vocabulary is fixed"):
        read_corpus(tmp_path, phrases=True)
    assert read_corpus(tmp_path, phrases=["red fox"]).counts.toarray().tolist() == [[0, 0, 1]]


def test_the_longest_phrase_is_joined():
    index = PhraseIndex([("a", "b"), ("a", "b", "c"), ("b", "c")])
    assert index.join(["a", "b", "b", "c", "a", "b", "c", "a"]) == ["a b", "b c", "a b c", "a"]
