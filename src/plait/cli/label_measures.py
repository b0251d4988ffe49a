"""How often a model's labels are right, beside a linear SVM on TF-IDF: what `plait evaluate` says of labels."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.cli.figures import Figure, figures_table, shown
from plait.cli.labelled import predicted_labels, with_labels
from plait.cli.screen import Table, listed
from plait.cli.training import Training
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.evaluation.classification import LabelScores

BASELINE = "TF-IDF + LinearSVC"
LABELS_SHOWN = 40
PAIRS_SHOWN = 10
_MEASURES = (("accuracy", "accuracy"), ("micro_f1", "micro F1"), ("macro_f1", "macro F1"))


@dataclass(frozen=True)
class LabelReport:
    """A model's labels measured, the baseline's beside them where one could be trained."""

    multilabel: bool
    unlabelled: int
    model: LabelScores
    baseline: LabelScores | None
    training: Training

    def show(self) -> None:
        """Print all of it."""
        whole = " (all labels of a document)" if self.multilabel else ""
        figures = [
            Figure(key, name + (whole if key == "accuracy" else ""), getattr(self.model, key), beside, "higher")
            for key, name in _MEASURES
            for beside in [None if self.baseline is None else getattr(self.baseline, key)]
        ]
        print(f"\nLabels of {self.model.n_documents:,} documents{self._left_out()}:")
        figures_table(figures, BASELINE).show()
        print(self.training.line(BASELINE))
        for line in self._strange_labels():
            print(line)
        self._show_each_label()
        self._show_pairs()

    def plain(self) -> dict[str, Any]:
        """Return all of it for programs."""
        found = {"documents_without_label": self.unlabelled, **_plain_scores(self.model)}
        found |= self.training.plain(BASELINE, {} if self.baseline is None else _plain_scores(self.baseline))
        return {"labels": found}

    def write_confusion(self, path: Path) -> None:
        """Write the whole confusion matrix as CSV."""
        if self.model.confusion is None:
            raise PlaitError("documents with several labels have no confusion matrix; leave --confusion out")
        labels, matrix = self.model.confusion.labels, self.model.confusion.matrix
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["true label", *labels])
            for label, row in zip(labels, matrix.tolist(), strict=True):
                writer.writerow([label, *row])

    def _left_out(self) -> str:
        return f" ({self.unlabelled:,} more have no label)" if self.unlabelled else ""

    def _strange_labels(self) -> list[str]:
        lines = []
        if self.model.unseen:
            named = [f"{label} ({count:,})" for label, count in self.model.unseen.items()]
            lines.append(f"Labels that the model was not trained on, so it misses them: {listed(named)}")
        if self.model.absent:
            lines.append(f"Labels of the model that no document here has: {listed(map(str, self.model.absent))}")
        return lines

    def _show_each_label(self) -> None:
        rows = sorted(self.model.per_label, key=lambda row: -row.n_true)
        beside = {} if self.baseline is None else {row.label: row.f1 for row in self.baseline.per_label}
        numbers = ["documents", "precision", "recall", "F1", *(["SVM F1"] if beside else [])]
        table = Table(["label", *numbers], right=set(numbers))
        for row in rows[:LABELS_SHOWN]:
            figures = [row.precision, row.recall, row.f1, *([beside[row.label]] if beside else [])]
            table.add(str(row.label), f"{row.n_true:,}", *map(shown, figures))
        print("\nEach label:")
        table.show()
        if len(rows) > LABELS_SHOWN:
            print(f"and {len(rows) - LABELS_SHOWN:,} rarer labels; --format json has them all")

    def _show_pairs(self) -> None:
        pairs = confused_pairs(self.model)
        if not pairs:
            return
        table = Table(["true label", "predicted", "documents"], right={"documents"})
        for true, predicted, count in pairs[:PAIRS_SHOWN]:
            table.add(str(true), str(predicted), f"{count:,}")
        print("\nMost often confused:")
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


def measure_labels(model: Any, corpus: Corpus, training: Training) -> LabelReport:
    """Measure the labels of a model on a corpus in the columns of its vocabulary, some of which has labels."""
    from plait.evaluation.classification import score_labels

    labelled = with_labels(corpus)
    train = training.corpus
    # A model of one label a document may meet documents with several: it cannot get those wholly right.
    multilabel = model.multilabel_ or labelled.is_multilabel or (train is not None and train.is_multilabel)
    classes = [str(label) for label in model.classes_]
    scores = score_labels(labelled.labels or (), predicted_labels(model, labelled), classes, multilabel=multilabel)
    baseline = None
    if train is not None:
        try:
            baseline = _baseline(train, labelled, multilabel)
        except PlaitError as error:  # labels that nothing can be learnt from, such as only one
            training = Training(None, str(error))
    return LabelReport(
        multilabel=multilabel,
        unlabelled=len(corpus) - len(labelled),
        model=scores,
        baseline=baseline,
        training=training,
    )


def _baseline(train: Corpus, test: Corpus, multilabel: bool) -> LabelScores:
    """Train a linear SVM on TF-IDF and measure it on the same documents as the model."""
    from plait.baselines import TfidfSVM
    from plait.evaluation.classification import score_labels
    from plait.models.targets import read_targets

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
