"""How often a model's labels are right, beside a linear SVM on TF-IDF: what `plait evaluate` says of labels."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.cli.evaluate.training import Training
from plait.cli.io.new_links import linked_line, links_of_rows, n_linked
from plait.cli.show.figures import Figure, figures_table, shown
from plait.cli.show.screen import Table, listed
from plait.cli.show.targets import labelled_rows, predicted_labels
from plait.errors import PlaitError

if TYPE_CHECKING:
    import scipy.sparse as sparse

    from plait.corpus import Corpus
    from plait.metrics.classification import LabelScores

BASELINE = "TF-IDF + LinearSVC"
LABELS_SHOWN = 40
PAIRS_SHOWN = 10
_MEASURES = (("accuracy", "accuracy"), ("micro_f1", "micro F1"), ("macro_f1", "macro F1"))
_TOLD_FROM = "words and links"


@dataclass(frozen=True)
class LabelReport:
    """A model's labels measured, the baseline's beside them where one could be trained.

    Where the model follows links, `n_linked` of the documents have some, and `linked` is what it tells with them.
    """

    multilabel: bool
    unlabelled: int
    model: LabelScores
    baseline: LabelScores | None
    training: Training
    linked: LabelScores | None = None
    n_linked: int = 0

    @property
    def best(self) -> LabelScores:
        """What the model tells from all that is known of the documents."""
        return self.model if self.linked is None else self.linked

    def show(self) -> None:
        """Print all of it."""
        print(f"\nLabels of {self.model.n_documents:,} documents{self._left_out()}:")
        figures_table(self._figures(), BASELINE).show()
        if self.linked is not None:
            print(linked_line(self.n_linked, self.model.n_documents))
        print(self.training.line(BASELINE))
        for line in self._strange_labels():
            print(line)
        self._show_each_label()
        self._show_pairs()

    def plain(self) -> dict[str, Any]:
        """Return all of it for programs."""
        found = {"documents_without_label": self.unlabelled, **_plain_scores(self.best)}
        found |= {figure.key: figure.model for figure in self._figures()}
        if self.linked is not None:
            found |= {"documents_with_links": self.n_linked, "per_label_told_from": _TOLD_FROM}
            if "confusion" in found:
                found["confusion"]["told_from"] = _TOLD_FROM
        found |= self.training.plain(BASELINE, {} if self.baseline is None else _plain_scores(self.baseline))
        return {"labels": found}

    def write_confusion(self, path: Path) -> None:
        """Write the whole confusion matrix as CSV."""
        if self.best.confusion is None:
            raise PlaitError("documents with several labels have no confusion matrix; leave --confusion out")
        labels, matrix = self.best.confusion.labels, self.best.confusion.matrix
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["true label", *labels])
            for label, row in zip(labels, matrix.tolist(), strict=True):
                writer.writerow([label, *row])

    def _figures(self) -> list[Figure]:
        whole = " (all labels of a document)" if self.multilabel else ""
        told = [("", "", self.model), *([] if self.linked is None else [("_links", " with links", self.linked)])]
        return [
            Figure(
                key + end,
                name + said + (whole if key == "accuracy" else ""),
                getattr(scores, key),
                None if self.baseline is None else getattr(self.baseline, key),
                "higher",
            )
            for end, said, scores in told
            for key, name in _MEASURES
        ]

    def _told(self) -> str:
        return "" if self.linked is None else f", told from {_TOLD_FROM}"

    def _left_out(self) -> str:
        have = "has" if self.unlabelled == 1 else "have"
        return f" ({self.unlabelled:,} more {have} no label)" if self.unlabelled else ""

    def _strange_labels(self) -> list[str]:
        lines = []
        if self.model.unseen:
            named = [f"{label} ({count:,})" for label, count in self.model.unseen.items()]
            lines.append(f"Labels that the model was not trained on, so it misses them: {listed(named)}")
        if self.model.absent:
            lines.append(f"Labels of the model that no document here has: {listed(map(str, self.model.absent))}")
        return lines

    def _show_each_label(self) -> None:
        rows = sorted(self.best.per_label, key=lambda row: -row.n_true)
        beside = {} if self.baseline is None else {row.label: shown(row.f1) for row in self.baseline.per_label}
        numbers = ["documents", "precision", "recall", "F1", *(["SVM F1"] if beside else [])]
        table = Table(["label", *numbers], right=set(numbers))
        for row in rows[:LABELS_SHOWN]:
            # A label that only the model thinks of has no row of the baseline.
            theirs = [beside.get(row.label, "")] if beside else []
            table.add(str(row.label), f"{row.n_true:,}", *map(shown, (row.precision, row.recall, row.f1)), *theirs)
        print(f"\nEach label{self._told()}:")
        table.show()
        if len(rows) > LABELS_SHOWN:
            print(f"and {len(rows) - LABELS_SHOWN:,} rarer labels; --format json has them all")

    def _show_pairs(self) -> None:
        pairs = confused_pairs(self.best)
        if not pairs:
            return
        table = Table(["true label", "predicted", "documents"], right={"documents"})
        for true, predicted, count in pairs[:PAIRS_SHOWN]:
            table.add(str(true), str(predicted), f"{count:,}")
        print(f"\nMost often confused{self._told()}:")
        table.show()


def confused_pairs(scores: LabelScores) -> list[tuple[Any, Any, int]]:
    """Return (true label, predicted label, documents) of wrong predictions, the most frequent first."""
    import numpy as np

    if scores.confusion is None:
        return []
    labels = scores.confusion.labels
    wrong = scores.confusion.matrix.copy()
    np.fill_diagonal(wrong, 0)
    places = np.argwhere(wrong)
    counts = wrong[places[:, 0], places[:, 1]]
    order = np.argsort(-counts, kind="stable")
    return [(labels[true], labels[predicted], int(wrong[true, predicted])) for true, predicted in places[order]]


def measure_labels(
    model: Any, corpus: Corpus, training: Training, links: sparse.csr_array | None = None
) -> LabelReport:
    """Measure the labels of a model on a corpus in the columns of its vocabulary, some of which has labels.

    Parameters
    ----------
    links
        Documents × documents of the model: along which links words may also be drawn, for models that can.
    """
    from plait.metrics.classification import score_labels

    rows = labelled_rows(corpus)
    labelled, links = corpus.select(rows), links_of_rows(links, rows)
    train = training.corpus
    # A model of one label a document may meet documents with several: it cannot get those wholly right.
    multilabel = model.multilabel_ or labelled.is_multilabel or (train is not None and train.is_multilabel)
    classes = [str(label) for label in model.classes_]

    def scored(along: sparse.csr_array | None) -> LabelScores:
        told = predicted_labels(model, labelled, along)
        return score_labels(labelled.labels or (), told, classes, multilabel=multilabel)

    baseline = None
    if train is not None:
        try:
            baseline = _baseline(train, labelled, multilabel)
        except PlaitError as error:  # labels that nothing can be learnt from, such as only one
            training = Training(None, str(error))
    return LabelReport(
        multilabel=multilabel,
        unlabelled=len(corpus) - len(labelled),
        model=scored(None),
        baseline=baseline,
        training=training,
        linked=None if links is None else scored(links),
        n_linked=n_linked(links),
    )


def _baseline(train: Corpus, test: Corpus, multilabel: bool) -> LabelScores:
    """Train a linear SVM on TF-IDF and measure it on the same documents as the model."""
    from plait.baselines import TfidfSVM
    from plait.inputs.targets import read_targets
    from plait.metrics.classification import score_labels

    targets = read_targets(None, len(train), train, min_documents=1)
    several = targets.kind == "multilabel"
    machine = TfidfSVM().fit(train.counts, targets.classes, targets.signs, multilabel=several)
    predicted = machine.predict(test.counts)
    return score_labels(test.labels or (), predicted, targets.classes, multilabel=multilabel)


def _plain_scores(scores: LabelScores) -> dict[str, Any]:
    found = {
        "documents": scores.n_documents,
        **{key: getattr(scores, key) for key, _ in _MEASURES},
        "per_label": [asdict(row) for row in scores.per_label],
        "unseen": scores.unseen,
        "absent": list(scores.absent),
    }
    if scores.confusion is not None:
        found["confusion"] = {"labels": list(scores.confusion.labels), "matrix": scores.confusion.matrix.tolist()}
    return found
