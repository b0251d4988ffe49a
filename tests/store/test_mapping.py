"""Models whose arrays are mapped into memory."""

from __future__ import annotations

import numpy as np
import pytest

import plait
from plait.errors import PlaitError

TEXTS = ["river stream bank", "money loan bank"] * 5


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    corpus = plait.Corpus.from_texts(TEXTS, labels=[["a"], ["b"]] * 5)
    model = plait.MedLDA(3, n_sweeps=5, n_samples=2, random_state=0, verbose=False).fit(corpus)
    return plait.save(model, tmp_path_factory.mktemp("mapped") / "model.plait")


def test_answers_are_the_same(path):
    read, mapped = plait.load(path), plait.load(path, memory_map=True)
    assert (mapped.decision_function(TEXTS) == read.decision_function(TEXTS)).all()
    assert (mapped.transform(TEXTS) == read.transform(TEXTS)).all()
    assert mapped.topics() == read.topics()
    assert mapped.get_params() == read.get_params()


def test_arrays_are_those_of_the_file_until_they_are_changed(path):
    before = path.read_bytes()
    mapped = plait.load(path, memory_map=True)
    array = mapped._chain_samples[0][0].word_topic.data
    while isinstance(array.base, np.ndarray):
        array = array.base
    assert type(array.base).__name__ in ("memoryview", "mmap")
    mapped._chain_samples[0][0].word_topic.data[:] = 7
    assert path.read_bytes() == before
    assert not (plait.load(path, memory_map=True)._chain_samples[0][0].word_topic.data == 7).all()


def test_a_mapped_model_can_be_saved_over_its_own_file(path, tmp_path):
    own = tmp_path / "own.plait"
    own.write_bytes(path.read_bytes())
    mapped = plait.load(own, memory_map=True)
    shares = mapped.transform(TEXTS)
    plait.save(mapped.name_topics({0: "first"}), own)
    assert (mapped.transform(TEXTS) == shares).all()
    again = plait.load(own, memory_map=True)
    assert again.topic_names_[0] == "first"
    assert (again.transform(TEXTS) == shares).all()


def test_damage_is_found(path, tmp_path):
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    (tmp_path / "damaged.plait").write_bytes(data)
    with pytest.raises(PlaitError, match="digest"):
        plait.load(tmp_path / "damaged.plait", memory_map=True)
    (tmp_path / "short.plait").write_bytes(data[:-100])
    with pytest.raises(PlaitError, match="truncated"):
        plait.load(tmp_path / "short.plait", memory_map=True)
