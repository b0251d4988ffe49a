"""Models that are fitted on a GPU and in threads: `python -m tests.cuda.cases` fits them on a GPU."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from sklearn.base import clone

from plait import LDA, LabelResponse, LinkedLDA, MedLDA, RelationalTopicModel, SupervisedLDA, TablePrior, TopicModel

_RNG = np.random.default_rng(0)
_DENSE = _RNG.poisson(0.4, size=(23, 30)).astype(np.int32)
_DENSE[4] = 0  # an empty document
_DENSE[5:8] *= 12  # documents whose tokens are resampled in runs of sixteen, with an exact tilt, and of two to eight
_DENSE[8:11] *= 4
_DENSE[11] *= 7
_DENSE[13:, 0] += 60  # a word with many topics, and a document with few
_DENSE[12] = 0
_DENSE[12, 0] = 5
COUNTS = sparse.csr_array(_DENSE)
LABELS = _RNG.integers(0, 3, 23)
LINKS = sparse.csr_array((_RNG.random((23, 23)) < 0.1).astype(float))
FEATURES = np.random.default_rng(1).normal(size=(23, 3))
TABLE = _RNG.uniform(0.01, 1.0, (20, 30))
QUICK = {"n_shards": 3, "n_sweeps": 3, "n_samples": 2, "sample_every": 1, "tolerance": 0.0, "random_state": 5,
         "verbose": False, "sampler": "synchronous"}  # fmt: skip

CASES = {
    "20 topics": (LDA(20, **QUICK), {}),
    "100 topics": (LDA(100, **QUICK | {"n_sweeps": 1}), {}),
    "a table of beta": (LDA(20, beta=TablePrior(TABLE), **QUICK), {}),
    "learned priors": (LDA(20, learn_alpha=True, learn_beta=True, **QUICK | {"n_sweeps": 10}), {}),
    "labels, exact": (MedLDA(20, **QUICK, n_chains=1), {"y": LABELS}),
    "labels, cached": (MedLDA(20, **QUICK, cached=True, n_chains=1), {"y": LABELS}),
    "lists of topics": (LDA(300, **QUICK | {"n_sweeps": 2}), {}),
    "lists, labels, exact": (MedLDA(300, **QUICK | {"n_sweeps": 2}, n_chains=1), {"y": LABELS}),
    "lists, labels, cached": (MedLDA(300, **QUICK | {"n_sweeps": 2}, cached=True, n_chains=1), {"y": LABELS}),
    "values, features": (SupervisedLDA(20, **QUICK, n_chains=1, features=FEATURES), {"y": FEATURES[:, 1] + LABELS}),
    "labels, features": (
        TopicModel(20, **QUICK, n_chains=1, responses=[LabelResponse(c=1.0, features=FEATURES)]),
        {"y": LABELS},
    ),
    "linked documents": (LinkedLDA(20, **QUICK), {"links": LINKS}),
    "links": (RelationalTopicModel(20, **QUICK, n_chains=1, pair_features=None), {"links": LINKS}),
}


if __name__ == "__main__":
    for name, (model, given) in CASES.items():
        clone(model).set_params(executor="cuda").fit(COUNTS, **given)
        print(name, flush=True)
