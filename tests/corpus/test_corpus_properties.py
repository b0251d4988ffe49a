"""What must hold of any corpus: tokens are conserved, links follow ids, words keep their counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.corpus import Corpus, CorpusError
from plait.corpus.container.slices import LARGEST_GAP, calendar_numbers

# A shared machine may be slow for a moment, which is no failure.
quick = settings(max_examples=40, deadline=None)
WORDS = [f"word{number}" for number in range(6)]


@st.composite
def corpora(draw, prefix: str = "d") -> Corpus:
    """A corpus of up to 7 documents over some of 6 words, with links, labels and times."""
    n_documents = draw(st.integers(1, 7))
    vocabulary = draw(st.permutations(WORDS))[: draw(st.integers(1, 6))]
    numbers = st.lists(st.integers(0, 4), min_size=len(vocabulary), max_size=len(vocabulary))
    counts = draw(st.lists(numbers, min_size=n_documents, max_size=n_documents))
    ids = [f"{prefix}{number}" for number in range(n_documents)]
    ends = st.tuples(st.sampled_from(ids), st.sampled_from(ids), st.sampled_from([0.5, 1.0, 3.0]))
    links = [link for link in draw(st.lists(ends, max_size=10)) if link[0] != link[1]]
    years = st.lists(st.integers(1900, 1905), min_size=n_documents, max_size=n_documents)
    labels = st.lists(st.sampled_from([None, "x", ["x", "y"]]), min_size=n_documents, max_size=n_documents)
    return Corpus.from_matrix(
        counts, vocabulary=vocabulary, ids=ids, links=links, times=draw(years), labels=draw(labels)
    )


@given(corpora(), st.randoms(use_true_random=False))
@quick
def test_select_keeps_documents_and_the_links_among_them(as_dicts, link_set, corpus, random):
    chosen = random.sample(corpus.ids.tolist(), random.randint(0, len(corpus)))
    part = corpus.select(chosen)
    assert part.ids.tolist() == chosen
    assert as_dicts(part) == {name: as_dicts(corpus)[name] for name in chosen}
    among = {ends: weight for ends, weight in link_set(corpus).items() if set(ends) <= set(chosen)}
    assert link_set(part) == among
    assert (
        dict(zip(part.ids, part.labels, strict=True)).items()
        <= dict(zip(corpus.ids, corpus.labels, strict=True)).items()
    )


@given(corpora("a"), corpora("b"))
@quick
def test_merge_conserves_documents_words_and_links(as_dicts, link_set, first, second):
    merged = first.merge(second)
    assert merged.n_tokens == first.n_tokens + second.n_tokens
    assert as_dicts(merged) == as_dicts(first) | as_dicts(second)
    assert link_set(merged) == link_set(first) | link_set(second)
    assert merged.vocabulary[: first.n_words].tolist() == first.vocabulary.tolist()
    assert set(merged.vocabulary) == set(first.vocabulary) | set(second.vocabulary)
    assert as_dicts(merged.select(first.ids.tolist())) == as_dicts(first)


@given(corpora(), st.integers(0, 100))
@quick
def test_split_parts_the_documents(corpus, seed):
    if len(corpus) < 2:
        return
    train, test = corpus.split(0.5, random_state=seed)
    assert sorted([*train.ids, *test.ids]) == sorted(corpus.ids)
    assert train.n_tokens + test.n_tokens == corpus.n_tokens


@given(corpora(), st.sampled_from(["day", "week", "month", "year"]) | st.integers(1, 3))
@quick
def test_slices_part_the_documents_in_order_of_time(corpus, by):
    if isinstance(by, int):
        by = min(by, len(np.unique(corpus.times)))
    elif np.diff(np.sort(calendar_numbers(corpus.times, by))).max(initial=0) > LARGEST_GAP:
        with pytest.raises(CorpusError, match="use longer slices"):
            corpus.slice_by_time(by)
        return
    slices = corpus.slice_by_time(by)
    assert sorted(name for _, part in slices for name in part.ids) == sorted(corpus.ids)
    full = [part for _, part in slices if len(part)]
    assert all(earlier.times.max() < later.times.min() for earlier, later in itertools.pairwise(full))
    assert len(slices[0][1]) > 0
    assert len(slices[-1][1]) > 0


@given(corpora(), st.lists(st.sampled_from([*WORDS, "other"]), unique=True))
@quick
def test_with_vocabulary_keeps_or_counts_every_token(as_dicts, corpus, vocabulary):
    other = corpus.with_vocabulary(vocabulary)
    assert other.n_tokens + other.skipped["token outside the vocabulary"] == corpus.n_tokens
    for name, words in as_dicts(corpus).items():
        assert as_dicts(other)[name] == {word: count for word, count in words.items() if word in vocabulary}


@given(corpora(), st.integers(0, 3), st.integers(1, 4))
@quick
def test_filter_words_keeps_exactly_the_words_in_the_limits(corpus, min_df, span):
    documents = (corpus.counts.toarray() > 0).sum(axis=0)
    wanted = [
        word for word, number in zip(corpus.vocabulary, documents, strict=True) if min_df <= number <= min_df + span
    ]
    if wanted:
        kept = corpus.filter_words(min_df=min_df, max_df=min_df + span)
        assert kept.vocabulary.tolist() == wanted


@given(st.lists(st.text(alphabet="abc ", max_size=12), min_size=1, max_size=6))
@quick
def test_texts_become_the_counts_of_their_words(as_dicts, texts):
    expected = {}
    for number, text in enumerate(texts, start=1):
        words = text.split()
        if words:
            expected[str(number)] = {word: words.count(word) for word in words}
    if expected:
        corpus = Corpus.from_texts(texts, tokenizer=str.split, stop_words=None, on_error="skip")
        assert as_dicts(corpus) == expected
        assert corpus.skipped["empty document"] == len(texts) - len(expected)
        assert corpus.vocabulary.tolist() == sorted(corpus.vocabulary)
