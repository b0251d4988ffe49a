"""A small corpus with labels, numbers and links, with words and names to choose, and models fitted to it."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait import Corpus, LabelResponse, LinkedDocuments, LinkResponse, TopicModel, ValueResponse
from tests.models.linked import of_links
from tests.models.small import NAMES, WORDS

QUICK = {"n_chains": 1, "n_sweeps": 12, "n_samples": 2, "sample_every": 2, "random_state": 0, "verbose": False}
N_DOCUMENTS = 60


def braided(words=WORDS, ids=None, labels=NAMES):
    """Documents of three groups with links between them; the group is the label."""
    counts, links = of_links(N_DOCUMENTS)
    return Corpus.from_matrix(
        sparse.csr_array(counts),
        vocabulary=list(words),
        ids=[f"doc {row}" for row in range(N_DOCUMENTS)] if ids is None else ids,
        labels=[labels[row % 3] for row in range(N_DOCUMENTS)],
        links=links,
    )


def numbers():
    """A number per document, by its group; every tenth has none."""
    values = np.arange(N_DOCUMENTS) % 3 * 10.0
    values[::10] = np.nan
    return values


def everything(corpus, **changes):
    """A model that fills all sections of a report except those of a stream."""
    model = TopicModel(
        4,
        mixing=LinkedDocuments(),
        responses=[LabelResponse(), ValueResponse(), LinkResponse()],
        **(QUICK | changes),
    )
    return model.fit(corpus, values=numbers())
