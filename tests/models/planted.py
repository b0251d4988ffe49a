"""A corpus of planted topics with labels, values and links, and every kind of model with its inputs."""

from __future__ import annotations

import numpy as np

from plait import (
    LDA,
    LabelResponse,
    LinkedDocuments,
    LinkedLDA,
    LinkResponse,
    MedLDA,
    OnlineLDA,
    RelationalTopicModel,
    SupervisedLDA,
    TopicModel,
    ValueResponse,
)

N_TOPICS, WORDS_PER_TOPIC, N_DOCUMENTS = 5, 10, 120
QUICK = {"random_state": 0, "verbose": False, "n_sweeps": 30, "n_samples": 2, "fold_in_sweeps": 6}


def plant(seed=0, n_topics=N_TOPICS, n_documents=N_DOCUMENTS, length=50, alpha=0.15):
    """Return topics × words, and documents × words."""
    rng = np.random.default_rng(seed)
    topic_word = np.zeros((n_topics, n_topics * WORDS_PER_TOPIC))
    for topic, row in enumerate(topic_word):
        row[topic * WORDS_PER_TOPIC : (topic + 1) * WORDS_PER_TOPIC] = rng.dirichlet(np.full(WORDS_PER_TOPIC, 2.0))
    shares = rng.dirichlet(np.full(n_topics, alpha), size=n_documents)
    return topic_word, np.array([rng.multinomial(length, own @ topic_word) for own in shares]), shares


TOPIC_WORD, X, SHARES = plant()
MAIN = SHARES.argmax(axis=1)
LABELS = np.array(list("abcde"))[MAIN]
VALUES = SHARES @ np.arange(5.0)
LINKS = np.zeros((N_DOCUMENTS, N_DOCUMENTS), dtype=int)
for _source, _target in np.random.default_rng(1).integers(0, N_DOCUMENTS, size=(1500, 2)):
    if _source != _target and MAIN[_source] == MAIN[_target]:
        LINKS[_source, _target] = 1

# Models, and what they are fitted to besides words.
MODELS = {
    "LDA": (LDA(5, **QUICK), {}),
    "LDA, limit sampler": (LDA(5, sampler="limit", **QUICK), {}),
    "LDA, several shards": (LDA(5, n_shards=4, **QUICK), {}),
    "LDA, learned priors": (LDA(5, learn_alpha=True, learn_beta=True, **QUICK), {}),
    "LinkedLDA": (LinkedLDA(5, **QUICK), {"links": LINKS}),
    "MedLDA": (MedLDA(5, n_chains=2, **QUICK), {"y": LABELS}),
    "SupervisedLDA": (SupervisedLDA(5, n_chains=1, **QUICK), {"y": VALUES}),
    "RelationalTopicModel": (RelationalTopicModel(5, n_chains=1, pair_features=None, **QUICK), {"links": LINKS}),
    "TopicModel": (
        TopicModel(
            5,
            responses=[LabelResponse(), ValueResponse(), LinkResponse()],
            mixing=LinkedDocuments(),
            n_chains=1,
            **QUICK,
        ),
        {"y": LABELS, "values": VALUES, "links": LINKS},
    ),
    "OnlineLDA": (OnlineLDA(5, window=2, **QUICK), {}),
    "OnlineLDA with responses": (
        OnlineLDA(5, window=1, responses=[LabelResponse(), LinkResponse()], **QUICK),
        {"y": LABELS, "links": LINKS},
    ),
}


def fit(name, **changes):
    """Return a fitted copy of a model, and what it was fitted to besides words; a stream has learned three slices."""
    from sklearn.base import clone

    model, given = MODELS[name]
    model = clone(model).set_params(**changes)
    if not hasattr(model, "partial_fit"):
        return model.fit(X, **given), given
    for rows in (np.arange(N_DOCUMENTS)[::-1], np.arange(0, N_DOCUMENTS, 2), np.arange(N_DOCUMENTS)):
        own = {kind: value[rows][:, rows] if kind == "links" else value[rows] for kind, value in given.items()}
        model.partial_fit(X[rows], **own)
    return model, given


def cosines(one, two):
    """Return the cosine of every pair of rows."""
    return one @ two.T / np.linalg.norm(one, axis=1)[:, np.newaxis] / np.linalg.norm(two, axis=1)
