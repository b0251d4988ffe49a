"""Reports of all models in the registry."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from plait.report import render_report, summarise
from plait.store import load, save
from tests.models.small import press_ctrl_c_in_sweep
from tests.models.test_estimators import ALL_MODELS, fitted, toy_counts
from tests.report.html_page import check_page

pytest.importorskip("jinja2")

SUBJECTS = {
    "labels": "predict_labels",
    "values": "predict_values",
    "links": "topic_links",
    "influence": "most_influential",
    "stream": "slices_",
}


@pytest.mark.parametrize("name", ALL_MODELS)
def test_a_model_of_a_matrix(name):
    model = fitted(name, toy_counts())
    summary = summarise(model)
    json.dumps(asdict(summary), allow_nan=False)  # plain data: no arrays, no objects, no NaN
    assert {subject: getattr(summary, subject) is not None for subject in SUBJECTS} == {
        subject: hasattr(model, answer) for subject, answer in SUBJECTS.items()
    }
    page = check_page(render_report(model, words=3, documents=2))
    assert {f"p1-topic{topic}" for topic in range(model.topic_word_.shape[0])} <= set(page.ids)
    assert {f"p1-{subject}" for subject, answer in SUBJECTS.items() if hasattr(model, answer)} <= set(page.ids)
    for topic, documents in zip(model.topics(top=3), model.typical_documents(top=2), strict=True):
        assert all(word in page.texts for word in topic.words)  # x0, x1 …
        assert all(name in page.texts for name, _ in documents)  # numbers of rows
    assert name in page.texts
    assert "was interrupted" not in page.text


@pytest.mark.parametrize("name", ALL_MODELS)
def test_the_same_model_gives_the_same_bytes(name, tmp_path):
    model = fitted(name, toy_counts())
    page = render_report(model)
    assert render_report(model) == page
    if type(model) is ALL_MODELS[name]:
        assert render_report(load(save(model, tmp_path / "m.plait"))) == page


@pytest.mark.parametrize("name", ALL_MODELS)
def test_an_interrupted_fit(name, monkeypatch):
    press_ctrl_c_in_sweep(2, monkeypatch)
    # Weights of pair features are learned before; nothing of such a fit can be shown yet.
    model = fitted(name, toy_counts(), **({"pair_features": []} if name == "RelationalTopicModel" else {}))
    assert model.interrupted_
    page = check_page(render_report(model))
    assert "The fit was interrupted" in page.text
