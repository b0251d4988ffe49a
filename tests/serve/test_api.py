"""Answers of the API are those of the model."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import plait

from .conftest import LOANS, RIVERS, open_client

TEXTS = [RIVERS, LOANS, "a fish in the bank", "zzz"]


@pytest.fixture(scope="module")
def model(model_file):
    return plait.load(model_file)


def post(client, path, **body):
    response = client.post(f"/api/{path}", json=body)
    assert response.status_code == 200, response.text
    return response.json()["results"]


def test_model_tells_what_it_can_do(client):
    found = client.get("/api/model").json()
    assert found["model"] == "TopicModel"
    assert found["n_topics"] == 3
    assert found["predicts_labels"]
    assert found["suggests_links"]
    assert found["follows_links"]
    assert not found["can_edit"]


def test_topics_are_those_of_the_model(client, model):
    found = client.get("/api/topics", params={"words": 4}).json()["topics"]
    assert [[one["word"] for one in topic["words"]] for topic in found] == [topic.words for topic in model.topics(4)]
    assert [topic["share"] for topic in found] == [topic.share for topic in model.topics()]
    one = client.get("/api/topics/1", params={"documents": 2}).json()
    assert [(doc["id"], doc["share"]) for doc in one["documents"]] == model.typical_documents(2)[1]


def test_documents_are_paged(client, model):
    whole = client.get("/api/documents", params={"limit": 100}).json()
    assert whole["n_documents"] == 12
    pages = [client.get("/api/documents", params={"limit": 5, "offset": at}).json()["documents"] for at in (0, 5, 10)]
    assert [one["id"] for page in pages for one in page] == [one["id"] for one in whole["documents"]]
    nature = client.get("/api/documents", params={"label": "nature"}).json()
    assert nature["n_documents"] == 6
    assert {one["labels"][0] for one in nature["documents"]} == {"nature"}
    by_topic = client.get("/api/documents", params={"topic": 2, "limit": 3}).json()["documents"]
    assert [one["row"] for one in by_topic] == np.argsort(-model.doc_topic_[:, 2], kind="stable")[:3].tolist()
    assert client.get("/api/documents", params={"id": "b/1"}).json()["documents"][0]["title"] == "Loan 1"


def test_document_has_links_influence_and_neighbours(client, model):
    row = client.get("/api/documents", params={"id": "r/1"}).json()["documents"][0]["row"]
    found = client.get(f"/api/documents/{row}").json()
    assert {one["id"] for one in found["links_in"]} == {"r/0", "r/2"}
    source = client.get("/api/documents/0").json()
    assert [one["id"] for one in source["links_out"]] == ["r/1"]
    assert [(one["id"], one["share"]) for one in source["influencers"]] == model.influencers("r/0")
    assert [one["id"] for one in source["similar"][:3]] == [one.id for one in model.similar_documents("r/0", 3)]
    assert [one["id"] for one in source["suggested"]] == [one.id for one in model.suggest_missing_links(["r/0"], 5)[0]]


def test_labels_have_documents_and_weights(client, model):
    found = client.get("/api/labels").json()["labels"]
    assert {one["label"]: one["n_documents"] for one in found} == {"nature": 6, "finance": 6}
    weights = {one["label"]: {w["topic"]: w["weight"] for w in one["weights"]} for one in found}
    second = str(model.classes_[1])
    assert weights[second] == pytest.approx(dict(enumerate(model.label_weights_[0])))


def test_search_finds_documents_and_words(client):
    found = client.get("/api/search", params={"q": "Loan 3"}).json()
    assert [one["id"] for one in found["matching"]] == ["b/3"]
    words = client.get("/api/search", params={"q": "fis"}).json()["words"]
    assert [one["word"] for one in words] == ["fish"]
    about = client.get("/api/search", params={"q": "money interest"}).json()["by_topics"]
    assert about[0]["labels"] == ["finance"]
    assert client.get("/api/search", params={"q": " "}).json()["matching"] == []


def test_transform_predict_and_similar_are_those_of_the_model(client, model):
    shares = [one["topics"] for one in post(client, "transform", texts=TEXTS)]
    found = post(client, "predict", texts=TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a text has no known word
        assert shares == model.transform(TEXTS).tolist()
        assert [tuple(one["labels"]) for one in found] == model.predict_labels(TEXTS)
        scores = model.decision_function(TEXTS).tolist()
    assert [one["scores"][str(model.classes_[1])] for one in found] == scores
    assert found[-1]["n_known_tokens"] == 0
    similar = post(client, "similar", texts=TEXTS[:1], top=4)[0]["documents"]
    assert [(one["id"], one["score"]) for one in similar] == [
        (one.id, one.score) for one in model.similar_documents(TEXTS[0], 4)
    ]
    by_id = post(client, "similar", ids=["r/3"], top=4)[0]["documents"]
    assert [one["id"] for one in by_id] == [one.id for one in model.similar_documents("r/3", 4)]


def test_explain_gives_the_reasons_of_the_model(client, model):
    found = post(client, "explain", texts=[RIVERS, "zzz"], label="finance", top=3)
    expected = model.explain(RIVERS, "finance", 3)
    assert found[0]["score"] == expected.score
    assert [one["contribution"] for one in found[0]["words"]] == [one.push for one in expected.words]
    assert found[1] == {"n_known_tokens": 0, "label": None, "score": None, "topics": [], "words": []}


def test_suggested_links_leave_out_given_ones(client, model):
    suggested = post(client, "suggest", texts=[RIVERS], top=3)[0]["suggestions"]
    expected = model.suggest_links([RIVERS], 4)[0]
    assert [(one["id"], one["score"]) for one in suggested] == [(one.id, one.score) for one in expected[:3]]
    given = [[reason["contribution"] for reason in one["reasons"]] for one in suggested]
    assert given == [[reason.push for reason in one.reasons] for one in expected[:3]]
    others = post(client, "suggest", texts=[RIVERS], links=[[expected[0].id]], top=3)[0]["suggestions"]
    assert [one["id"] for one in others] == [one.id for one in expected[1:4]]


def test_links_change_topics_as_in_the_model(client, model):
    links = np.zeros((1, 12))
    links[0, 0] = 1
    found = post(client, "transform", texts=["fish"], links=[["r/0"]])
    assert found[0]["topics"] == model.transform(["fish"], links=links)[0].tolist()


def test_answer_depends_neither_on_the_batch_nor_on_the_past(client):
    alone = post(client, "predict", texts=[TEXTS[2]])[0]
    assert post(client, "predict", texts=TEXTS)[2] == alone
    post(client, "transform", texts=TEXTS * 3)
    assert post(client, "predict", texts=[TEXTS[2]])[0] == alone


def test_a_model_that_cannot_answer_says_so(plain_file):
    client = open_client(plain_file)
    for path in ("predict", "explain", "suggest"):
        response = client.post(f"/api/{path}", json={"texts": ["river"]})
        assert response.status_code == 409
        assert "LDA" in response.json()["error"]
    response = client.post("/api/transform", json={"texts": ["river"], "links": [["0"]]})
    assert response.status_code == 409
    assert "leave links out" in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("transform", {"texts": []}, 422, "texts"),
        ("transform", {"texts": ["a"] * 101}, 413, "at most 100"),
        ("transform", {"texts": ["a"], "wrong": 1}, 422, "wrong"),
        ("transform", {"texts": [1]}, 422, "string"),
        ("transform", {"texts": ["a"], "links": []}, 422, "one list per text"),
        ("transform", {"texts": ["a"], "links": [["unknown"]]}, 404, "/api/documents"),
        ("explain", {"texts": ["a"], "label": "sport"}, 404, "/api/labels"),
        ("similar", {}, 422, "either texts or ids"),
        ("similar", {"ids": ["unknown"]}, 404, "unknown"),
        ("suggest", {"texts": ["a"], "top": 0}, 422, "top"),
    ],
)
def test_errors_say_what_to_do(client, path, body, status, says):
    response = client.post(f"/api/{path}", json=body)
    assert response.status_code == status
    assert response.json()["status"] == status
    assert says in response.json()["error"]


@pytest.mark.parametrize("path", ["topics/99", "documents/99", "nothing", "documents?label=sport", "documents?topic=9"])
def test_what_is_not_there_is_404(client, path):
    response = client.get(f"/api/{path}")
    assert response.status_code == 404
    assert response.json()["error"]
