"""A fit to a prepared corpus: the bits of the fit to the same corpus in memory, and documents read by the shards."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from plait import LDA, Corpus, LabelResponse, MedLDA, OnlineLDA, PlaitError, load, save
from plait.corpus.prepared import writer
from plait.engine.chain import Chain
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior
from plait.samplers import as_sampler
from tests.executors.processes import Processes
from tests.executors.test_contract import CASES, COUNTS, LABELS, LINKS, QUICK, assert_same_bits


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Return a corpus in memory and the same one in files, of which shards need several."""
    monkeypatch.setattr(writer, "MOST_ENTRIES", 40)
    links = LINKS.toarray()
    np.fill_diagonal(links, 0)
    words = [f"w{(7 * column) % 25:02d}" for column in range(25)]  # not by frequency
    labels = [f"l{label}" for label in LABELS]
    memory = Corpus.from_matrix(COUNTS, vocabulary=words, labels=labels, links=csr_array(links))
    stored = memory.write(tmp_path / "made.corpus")
    assert len(stored.manifest.words) > 5
    return memory, stored


@pytest.mark.parametrize("executor", ["threads", "processes"])
@pytest.mark.parametrize("case", CASES)
def test_a_prepared_corpus_gives_the_bits_of_memory(case, executor, corpus):
    memory, stored = corpus
    model, given = CASES[case]
    values = {name: given[name] for name in ("values",) if name in given}  # the corpus has all else
    if executor == "processes":
        with Processes() as processes:
            found = clone(model).set_params(executor=processes).fit(stored, **values)
    else:
        found = clone(model).set_params(n_jobs=2).fit(stored, **values)
    assert_same_bits(found, clone(model).fit(memory, **values))


@pytest.mark.parametrize("sampler", ["limit", "sparse(2)"])
def test_fractional_counts_of_a_prepared_corpus_give_the_bits_of_memory(sampler, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "MOST_ENTRIES", 40)
    random = np.random.default_rng(3)
    counts = np.where(COUNTS.toarray() > 0, random.uniform(0.1, 3.0, COUNTS.shape), 0.0)  # sums depend on their order
    memory = Corpus.from_matrix(counts, vocabulary=[f"w{column:02d}" for column in range(25)], fractional=True)
    stored = memory.write(tmp_path / "made.corpus")
    assert_same_bits(*(LDA(**QUICK, sampler=sampler).fit(one) for one in (memory, stored)))


def test_a_stream_of_slices_of_a_prepared_corpus_gives_the_bits_of_memory(corpus):
    models = []
    for one in corpus:
        model = OnlineLDA(**QUICK, window=1, responses=[LabelResponse()])
        for first in (0, 10, 20):
            model.partial_fit(one[first : first + 10])
        models.append(model)
    assert_same_bits(*models)


def test_a_whole_prepared_corpus_can_be_one_slice(corpus):
    assert_same_bits(*(OnlineLDA(**QUICK).partial_fit(one) for one in corpus))


def test_calibrated_probabilities_and_predictions_are_those_of_memory(corpus):
    first, second = (MedLDA(**QUICK, n_chains=1, calibrate=0.5).fit(one) for one in corpus)
    assert (first.predict_proba(corpus[0]) == second.predict_proba(corpus[1])).all()


@pytest.mark.parametrize("begin", [0, 1])
def test_a_fit_continues_with_the_corpus_in_memory_or_in_files(begin, corpus, tmp_path):
    from tests.executors.test_contract import fitted_arrays

    whole = MedLDA(**QUICK, n_chains=2).fit(corpus[0])
    interrupted = clone(whole)
    interrupted.fit(corpus[begin], checkpoint=tmp_path / "model.plait", checkpoint_every=3)
    again = load(tmp_path / "model.plait").resume(corpus[1 - begin])
    assert_same_bits(again, whole)
    assert "doc_topic_" in fitted_arrays(again)


def test_other_documents_are_refused(corpus, tmp_path):
    MedLDA(**QUICK).fit(corpus[1], checkpoint=tmp_path / "model.plait", checkpoint_every=3)
    labels = list(corpus[0].labels)
    changed = corpus[0].counts.copy()
    changed.data[3] += 1
    other = Corpus.from_matrix(changed, vocabulary=corpus[0].vocabulary, labels=labels)
    with pytest.raises(PlaitError, match="not the documents that the fit began with"):
        load(tmp_path / "model.plait").resume(other)


def test_topics_can_be_edited_with_a_prepared_corpus(corpus):
    first, second = (clone(CASES["LDA"][0]).fit(one) for one in corpus)
    assert_same_bits(first.merge_topics([[0, 1]], corpus[0]), second.merge_topics([[0, 1]], corpus[1]))


def make_chain(counts):
    """Return a chain of three shards."""
    sampler = as_sampler("plain")
    return Chain(counts, 3, mixing=OwnDocument(0.1), prior=SymmetricPrior(0.1), sampler=sampler, seed=1, n_shards=3)


def test_a_shard_is_sent_without_its_documents(corpus):
    """Its pickle does not grow with the documents, and nothing is read before it is used."""
    chain = make_chain(corpus[1].word_counts)
    shards = chain.plan.make_shards([])
    assert all("documents" not in vars(shard) for shard in shards)
    sent = pickle.dumps(shards[0])
    assert str(corpus[1].folder).encode() in sent
    assert corpus[1].counts.data[:30].tobytes() not in sent
    shard = pickle.loads(sent)
    mine = make_chain(corpus[0].counts).plan.make_shards([])[0]
    for name, array in shard.documents._asdict().items():
        assert np.array_equal(array, getattr(mine.documents, name)), name


def test_a_corpus_that_changed_during_the_fit_is_an_error(corpus):
    chain = make_chain(corpus[1].word_counts)
    sent = pickle.dumps(chain.plan.make_shards([])[0])
    corpus[0].write(corpus[1].folder, overwrite=True)
    pickle.loads(sent)  # the same documents
    corpus[0][:20].write(corpus[1].folder, overwrite=True)
    with pytest.raises(PlaitError, match="not the corpus that the fit was started with"):
        pickle.loads(sent)


def test_a_damaged_chunk_is_an_error_of_the_fit(corpus):
    stored = corpus[1]
    chunk = stored.folder / stored.manifest.words[3].file.name
    content = bytearray(chunk.read_bytes())
    content[-3] ^= 1
    chunk.write_bytes(content)
    with pytest.raises(PlaitError, match=r"words-000003.safetensors is damaged: its digest"):
        clone(CASES["LDA"][0]).fit(stored)


def test_the_chain_does_not_hold_the_counts(corpus):
    """After a sweep on another process, the shards of this process have read nothing."""
    chain = make_chain(corpus[1].word_counts)
    with Processes() as processes:
        chain.start(processes)
        chain.sweep()
    twin = make_chain(corpus[0].counts)
    with Threads(1) as threads:
        twin.start(threads)
        twin.sweep()
    assert (chain._tables.words == twin._tables.words).all()


def test_proportions_of_documents_are_neither_kept_by_a_fit_nor_saved(corpus, tmp_path):
    model = clone(CASES["LDA"][0]).fit(corpus[1])
    assert "proportions" not in vars(model._doc_topics)
    again = load(save(model, tmp_path / "model.plait"))
    assert "proportions" not in vars(again._doc_topics)
    assert (again.doc_topic_ == model.doc_topic_).all()
    assert model.doc_topic_ is model.doc_topic_  # kept after the first use
    assert "proportions" not in vars(pickle.loads(pickle.dumps(model))._doc_topics)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1.0)
