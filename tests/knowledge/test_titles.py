"""Title search: case, plural, punctuation, accents, whole words, brackets, overlaps, stop words."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

import plait
from plait.corpus.text.stop_words import load_stop_words
from plait.errors import PlaitError
from plait.knowledge.titles import Titles, words_of

STOP_WORDS = load_stop_words("english")


def mentioned(titles, *texts):
    """Number of texts that mention each title."""
    return Titles(titles, STOP_WORDS).in_texts(texts).documents.tolist()


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Central bank", "the CENTRAL BANK raised rates", True),
        ("Central bank", "central banks raised rates", True),
        ("Central bank", "the central bank's rates", True),
        ("Central bank", "central-bank\nrates", True),
        ("Central bank", "central\n    bank, said", True),
        ("Central bank", "central river bank", False),
        ("Central bank", "bank central", False),
        ("Currency", "two currencies", True),
        ("Tax", "taxes", True),
        ("Art", "a party", False),
        ("Art", "smart", False),
        ("Art", "arts", True),
        ("Art", "ART.", True),
        ("Mercury (planet)", "mercury in fish", True),
        ("Mercury (planet)", "the planet", False),
        ("(What's the Story) Morning Glory?", "the morning glory", False),
        ("São Paulo", "in Sao Paulo today", True),
        ("Sao Paulo", "in São Paulo today", True),
        ("O'Hare", "at O'Hare airport", True),
        ("Al-Qaeda", "al qaeda", True),
        ("Straße", "STRASSE", True),
        ("U.S. Steel", "U.S. Steel said", True),
        ("New York", "newyork", False),
        ("Tokyo", "", False),
    ],
)
def test_rules_of_matching(title, text, found):
    assert mentioned([title], text) == [int(found)]


def test_contractions_are_no_words():
    search = Titles(["Don (river)"], frozenset())  # "don" is an English stop word
    assert search.in_texts(["I don't know", "DON’T", "the Don"]).documents.tolist() == [1]


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Volga (river)", "the Don and the Volga", True),
        ("Bank of England", "the Bank of England said", True),
        ("Bank of England", "The bank of england said", False),  # a name in small letters, in a text with capitals
        ("Bank of England", "bank of england", True),  # the text has no capital letters
        ("Bank of England", "BANK OF ENGLAND SAID", True),
        ("New York", "Trading in new york. A trader in New York", True),  # one mention with a capital is enough
        ("Central bank", "The central bank said", True),
        ("São Paulo", "Straße in Sao Paulo", True),
    ],
)
def test_case_of_names(title, text, found):
    mentions = Titles([title], STOP_WORDS).in_texts([text])
    assert mentions.documents.tolist() == [int(found)]
    assert mentions.n_wrong_case.tolist() == [int(not found and "england" in text)]


def test_only_the_longest_title_is_mentioned():
    titles = ["York", "New York", "New York City", "City council"]
    assert mentioned(titles, "New York") == [0, 1, 0, 0]
    assert mentioned(titles, "York and New York") == [1, 1, 0, 0]
    assert mentioned(titles, "new york city councils") == [0, 0, 1, 0]  # the first and longest
    assert mentioned(titles, "new york. City council") == [0, 0, 1, 0]  # punctuation is no boundary between titles


def test_titles_side_by_side_are_both_found():
    assert mentioned(["Bank", "Loan"], "bank loan", "bank bank loans") == [2, 2]


def test_documents_are_counted_once_however_often_they_mention_a_title():
    assert mentioned(["Bank"], "bank banks Bank", "no", "bank") == [2]


def test_articles_with_the_same_title_share_mentions_unless_one_has_no_brackets():
    assert mentioned(["Mercury (planet)", "Mercury (element)"], "mercury") == [1, 1]
    assert mentioned(["Company (musical)", "Company"], "companies") == [0, 1]


def test_a_title_is_not_the_plural_of_another():
    assert mentioned(["Sport", "Sports"], "sports") == [0, 1]
    assert mentioned(["Sport", "Sports"], "sport") == [1, 0]


def test_titles_of_stop_words_letters_and_numbers_are_not_searched():
    titles = ["The", "May", "The Who", "C++", "1984", "", "A", "May Day", "2001: A Space Odyssey"]
    search = Titles(titles, STOP_WORDS)
    assert search.searchable.tolist() == [False] * 7 + [True, True]
    assert mentioned(titles, "the who may be a c 1984 may day") == [0] * 7 + [1, 0]
    assert Titles(["May"], frozenset()).in_texts(["in may"]).documents.tolist() == [1]


def test_without_searchable_titles_or_texts_there_are_no_mentions():
    assert mentioned(["The"], "the") == [0]
    none = Titles(["Bank"], STOP_WORDS).in_texts([])
    assert (none.documents.tolist(), none.n_searched) == ([0], 0)


def test_the_search_agrees_with_a_naive_search():
    rng = random.Random(0)
    letters = ["ab", "abc", "b", "bc", "c", "abs", "x"]
    titles = [" ".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in range(40)]
    texts = [" ".join(rng.choices(letters, k=30)) for _ in range(50)]
    names = {}
    for number, title in enumerate(titles):
        if any(len(word) > 1 for word in title.split()):
            names.setdefault(title, set()).add(number)
    for name, articles in list(names.items()):
        names.setdefault(name + ("es" if name.endswith("s") else "s"), set(articles))
    expected = np.zeros(len(titles), dtype=int)
    for text in texts:
        words, place, here = text.split(), 0, set()
        while place < len(words):
            fits = [size for size in range(1, 4) if " ".join(words[place : place + size]) in names]
            fits = [size for size in fits if place + size <= len(words)]
            if fits:
                here |= names[" ".join(words[place : place + max(fits)])]
            place += max(fits, default=1)
        expected[list(here)] += 1
    assert expected.max() > 10
    assert Titles(titles, frozenset()).in_texts(texts).documents.tolist() == expected.tolist()


def test_in_counts_a_document_needs_all_words_of_a_title_except_stop_words():
    texts = ["bank of england", "bank england", "england", "banks", "rivers of gold"]
    corpus = plait.Corpus.from_texts(texts)
    titles = ["Bank", "Bank of England", "River", "Gold coast", "England"]
    found = Titles(titles, STOP_WORDS).in_counts(corpus)
    assert found.documents.tolist() == [3, 2, 1, 0, 3]
    assert found.n_searched == 5


def test_in_counts_a_document_with_singular_and_plural_is_counted_once():
    corpus = plait.Corpus.from_texts(["bank banks", "bank", "banks"])
    assert Titles(["Bank"], STOP_WORDS).in_counts(corpus).documents.tolist() == [3]


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    with pytest.raises(PlaitError, match=r"pip install '\.\[knowledge\]' in a checkout"):
        mentioned(["Bank"], "bank")


def test_a_document_that_is_not_a_str_is_rejected():
    with pytest.raises(PlaitError, match="texts has 3 at index 1"):
        mentioned(["Bank"], "bank", 3)


def test_words_consist_of_letters_and_digits():
    assert words_of("A_b-C3 (d.e)\t№5") == ["a", "b", "c3", "d", "e", "no5"]
