"""Files of earlier versions load, and interrupted fits resume from them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

import plait
from tests.models.small import stopped_after

CORPUS = plait.Corpus.from_texts(["river stream bank", "money loan bank"] * 9)


def lda():
    return plait.LDA(n_topics=2, n_sweeps=12, n_samples=2, sample_every=2, random_state=0, verbose=False)


def with_one_chain(model):
    """Store the attributes of a model as they were when models had a single chain."""
    state = vars(model)
    (state["_samples"],) = state.pop("_chain_samples")
    del state["_chain_groups"]
    if state["_unfinished"] is not None:
        chain, (run,) = state["_unfinished"]
        state["_unfinished"] = (chain, run)
    return model


def test_a_model_of_one_chain_loads(tmp_path):
    expected = lda().fit(CORPUS).transform(CORPUS)
    loaded = plait.load(plait.save(with_one_chain(lda().fit(CORPUS)), tmp_path / "old.plait"))
    np.testing.assert_array_equal(loaded.transform(CORPUS), expected)


@pytest.mark.parametrize("stop_at", [3, 12])
def test_an_unfinished_model_of_one_chain_resumes(tmp_path, stop_at):
    expected = lda().fit(CORPUS).topic_word_
    unfinished = with_one_chain(stopped_after(stop_at, lda().fit, CORPUS))
    del unfinished._began_with  # which these files do not have either
    loaded = plait.load(plait.save(unfinished, tmp_path / "old.plait"))
    np.testing.assert_array_equal(loaded.resume(CORPUS).topic_word_, expected)


def test_calibration_curves_are_shared_if_a_file_has_none_for_links(tmp_path):
    links, labels = sparse.csr_array(np.eye(40, k=2)), ["nature", "finance"] * 20
    corpus = plait.Corpus.from_texts(["river stream bank", "money loan bank"] * 20, labels=labels, links=links)
    responses = [plait.LabelResponse(calibrate=0.4)]
    settings = {"n_chains": 1, "n_sweeps": 6, "random_state": 0, "verbose": False}
    model = plait.TopicModel(2, mixing=plait.LinkedDocuments(), responses=responses, **settings).fit(corpus)
    slopes, offsets = model._sigmoids
    del model._linked_sigmoids
    loaded = plait.load(plait.save(model, tmp_path / "old.plait"))
    values = loaded.decision_function(corpus, links=links)
    found = loaded.predict_proba(corpus, links=links)[:, 1]
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-slopes[0] * values - offsets[0])))
