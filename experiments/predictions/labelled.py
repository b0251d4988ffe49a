"""Labelled corpora as count matrices: read from the folder that PLAIT_DATA names, or from files written before.

The files need NumPy and SciPy only, so that the comparison also runs where corpora cannot be read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

sys.path.insert(0, str(Path(__file__).parents[2]))  # shared modules, when a script is run directly

_LEAST_DOCUMENTS = 3  # documents per word of texts
_LEAST_LABELLED = 5  # documents per label, where a corpus has no split of its own
_TEST_SHARE = 0.2  # of a corpus without a split


class Labelled(NamedTuple):
    """A labelled corpus."""

    counts: sparse.csr_array  # documents × words
    labels: sparse.csr_array  # documents × labels: 1 if a document has a label
    several: bool  # whether a document may have several labels
    part: np.ndarray  # of each document: 0 for training, 1 for test; −1 if the corpus has no split

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return training and test documents; a corpus without a split is divided at random, label by label."""
        if (self.part >= 0).all():
            return np.flatnonzero(self.part == 0), np.flatnonzero(self.part == 1)
        rng = np.random.default_rng(seed)
        test = np.zeros(len(self.part), bool)
        first = self.labels.toarray().argmax(axis=1)
        for label in np.unique(first):
            rows = rng.permutation(np.flatnonzero(first == label))
            test[rows[: round(_TEST_SHARE * rows.size)]] = True
        return np.flatnonzero(~test), np.flatnonzero(test)


def write(folder: Path, names: list[str]) -> None:
    """Write corpora as npz files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        one = CORPORA[name]()
        np.savez_compressed(
            folder / f"{name}.npz", shape=one.counts.shape, data=one.counts.data, indices=one.counts.indices,
            indptr=one.counts.indptr, labels=one.labels.toarray().astype(np.int8), several=one.several, part=one.part,
        )  # fmt: skip
        n_documents, n_words = one.counts.shape
        split = "own split" if (one.part >= 0).all() else "no split"
        print(f"{name}: {n_documents:,} documents, {n_words:,} words, {one.labels.shape[1]} labels, {split}")


def read(name: str, folder: Path | None) -> Labelled:
    """Return a corpus, from a file if a folder is given."""
    if folder is None:
        return CORPORA[name]()
    with np.load(folder / f"{name}.npz") as stored:
        counts = sparse.csr_array((stored["data"], stored["indices"], stored["indptr"]), shape=tuple(stored["shape"]))
        return Labelled(counts, sparse.csr_array(stored["labels"]), bool(stored["several"]), stored["part"])


def _with_split(train: Any, test: Any) -> Labelled:
    """Return a corpus with a split of its own; words and labels are those of the training documents."""
    test = test.with_vocabulary(train.vocabulary)
    names = sorted(train.label_names)
    counts = sparse.csr_array(sparse.vstack([train.counts, test.counts]))
    labels = [own for corpus in (train, test) for own in corpus.labels]
    part = np.repeat([0, 1], [len(train), len(test)])
    return Labelled(counts, _indicator(labels, names), train.is_multilabel, part)


def _without_split(corpus: Any) -> Labelled:
    """Return a corpus that is divided at random; documents of rare labels are left out."""
    own = [names[0] if names else None for names in corpus.labels]
    frequent = [name for name in sorted({name for name in own if name}) if own.count(name) >= _LEAST_LABELLED]
    corpus = corpus.select(np.array([name in frequent for name in own]))
    labels = _indicator([names[:1] for names in corpus.labels], frequent)
    return Labelled(sparse.csr_array(corpus.counts), labels, False, np.full(len(corpus), -1))


def _indicator(labels: list[tuple[str, ...]], names: list[str]) -> sparse.csr_array:
    place = {name: number for number, name in enumerate(names)}
    rows = [[row, place[name]] for row, own in enumerate(labels) for name in own if name in place]
    found = np.zeros((len(labels), len(names)), np.int8)
    found[tuple(np.array(rows).T)] = 1
    return sparse.csr_array(found)


def _medlda_data() -> Any:
    sys.path.insert(0, str(Path(__file__).parents[1] / "medlda"))
    import data

    return data


def _folder(name: str) -> Path:
    from experiments.folders import folder

    return folder(name)


def _newsgroups_as_text() -> Labelled:
    import plait

    corpus = plait.read_corpus(_folder("20news_bydate"), on_error="skip")
    train = corpus.part("train").filter_words(min_df=_LEAST_DOCUMENTS)
    return _with_split(train, corpus.part("test"))


def _top_ten() -> Labelled:
    """Return the stories of the ten most frequent topics of Reuters."""
    data = _medlda_data()
    train, test = data.load_r90()
    counts = {name: sum(name in own for own in train.labels) for name in train.label_names}
    top = set(sorted(counts, key=lambda name: (-counts[name], name))[:10])
    return _with_split(data.with_labels_among(train, top), data.with_labels_among(test, top))


def _pages() -> Labelled:
    """Return the texts of web pages; `_binary("webkb")` has the words that the corpus lists for them."""
    import plait

    corpus = plait.read_corpus(_folder("webkb"), text="text", on_error="skip")
    return _without_split(corpus.filter_words(min_df=_LEAST_DOCUMENTS))


def _addresses(field: str) -> Labelled:
    import plait

    corpus = plait.read_corpus(_folder("sotu"), text="text", label=field, on_error="skip")
    return _without_split(corpus.filter_words(min_df=_LEAST_DOCUMENTS))


def _centuries() -> Labelled:
    from dataclasses import replace

    import plait

    corpus = plait.read_corpus(_folder("sotu"), text="text", label="year", on_error="skip")
    corpus = replace(corpus, labels=tuple((f"{str(own[0])[:2]}00",) for own in corpus.labels))
    return _without_split(corpus.filter_words(min_df=_LEAST_DOCUMENTS))


def _binary(name: str) -> Labelled:
    import plait

    return _without_split(plait.read_corpus(_folder(name), on_error="skip"))  # some papers link to themselves


# Longest fits first, so that they do not come last. wikipedia_vital has no labels.
CORPORA: dict[str, Callable[[], Labelled]] = {
    "20news_bydate": _newsgroups_as_text,
    "20news_matlab": lambda: _with_split(*_medlda_data().load_20news()),
    "r90": lambda: _with_split(*_medlda_data().load_r90()),
    "bibtex": lambda: _with_split(*_medlda_data().load_bibtex()),
    "r10": _top_ten,
    "sotu_century": _centuries,
    "sotu_party": lambda: _addresses("party"),
    "citeseer": lambda: _binary("citeseer"),
    "cora": lambda: _binary("cora"),
    "webkb_text": _pages,
    "webkb": lambda: _binary("webkb"),
}
