"""What models with labels or values share: several chains, and values of new documents averaged over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import check_is_fitted

from plait.chain import Sample
from plait.corpus import Corpus, CorpusError
from plait.errors import PlaitError
from plait.executors import Threads
from plait.fold_in import FoldIn
from plait.models.base import ChainPlan, TopicEstimator
from plait.models.inputs import new_words
from plait.samplers import as_sampler
from plait.validation import check_whole

_SPREAD = 4.0  # α summed over topics, where alpha is None; chosen on 20 Newsgroups' training documents
_NOTHING_KNOWN = "the document has no word that the model knows, so there is nothing to explain"


def check_above_zero(what: str, value: Any) -> None:
    """Refuse what is no finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
        raise PlaitError(f"{what} must be a number above 0, not {value!r}")


class SupervisedEstimator(TopicEstimator):
    """A topic model whose topics also explain targets; `MedLDA` documents the parameters that all share."""

    nu: float
    cached: bool | None
    n_chains: int

    @property
    def _alpha(self) -> Any:
        return _SPREAD / self.n_topics if self.alpha is None else self.alpha

    @property
    def _exact(self) -> bool:
        """Whether responses follow every word: samplers that spread words over topics cannot."""
        return not (self._real if self.cached is None else self.cached)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("n_chains", self.n_chains, least=1)
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu)
        if self.cached not in (None, True, False):
            raise PlaitError(f"cached must be None, True or False, not {self.cached!r}")
        if self._exact and self._real:
            raise PlaitError(
                f"sampler='{as_sampler(self.sampler).name}' spreads words over topics, so what labels say cannot "
                "follow every word: leave cached out, or use sampler='plain' or 'aggregated'"
            )

    def _plans(self, given: Any) -> list[ChainPlan]:
        return [ChainPlan(number, 0) for number in range(self.n_chains)]

    def _tasks_of(self, group: int) -> slice:
        """Return the tasks that the chains of a group learn."""
        return slice(None)

    def _first_topic(self, task: int) -> int:
        """Return the number of the first topic that a task uses."""
        return 0

    def _values(self, counts: sparse.csr_array, n_tasks: int) -> np.ndarray:
        """Return the value η · z̄ of every document and task, averaged over all samples of all chains."""
        total = np.zeros((counts.shape[0], n_tasks))
        n_samples = np.zeros(n_tasks)
        for group, sample, mean_topics in self._folded(counts):
            tasks = self._tasks_of(group)
            # Not by BLAS, whose last bits depend on how many documents there are.
            total[:, tasks] += np.einsum("dk,lk->dl", mean_topics, sample.weights[0])
            n_samples[tasks] += 1
        # A fit that was stopped early may not have come to every task.
        return np.where(n_samples > 0, total / np.maximum(n_samples, 1), -np.inf)

    def _folded(self, counts: sparse.csr_array) -> Iterator[tuple[int, Sample, np.ndarray]]:
        """Yield for every sample the group of its chain, itself, and z̄ of every document.

        A document without known words has the topics that the prior expects. Tables are made for the documents'
        own words only and for one sample at a time: a model may have many samples.
        """
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        vocabulary = np.unique(counts.indices)
        with Threads(self.n_jobs) as executor:
            for group, samples in zip(self._chain_groups, self._chain_samples, strict=True):
                for sample in samples:
                    fold_in = FoldIn([sample], self._real, self.seed_, vocabulary)
                    (shares,) = fold_in.proportions(counts, self.fold_in_sweeps, executor)
                    counted = shares * (lengths + sample.alpha.sum()) - sample.alpha
                    yield group, sample, np.where(lengths > 0, counted / np.where(lengths > 0, lengths, 1.0), shares)

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
