"""Forged model files with right digests are refused before compiled code sees their numbers."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import scipy.sparse as sparse

import plait
from plait.errors import PlaitError
from plait.models.parameters.checks import check_parameters
from plait.store import load, save
from tests.models.small import stopped_after
from tests.store.files.make import FOLDER, documents, values
from tests.store.forging import forge, put, read, write

FAR = 200_000_000


@pytest.fixture
def copied(tmp_path):
    """Return a copy of a file of tests/store/files."""
    return lambda name: shutil.copy(FOLDER / f"{name}.plait", tmp_path / f"{name}.plait")


def reshaped(name, shape):
    def change(manifest, tensors):
        tensors[name] = np.resize(tensors[name], shape)

    return change


def cast(name, kind):
    def change(manifest, tensors):
        tensors[name] = tensors[name].astype(kind)

    return change


def swapped(one, other):
    def change(manifest, tensors):
        tensors[one], tensors[other] = tensors[other], tensors[one]

    return change


def fitted(name, value):
    return lambda manifest, tensors: manifest["fitted"].update({name: value})


def parameter(name, value):
    return lambda manifest, tensors: manifest["parameters"].update({name: value})


def csr_shape(name, shape):
    def change(manifest, tensors):
        manifest["fitted"][name]["csr"]["shape"] = shape

    return change


FIRST = "_chain_samples[0][0]"
FORGED = {
    # indices of sparse arrays
    "a topic out of range": ("lda", put("word_topic.indices", 0, 100)),
    "a negative topic": ("lda", put("word_topic.indices", 0, -1)),
    "a topic far out of range": ("lda", put("word_topic.indices", -1, FAR)),
    "a row that ends before it begins": ("lda", put("word_topic.indptr", 3, FAR)),
    "rows that do not begin at 0": ("lda", put("word_topic.indptr", 0, 2)),
    "rows that end too late": ("lda", put("word_topic.indptr", -1, 10_000)),
    "a real column": ("lda", cast(f"{FIRST}.word_topic.indices", np.float64)),
    "swapped arrays": ("lda", swapped(f"{FIRST}.word_topic.indices", f"{FIRST}.word_topic.indptr")),
    "a linked document out of range": ("relational", put("links_.indices", 0, 24)),
    "a negative linked document": ("relational", put("links_.indices", 0, -1)),
    "links of more documents": ("relational", csr_shape("links_", [10**12, 10**12])),
    "links between more columns": ("relational", csr_shape("links_", [24, 10**12])),
    "a source document out of range": ("linked", put("influence_.indices", 2, FAR)),
    "a drawn topic out of range": ("linked", put("drawn_topics.indices", 2, 3)),
    "a document's topic out of range": ("relational", put("doc_topic.indices", 2, 3)),
    # sizes
    "more topics": ("lda", parameter("n_topics", 5)),
    "a billion topics": ("lda", parameter("n_topics", 10**9)),
    "no topics": ("lda", parameter("n_topics", 0)),
    "a topic less in alpha": ("lda", reshaped(f"{FIRST}.alpha", (2,))),
    "fewer words": ("lda", reshaped("topic_word_", (3, 20))),
    "fewer documents": ("relational", reshaped("doc_topic_", (20, 3))),
    "more columns": ("lda", fitted("n_features_in_", 10**9)),
    "fewer ids": ("lda", lambda manifest, tensors: manifest["fitted"]["doc_ids_"]["text"].update(shape=[4, 6])),
    "texts beyond their end": ("lda", put("vocabulary_.offsets", -1, 10**9)),
    "texts that go back": ("lda", put("vocabulary_.offsets", 2, 1)),
    "fewer known words": ("online", reshaped("_known_words.last_seen", (5,))),
    "a past slice with more words": ("online", reshaped("_past[1]", (3, 4000))),
    "a past slice of other topics": ("online", reshaped("_past[1]", (2, 20))),
    "fewer topics of a slice": ("online", lambda manifest, tensors: _set_shapes(manifest, "drift", [[2], [3], [4]])),
    "weights of fewer labels": ("medlda", reshaped(f"{FIRST}.weights[0]", (2, 3))),
    "carried weights of other topics": ("online", reshaped("_carried['labels'].weights", (3, 2))),
    "curves of other labels": ("medlda", reshaped("_sigmoids[0]", (2,))),
    # numbers
    "a negative count": ("lda", put("word_topic.data", 0, -5)),
    "a count that is not finite": ("linked", put("word_topic.data", 0, np.nan)),
    "alpha of 0": ("lda", put(f"{FIRST}.alpha", 0, 0.0)),
    "an infinite beta": ("lda", put(f"{FIRST}.beta", (0, 0), np.inf)),
    "weights that are not finite": ("medlda", put(f"{FIRST}.weights[0]", (0, 0), np.nan)),
    "an infinite share": ("lda", put("doc_topic_", (0, 0), np.inf)),
    # kept states
    "a topic of a token": ("checkpoint_lda", put("['topics']", 7, 3)),
    "the largest topic": ("checkpoint_lda", put("['topics']", 0, 255)),
    "a topic of a token, with labels": ("checkpoint_medlda", put("['topics']", 0, 4)),
    "real topics": ("checkpoint_lda", cast("_unfinished[0]['topics']", np.float32)),
    "alpha of other topics": ("checkpoint_lda", reshaped("_unfinished[0]['alpha']", (4,))),
    "a pair with an unknown document": ("checkpoint_relational", put("response 0 targets']", 0, 24)),
    "a pair with a negative document": ("checkpoint_relational", put("response 0 sources']", 0, -1)),
    "kept weights of other topics": ("checkpoint_relational", reshaped("_unfinished[0]['response 0 weights']", (4, 4))),
    "a kept weight that is not finite": ("checkpoint_medlda", put("response 0 weights']", (0, 0), np.inf)),
    "fewer counts of words": ("checkpoint_linked_sparse", reshaped("_unfinished[0]['word_shares']", (20, 16))),
    "an infinite count": ("checkpoint_linked_sparse", put("['doc_shares']", 0, np.inf)),
    "totals of other topics": ("checkpoint_linked_sparse", reshaped("_unfinished[0]['totals']", (32,))),
    "a negative number of sweeps": ("checkpoint_lda", put("['n_sweeps']", (), -3)),
    "a run of other documents": ("checkpoint_medlda", reshaped("_unfinished[1][0].doc_topic_sum", (20, 3))),
    # types
    "text as topics": ("lda", fitted("topic_word_", "text")),
    "a list as samples": ("lda", fitted("_chain_samples", [[1, 2]])),
    "no samples": ("lda", fitted("_chain_samples", [[]])),
    "more chains than groups": ("lda", fitted("_chain_groups", [0, 0, 0])),
    "a gap between groups": ("lda", fitted("_chain_groups", [1])),
    "a parameter of another type": ("lda", parameter("n_sweeps", "many")),
    "a sampler that does not exist": ("lda", parameter("sampler", "fast")),
    "a class attribute": ("lda", fitted("_own_names", {"dict": {}})),
    "terabytes for chains": ("medlda", parameter("n_chains", 10**13)),
    "terabytes for shards": ("lda", parameter("n_shards", 10**13)),
    "terabytes for weights": ("online", parameter("window", 10**13)),
    "sweeps without end": ("lda", parameter("fold_in_sweeps", 10**15)),
    "an unknown kind of labels": ("medlda", fitted("_kind", "ternary")),
    "a missing attribute": ("medlda", lambda manifest, tensors: manifest["fitted"].pop("classes_")),
    "a mixing instead of a response": (
        "combined",
        parameter("responses", [{"part": {"class": "mixing.OwnDocument", "fields": {"alpha": 0.1}}}]),
    ),
}


def _set_shapes(manifest, column, shapes):
    manifest["fitted"]["slices_"]["rows"]["columns"][column]["shapes"] = shapes


@pytest.mark.parametrize("case", FORGED)
def test_forged_content_is_refused(copied, case):
    name, change = FORGED[case]
    path = forge(copied(name), change)
    with pytest.raises(PlaitError, match=r"\.plait (is damaged: |sets )") as caught:
        load(path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600 + len(str(path))


MANIFESTS = {
    "format -1": lambda manifest: manifest.update(format=-1),
    "format 0": lambda manifest: manifest.update(format=0),
    "format 1.5": lambda manifest: manifest.update(format=1.5),
    "format true": lambda manifest: manifest.update(format=True),
    "format text": lambda manifest: manifest.update(format="1"),
    "no format": lambda manifest: manifest.pop("format"),
    "no model": lambda manifest: manifest.pop("model"),
    "a model that is a list": lambda manifest: manifest.update(model=["LDA"]),
    "no parameters": lambda manifest: manifest.pop("parameters"),
    "fitted that is a list": lambda manifest: manifest.update(fitted=[]),
    "a field more": lambda manifest: _sample(manifest).update(more=1),
    "a field less": lambda manifest: _sample(manifest).pop("alpha"),
    "two kinds": lambda manifest: _sample(manifest)["alpha"].update(csr={}),
    "a shape that is not one": lambda manifest: _sample(manifest)["word_topic"]["csr"].update(shape="ab"),
    "a negative shape": lambda manifest: _sample(manifest)["word_topic"]["csr"].update(shape=[-1, 3]),
    "a digest less": lambda manifest: manifest["tensors"]["topic_word_"].pop("digest"),
}


def _sample(manifest):
    return manifest["fitted"]["_chain_samples"][0][0]["part"]["fields"]


@pytest.mark.parametrize("case", MANIFESTS)
def test_a_forged_manifest_is_refused(copied, case):
    path = copied("lda")
    manifest, tensors = read(path)
    MANIFESTS[case](manifest)
    write(path, manifest, tensors, describe=False)
    with pytest.raises(PlaitError, match=r"\.plait is damaged: "):
        load(path)


@pytest.mark.parametrize(
    "text", ["[]", "1", "null", '"text"', "{", "[" * 100_000, '{"a":' * 100_000, "1" * 5_000], ids=lambda text: text[:9]
)
def test_a_manifest_that_is_not_an_object_is_refused(copied, text):
    path = copied("lda")
    write(path, text, read(path)[1], describe=False)
    with pytest.raises(PlaitError, match=r"\.plait is damaged: "):
        load(path)


def test_a_deeply_nested_value_is_refused(copied):
    path = copied("lda")
    manifest, tensors = read(path)
    manifest["fitted"]["a_"] = "HERE"
    text = json.dumps(manifest).replace('"HERE"', "[" * 700 + "]" * 700)
    write(path, text, tensors, describe=False)
    with pytest.raises(PlaitError, match="is damaged: "):
        load(path)


def test_text_from_a_file_is_escaped_and_shortened_in_messages(copied):
    escape = "\x1b[31m\x07" + "x" * 5_000
    changes = [
        lambda manifest, tensors: manifest.update(model=escape, plait=escape),
        lambda manifest, tensors: manifest.update(format=99, plait=escape),
        fitted("a_", {"part": {"class": escape, "fields": {}}}),
        fitted("a_", {escape: 1}),
        fitted("a_", {"array": {"tensor": escape, "order": "C"}}),
        fitted("__" + escape, 1),
        parameter(escape, 1),
        parameter("sampler", escape),
        parameter("n_sweeps", escape),
        lambda manifest, tensors: _sample(manifest).update({escape: 1}),
    ]
    for change in changes:
        path = forge(copied("lda"), change)
        with pytest.raises(PlaitError) as caught:
            load(path)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 600 + len(str(path))


def test_a_short_manifest_cannot_refer_to_a_large_tensor_many_times(copied):
    def change(manifest, tensors):
        tensors["large"] = np.zeros((1000, 1000))
        for number in range(50):
            tensors[f"offsets {number}"] = np.array([0, number, 8_000_000])
            tensors["text"] = np.full(8_000_000, 65, dtype=np.uint8)
            content = {"utf8": "text", "offsets": f"offsets {number}", "shape": [2], "objects": True}
            manifest["fitted"][f"a{number}_"] = {"text": content}

    path = forge(copied("lda"), change)
    with pytest.raises(PlaitError, match="refers to the same tensors too often"):
        load(path)


def test_tensors_are_shared_by_values_of_one_use_only(copied):
    def change(manifest, tensors):
        csr = manifest["fitted"]["links_"]["csr"]
        manifest["fitted"]["a_"] = {"array": {"tensor": csr["indices"], "order": "C"}}
        manifest["fitted"]["b_"] = {"array": {"tensor": csr["data"], "order": "C"}}

    model = load(forge(copied("relational"), change))
    assert np.array_equal(model.a_, model.links_.indices)
    assert not np.shares_memory(model.a_, model.links_.indices)
    assert np.shares_memory(model.b_, model.links_.data)


def test_a_state_that_does_not_fit_the_corpus_is_refused_when_a_fit_is_resumed(copied):
    model = load(copied("checkpoint_relational"))
    state, _ = model._unfinished
    for name, value in (
        ("topics", state["topics"][:-1]),
        ("response 0 pull", state["response 0 pull"][:-1]),
        ("response 0 precision", state["response 0 precision"][:-1]),
        ("response 0 sources", state["response 0 sources"][:-1]),
        ("response 0 targets", np.full_like(state["response 0 targets"], 24)),
        ("response 0 weights", np.zeros((4, 3))),
        ("topics", np.full_like(state["topics"], 3)),
        ("alpha", state["alpha"][:-1]),
        ("response 0 pull", None),
        ("topics", None),
    ):
        changed = load(copied("checkpoint_relational"))
        changed._unfinished[0][name] = value
        if value is None:
            del changed._unfinished[0][name]
        with pytest.raises(PlaitError, match=r"the checkpoint (is damaged|belongs to another corpus)"):
            changed.resume(documents())


def test_a_token_that_draws_from_an_unknown_candidate_is_refused(tmp_path):
    path = tmp_path / "checkpoint.plait"
    settings = {"n_topics": 2, "n_sweeps": 4, "n_samples": 2, "random_state": 0, "verbose": False}
    save(stopped_after(3, plait.LinkedLDA(**settings).fit, documents()), path)
    assert load(path).resume(documents()).interrupted_ is False
    model = load(forge(path, put("['sources']", 11, 3)))  # a document has two links, so candidates are 0, 1 and 2
    with pytest.raises(PlaitError, match="does not link to"):
        model.resume(documents())
    forge(path, put("['sources']", 11, 255))
    with pytest.raises(PlaitError, match="does not link to"):
        load(path).resume(documents())


def test_parameters_that_load_would_reject_are_not_saved(tmp_path):
    model = plait.LDA(2, n_sweeps=2, n_samples=1, random_state=0, verbose=False).fit(documents())
    model.set_params(n_topics=3)
    with pytest.raises(PlaitError, match="n_topics is 3, but the model has 2 topics"):
        save(model, tmp_path / "model.plait")
    assert not list(tmp_path.iterdir())
    assert load(save(model.set_params(n_topics=2), tmp_path / "model.plait")).n_topics == 2


@pytest.mark.parametrize("name", ["n_shards", "n_chains", "window", "fold_in_sweeps", "n_sweeps", "n_samples"])
def test_sizes_of_parameters_have_a_limit(name):
    with pytest.raises(PlaitError, match=f"{name} must be at most 1"):
        check_parameters({name: 10**13})


def test_every_kind_of_model_still_loads(tmp_path):
    links = sparse.csr_array(np.eye(24, k=1))
    settings = {"n_topics": 2, "n_sweeps": 3, "n_samples": 1, "random_state": 0, "verbose": False}
    responses = [plait.LabelResponse(), plait.ValueResponse(), plait.LinkResponse()]
    model = plait.TopicModel(**settings, n_chains=2, mixing=plait.LinkedDocuments(), responses=responses)
    model.fit(documents(), links=links, values=values())
    again = load(save(model, tmp_path / "model.plait"))
    assert np.array_equal(again.topic_word_, model.topic_word_)
    assert again.n_links_ == model.n_links_ == 23
