"""Saved models are restored exactly: same values, same results, and bit-identical resumed fits."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import plait
from plait import priors, samplers
from plait.models import LDA
from plait.store import container, load, save
from plait.store.registry import classes_by_name
from tests.store.small import QUICK, TEXTS, counts, fitted, same


@pytest.mark.parametrize("sampler", [*samplers.SAMPLERS, samplers.Sparse(2.0)], ids=str)
@pytest.mark.parametrize("corpus", [True, False])
def test_a_loaded_model_gives_bit_identical_results(tmp_path, sampler, corpus):
    X = plait.Corpus.from_texts(TEXTS) if corpus else counts()
    model = fitted(X, sampler=sampler)
    assert model.interrupted_ is False
    again = plait.load(plait.save(model, str(tmp_path / "model")))
    assert type(again) is LDA
    assert same(vars(model), vars(again))
    assert same(model.transform(X), again.transform(X))
    assert model.perplexity(X) == again.perplexity(X)
    assert model.topics(by="relevance") == again.topics(by="relevance")
    assert model.typical_documents() == again.typical_documents()


@pytest.mark.parametrize("sampler", samplers.SAMPLERS)
@pytest.mark.parametrize("every", [5, 4])  # the last checkpoint is before the first sample, or after some samples
@pytest.mark.parametrize("learn", [False, True])
def test_a_fit_resumed_from_a_file_is_bit_identical_to_an_uninterrupted_one(tmp_path, sampler, every, learn):
    sweeps = {"n_sweeps": 16, "tolerance": 0} if learn else {}
    options = {"sampler": sampler, "learn_alpha": learn, "learn_beta": learn, "n_shards": 2, **sweeps}
    path = tmp_path / "checkpoint.plait"
    whole = LDA(**(QUICK | options)).fit(counts(), checkpoint=path, checkpoint_every=every)
    stopped = load(path)
    assert stopped.interrupted_
    assert stopped.n_sweeps_ < whole.n_sweeps_
    done = stopped.resume(counts())
    for name, value in vars(whole).items():
        if name != "history_":
            assert same(value, vars(done)[name]), name
    assert [record[:4] for record in whole.history_] == [record[:4] for record in done.history_]
    seconds = [record.seconds for record in done.history_]
    assert seconds == sorted(seconds)
    assert same(whole.transform(counts()), done.transform(counts()))


def test_the_memory_layout_of_a_table_is_kept(tmp_path):
    table = np.asfortranarray(np.random.default_rng(0).uniform(0.01, 1, size=(3, 8)))
    path = tmp_path / "checkpoint"
    whole = LDA(**(QUICK | {"beta": table})).fit(counts(), checkpoint=path, checkpoint_every=4)
    stopped = load(path)
    assert stopped.beta.flags.f_contiguous
    assert same(whole.topic_word_, stopped.resume(counts()).topic_word_)


PARAMETERS = {
    "alpha": [0.5, np.float32(0.5), np.int64(2), [0.5, 1.0, 2.0], [1, 2.5, 3], (1.0, 2, 3), np.array([0.1, 0.2, 0.3])],
    "beta": [
        priors.SymmetricPrior(0.3),
        priors.TablePrior([0.1] * 8),
        priors.TablePrior(np.full((3, 8), 0.2, "f4")),
        [[0.1] * 8] * 3,
    ],
    "sampler": [kind() for kind in samplers.SAMPLERS.values()] + ["sparse(3)", np.str_("plain")],
    "n_shards": [None, np.int32(2)],
    "random_state": [0, None, 2**70, np.uint64(7)],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in PARAMETERS.items() for value in values], ids=repr
)
def test_parameters_are_restored_exactly(tmp_path, name, value):
    again = load(save(fitted(**{name: value}), tmp_path / "model"))
    expected = "plain" if isinstance(value, np.str_) else value
    assert same(getattr(again, name), expected)
    assert set(again.get_params(deep=False)) == set(LDA().get_params(deep=False))


@pytest.mark.parametrize(
    "generator", [np.random.default_rng(0), np.random.RandomState(0)], ids=["Generator", "RandomState"]
)
def test_only_the_seed_of_a_generator_is_saved(tmp_path, generator):
    model = fitted(random_state=generator)
    again = load(save(model, tmp_path / "model"))
    assert again.random_state is None
    assert model.random_state is generator
    assert again.seed_ == model.seed_
    assert same(again.transform(counts()), model.transform(counts()))


def test_every_sampler_and_prior_is_tested():
    found = set(classes_by_name().values())
    kinds = [getattr(module, name) for module in (samplers, priors) for name in module.__all__]
    wanted = {kind for kind in kinds if dataclasses.is_dataclass(kind) and kind is not samplers.Sampler}
    assert len(wanted) >= 7
    assert wanted <= found


words = st.lists(
    st.one_of(st.text(max_size=5), st.sampled_from(["", "\n", "\0", "é", "e\u0301", "\U0001f600", "ا", "\u2028"])),
    min_size=8,
    max_size=8,
)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    vocabulary=words,
    topics=st.integers(1, 18),
    documents=st.integers(1, 5),
    sampler=st.sampled_from(list(samplers.SAMPLERS)),
)
@example(vocabulary=[*"abcdefg", "0\0"], topics=1, documents=1, sampler="plain")
def test_any_shape_and_any_words(tmp_path, vocabulary, topics, documents, sampler):
    X = counts(documents)
    model = fitted(X, n_topics=topics, sampler=sampler, n_sweeps=2)
    model.vocabulary_ = np.array(vocabulary, dtype=object)
    # An array of fixed width cannot hold a NUL at the end of a word, only room for it.
    model.feature_names_in_ = np.array(np.array(vocabulary).tolist())
    again = load(save(model, tmp_path / "model"))
    assert same(vars(model), vars(again))
    assert model.topics(top=8) == again.topics(top=8)
    assert same(model.transform(X), again.transform(X))


numbers = arrays.arrays(
    arrays.scalar_dtypes().filter(lambda kind: kind.name in container.TYPE_CODES),
    arrays.array_shapes(min_dims=0, min_side=0),
)
plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), numbers, numbers.map(np.asfortranarray)
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=values)
def test_any_supported_fitted_attribute_is_restored(tmp_path, small, value):
    model = LDA()
    vars(model).update(vars(small), later_=value)
    again = load(save(model, tmp_path / "model")).later_
    little = json.dumps(value, default=lambda array: array.astype(array.dtype.newbyteorder("=")).tolist())
    assert json.dumps(again, default=np.ndarray.tolist) == little
    if isinstance(value, np.ndarray) and value.dtype.isnative:
        assert same(again, value)
        assert again.flags.f_contiguous == value.flags.f_contiguous
