"""How far off a model's numbers are, beside a ridge regression on TF-IDF: what `plait evaluate` says of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plait.cli.io.new_links import linked_line, links_of_rows, n_linked
from plait.cli.show.figures import Figure, figures_table
from plait.cli.show.targets import labelled_rows, values

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sparse

    from plait.cli.evaluate.training import Training
    from plait.corpus import Corpus

BASELINE = "TF-IDF + ridge"
_NAMES = {"r2": ("R²", "higher"), "mean_absolute_error": ("mean absolute error", "lower")}


@dataclass(frozen=True)
class ValueReport:
    """A model's numbers measured, the baseline's beside them where one could be trained.

    Where the model follows links, `n_linked` of the documents have some, and `linked` is what it tells with them.
    """

    documents: int
    without: int
    figures: list[Figure]
    linked: list[Figure]
    n_linked: int
    training: Training

    def show(self) -> None:
        """Print all of it."""
        have = "has" if self.without == 1 else "have"
        more = f" ({self.without:,} more {have} none)" if self.without else ""
        print(f"\nNumbers of {self.documents:,} documents{more}:")
        figures_table(self.figures + self.linked, BASELINE).show()
        if self.linked:
            print(linked_line(self.n_linked, self.documents))
        print(self.training.line(BASELINE))

    def plain(self) -> dict[str, Any]:
        """Return all of it for programs."""
        found: dict[str, Any] = {"documents": self.documents, "documents_without_number": self.without}
        found |= {figure.key: figure.model for figure in self.figures + self.linked}
        if self.linked:
            found["documents_with_links"] = self.n_linked
        found |= self.training.plain(BASELINE, {figure.key: figure.baseline for figure in self.figures})
        return {"values": found}


def measure_values(
    model: Any, corpus: Corpus, training: Training, links: sparse.csr_array | None = None
) -> ValueReport:
    """Measure the numbers of a model on a corpus in the columns of its vocabulary, some of which has numbers.

    Parameters
    ----------
    links
        Documents × documents of the model: along which links words may also be drawn, for models that can.
    """
    rows = labelled_rows(corpus)
    known, links = corpus.select(rows), links_of_rows(links, rows)
    true = values(known)
    beside = {} if training.corpus is None else _errors(true, _ridge(training.corpus, known))

    def figures(along: sparse.csr_array | None, end: str = "", said: str = "") -> list[Figure]:
        found = _errors(true, model.predict_values(known, links=along))
        return [
            Figure(key + end, _NAMES[key][0] + said, value, beside.get(key), _NAMES[key][1])
            for key, value in found.items()
        ]

    return ValueReport(
        documents=len(known),
        without=len(corpus) - len(known),
        figures=figures(None),
        linked=[] if links is None else figures(links, "_links", " with links"),
        n_linked=n_linked(links),
        training=training,
    )


def _errors(true: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    from sklearn.metrics import mean_absolute_error, r2_score

    found = {"mean_absolute_error": float(mean_absolute_error(true, predicted))}
    if len(true) > 1:  # one document has no variance to explain
        found = {"r2": float(r2_score(true, predicted))} | found
    return found


def _ridge(train: Corpus, test: Corpus) -> np.ndarray:
    """Predict the numbers of documents from their TF-IDF, learnt from others."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    regression = make_pipeline(TfidfTransformer(sublinear_tf=True), Ridge())
    predicted: np.ndarray = regression.fit(train.counts, values(train)).predict(test.counts)
    return predicted
