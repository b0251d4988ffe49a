"""What predictions of labels and of values share: a value η · z̄ of each document, averaged over all chains."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import check_is_fitted

from plait.corpus import Corpus, CorpusError
from plait.errors import PlaitError
from plait.inputs.words import new_words
from plait.models.responding import RespondingEstimator

_NOTHING_KNOWN = "the document has no word that the model knows, so there is nothing to explain"


class WeighedPredictions(RespondingEstimator):
    """Values of documents by the weights of their topics."""

    def _tasks_of(self, group: int) -> slice:
        """Return the tasks that the chains of a group learn."""
        return slice(None)

    def _first_topic(self, task: int) -> int:
        """Return the number of the first topic that a task uses."""
        return 0

    def _values(
        self, counts: sparse.csr_array, kind: str, n_tasks: int, links: sparse.csr_array | None = None
    ) -> np.ndarray:
        """Return the value η · z̄ of every document and task of a kind, averaged over all samples of all chains."""
        place = self._place(kind)
        total = np.zeros((counts.shape[0], n_tasks))
        n_samples = np.zeros(n_tasks)
        for group, sample, mean_topics in self._folded(counts, links):
            tasks = self._tasks_of(group)
            # Not by BLAS, whose last bits depend on how many documents there are.
            total[:, tasks] += np.einsum("dk,lk->dl", mean_topics, sample.weights[place])
            n_samples[tasks] += 1
        # A fit that was stopped early may not have come to every task.
        return np.where(n_samples > 0, total / np.maximum(n_samples, 1), -np.inf)

    def _one_document(self, document: Any) -> sparse.csr_array:
        """Return a document, given as text, as a Corpus of one, or as a row of counts, in the model's columns."""
        check_is_fitted(self)
        if isinstance(document, str):
            if self.vocabulary_ is None:
                raise PlaitError("the model has no names of words; give the document as a row of counts, not as text")
            try:
                document = Corpus.from_texts([document])
            except CorpusError:  # there is no word in it at all
                raise PlaitError(_NOTHING_KNOWN) from None
        elif sparse.issparse(document) and document.ndim == 1:
            document = document.reshape(1, -1)
        elif not isinstance(document, Corpus) and np.ndim(document) == 1:
            document = np.asarray(document).reshape(1, -1)
        words = new_words(self, document, self._real, "explain")
        if words.counts.shape[0] != 1:
            raise PlaitError(f"explain takes one document, not {words.counts.shape[0]:,}; select one first")
        if words.counts.nnz == 0:
            raise PlaitError(_NOTHING_KNOWN)
        return words.counts
