"""Links of new documents to training documents and among themselves, for models whose words follow links.

The matrices are what `transform`, `predict` and `perplexity` of such a model take as ``links``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus, Skipped
from plait.corpus.problems import BadValueError, Problems
from plait.corpus.readers.links import given_links, link_matrix
from plait.corpus.readers.records import LinkRecord
from plait.corpus.values import parse_id
from plait.errors import PlaitError
from plait.mixing.linked_documents import orient_links


class LinkUsage(NamedTuple):
    """How many links of a file were used.

    Parameters
    ----------
    n_links : int
        Links along which words of a document could be drawn.
    n_documents : int
        Documents with such a link.
    n_unused : int
        Other links in the file.
    """

    n_links: int
    n_documents: int
    n_unused: int


class NewLinks:
    r"""The links of new documents in a file, found by the ids of sources and targets.

    Parameters
    ----------
    path : Path
        File of links (source, target, weight).
    model : TopicEstimator
        A fitted model that follows links.
    encoding : str, default "utf-8"
        Encoding of the file.
    on_error : {"raise", "skip"}, default "raise"
        Whether an invalid link is an error, or is skipped and counted.

    Attributes
    ----------
    among_new : bool
        Whether new documents are linked to each other. They must then be given to the model in one batch.
    skipped : Skipped
        Tally of the skipped links.

    Examples
    --------
    >>> import tempfile
    >>> from plait import Corpus, LinkedLDA
    >>> corpus = Corpus.from_texts(["red pink", "blue sky"], ids="ab", links=[("a", "b")])
    >>> model = LinkedLDA(2, n_sweeps=2, n_samples=1, n_chains=1, random_state=0, verbose=False).fit(corpus)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "links.csv")
    ...     _ = path.write_text("source,target\nc,a\nd,b\n")
    ...     links = NewLinks(path, model)
    >>> links.for_documents(["c", "d"]).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> links.usage()
    LinkUsage(n_links=2, n_documents=2, n_unused=0)
    """

    def __init__(self, path: Path, model: Any, *, encoding: str = "utf-8", on_error: str = "raise") -> None:
        if model.doc_ids_ is None:
            raise PlaitError("the model was fitted to a matrix, so its documents have no ids; leave the links out")
        problems = Problems(on_error)
        self._row_of = {str(name): row for row, name in enumerate(model.doc_ids_)}
        self._n_training = len(self._row_of)
        reader = given_links(path, encoding)
        assert reader is not None
        entries = list(reader(self._row_of, problems))
        for entry in entries:
            _add_rows(entry, self._row_of)
        links = link_matrix(entries, self._row_of, (), problems)
        self._direction = link_direction(model)
        sources = orient_links(links, self._direction)
        self.among_new = bool(sources[self._n_training :, self._n_training :].nnz)
        # The additional last row, without links, is for documents that are not in the file.
        self._sources = sparse.csr_array(sparse.vstack([sources, sparse.csr_array((1, sources.shape[1]))]))
        self._ends = links.nonzero()
        self._requested = np.zeros(self._sources.shape[0], dtype=bool)
        self.skipped: Skipped = problems.skipped()

    def for_documents(self, ids: Any) -> sparse.csr_array:
        """Return the source documents of new documents.

        Parameters
        ----------
        ids : sequence of str
            Ids of the new documents, one row each.

        Returns
        -------
        csr_array
            Weights: new documents × training documents. If new documents are linked to each other, columns for the
            new documents follow.
        """
        rows = np.array([self._row_of.get(str(name), -1) for name in ids], dtype=np.int64)
        self._requested[rows] = True
        sources = sparse.csr_array(self._sources[rows])
        training = sources[:, : self._n_training]
        if not self.among_new:
            return training
        position_of = np.full(self._sources.shape[1], -1, dtype=np.int64)
        new = np.flatnonzero(rows >= self._n_training)  # training documents have columns already
        position_of[rows[new]] = new
        ends = sources.tocoo()
        here = position_of[ends.col] >= 0
        if not here.any():
            return training
        among = (ends.data[here], (ends.row[here], position_of[ends.col[here]]))
        return sparse.csr_array(sparse.hstack([training, sparse.coo_array(among, shape=(len(rows), len(rows)))]))

    def usage(self) -> LinkUsage:
        """Return how many links were used for the documents requested so far.

        Returns
        -------
        LinkUsage
            Numbers of links and documents.
        """
        sources, targets = self._ends
        present = self._requested[:-1].copy()
        present[: self._n_training] = True
        out = self._requested[sources] & present[targets] & (self._direction != "in")
        into = self._requested[targets] & present[sources] & (self._direction != "out")
        n_links = int(np.count_nonzero(out | into))
        n_documents = len(np.unique(np.concatenate([sources[out], targets[into]])))
        return LinkUsage(n_links, n_documents, sources.size - n_links)


def links_to_training_documents(model: Any, corpus: Corpus, documents: Corpus) -> sparse.csr_array | None:
    """Return the source documents of some documents among the training documents of a model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that follows links.
    corpus : Corpus
        A corpus with links.
    documents : Corpus
        Some of its documents.

    Returns
    -------
    csr_array or None
        Weights: documents × training documents. None if there is no such link.
    """
    if corpus.links is None or model.doc_ids_ is None:
        return None
    row_of = {str(name): row for row, name in enumerate(corpus.ids)}
    training = np.array([row_of.get(str(name), -1) for name in model.doc_ids_])
    present = np.flatnonzero(training >= 0)
    rows = [row_of[str(name)] for name in documents.ids]
    found = sparse.csr_array(orient_links(corpus.links, link_direction(model))[rows][:, training[present]])
    if not found.nnz:
        return None
    entries = found.tocoo()
    shape = (found.shape[0], training.size)
    return sparse.csr_array((entries.data, (entries.row, present[entries.col])), shape=shape)


def link_direction(model: Any) -> str:
    """Return the direction in which a model follows links: "out", "in" or "both".

    Parameters
    ----------
    model : TopicEstimator
        A model that follows links.

    Returns
    -------
    str
        The direction.
    """
    direction: str = model.direction if hasattr(model, "direction") else model.mixing.direction
    return direction


def _add_rows(entry: LinkRecord, row_of: dict[str, int]) -> None:
    """Add rows for the source and the target of a link; an invalid id is reported later, with its place."""
    for end in (entry.source, entry.target):
        try:
            row_of.setdefault(parse_id(end), len(row_of))
        except BadValueError:
            continue
