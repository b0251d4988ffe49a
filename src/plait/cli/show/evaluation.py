"""Tables and JSON of evaluations: the scores of a model beside those of its baselines."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from plait._utils.wording import counted, join_names
from plait.cli.io.safe_csv import safe_cell
from plait.cli.show.screen import Table, format_score, print_text

if TYPE_CHECKING:
    from plait.evaluation import BaselineTraining, LabelEvaluation, LinkEvaluation, TopicEvaluation, ValueEvaluation
    from plait.metrics.classification import LabelScores

_MAX_LABELS = 40
_MAX_PAIRS = 10
_FROM_LINKS = "words and links"
_LABEL_MEASURES = (("accuracy", "accuracy"), ("micro_f1", "micro F1"), ("macro_f1", "macro F1"))
_VALUE_MEASURES = (("r2", "R²", "higher"), ("mean_absolute_error", "mean absolute error", "lower"))


@dataclass(frozen=True)
class Measure:
    """One score of a model, the baseline's if there is one, and which direction is better."""

    key: str
    name: str
    model: float
    baseline: float | None
    better: str


@dataclass(frozen=True)
class Baseline:
    """The baseline of labels or values: its training set, or why there is none."""

    name: str
    training: BaselineTraining | None
    problem: str

    def line(self) -> str:
        """Return one line about the training of the baseline.

        Returns
        -------
        str
            The line.
        """
        training = self.training
        if training is None:
            return f"No baseline was trained: {self.problem}"
        size = training.n_documents
        line = f"{self.name} was trained on {size:,} documents, with the vocabulary of the model"
        if training.n_fitted < size:
            line += f"; the model was fitted to {training.n_fitted:,} of them"
        if training.n_evaluated:
            line += f"; {training.n_evaluated:,} of them are evaluated here, so the baseline's scores are too good"
        return line

    def plain(self, scores: dict[str, Any]) -> dict[str, Any]:
        """Return the same for JSON.

        Parameters
        ----------
        scores : dict
            Scores of the baseline.

        Returns
        -------
        dict
            Values by key.
        """
        training = self.training
        if training is None:
            return {"baseline": None, "no_baseline": self.problem}
        about = {
            "name": self.name,
            "trained_on": training.n_documents,
            "trained_on_fitted_to": training.n_fitted,
            "trained_on_measured": training.n_evaluated,
        }
        return {"baseline": about | scores}


def measures_table(measures: list[Measure], baseline: str) -> Table:
    """Return a table of measures.

    Parameters
    ----------
    measures : list of Measure
        The rows.
    baseline : str
        Name of the baseline, the head of its column.

    Returns
    -------
    Table
        The table.
    """
    table = Table(["measure", "model", baseline, "better is"], right={"model", baseline})
    for measure in measures:
        beside = "" if measure.baseline is None else format_score(measure.baseline)
        table.add(measure.name, format_score(measure.model), beside, measure.better)
    return table


@dataclass(frozen=True)
class TopicReport:
    """The evaluation of topics, for people and for programs."""

    found: TopicEvaluation

    def show(self) -> None:
        """Print the table."""
        measures_table(self._measures(), "unigram baseline").show()
        if self.found.perplexity_fold_in is not None:
            print_text("Fold-in is optimistic: the words that it predicts have also determined the document's topics.")

    def plain(self) -> dict[str, Any]:
        """Return the scores for JSON.

        Returns
        -------
        dict
            Values by key.
        """
        scores: dict[str, Any] = {measure.key: measure.model for measure in self._measures()}
        return scores | {"perplexity_unigram": self.found.perplexity_unigram}

    def _measures(self) -> list[Measure]:
        words = f"{self.found.top} words"
        names = {
            "perplexity_completion": "perplexity, document completion",
            "perplexity_fold_in": "perplexity, fold-in (optimistic)",
            "perplexity_completion_links": "perplexity, completion with links",
            "perplexity_fold_in_links": "perplexity, fold-in with links",
            "coherence_npmi": f"coherence NPMI, {words}",
            "coherence_c_v": f"coherence C_v, {words}",
            "topic_diversity": f"topic diversity, {words}",
        }
        measures = []
        for key, name in names.items():
            score = getattr(self.found, key)
            if score is not None:
                lower = key.startswith("perplexity")
                baseline = self.found.perplexity_unigram if lower else None
                measures.append(Measure(key, name, score, baseline, "lower" if lower else "higher"))
        return measures


@dataclass(frozen=True)
class ValueReport:
    """The evaluation of numbers, for people and for programs."""

    found: ValueEvaluation
    baseline: Baseline

    def show(self) -> None:
        """Print the table and what the scores are from."""
        found = self.found
        have = "has" if found.n_without_value == 1 else "have"
        more = f" ({found.n_without_value:,} more {have} none)" if found.n_without_value else ""
        print_text(f"\nNumbers of {found.n_documents:,} documents{more}:")
        measures_table(self._measures(), self.baseline.name).show()
        if found.linked is not None:
            print_text(linked_line(found.n_linked, found.n_documents))
        print_text(self.baseline.line())

    def plain(self) -> dict[str, Any]:
        """Return the scores for JSON.

        Returns
        -------
        dict
            Values by key.
        """
        found = self.found
        plain: dict[str, Any] = {
            "documents": found.n_documents,
            "documents_without_number": found.n_without_value,
        }
        plain |= {measure.key: measure.model for measure in self._measures()}
        if found.linked is not None:
            plain["documents_with_links"] = found.n_linked
        beside = {key: getattr(found.baseline, key) for key, *_ in _VALUE_MEASURES} if found.baseline else {}
        beside = {key: value for key, value in beside.items() if value is not None}
        return {"values": plain | self.baseline.plain(beside)}

    def _measures(self) -> list[Measure]:
        found = self.found
        return [
            Measure(key + end, name + suffix, score, getattr(found.baseline, key, None), better)
            for end, suffix, scores in (("", "", found.model), ("_links", " with links", found.linked))
            for key, name, better in _VALUE_MEASURES
            if (score := getattr(scores, key, None)) is not None
        ]


@dataclass(frozen=True)
class LabelReport:
    """The evaluation of labels, for people and for programs."""

    found: LabelEvaluation
    baseline: Baseline

    def show(self) -> None:
        """Print the scores, the scores of each label and the most confused labels."""
        found = self.found
        have = "has" if found.n_unlabelled == 1 else "have"
        more = f" ({found.n_unlabelled:,} more {have} no label)" if found.n_unlabelled else ""
        print_text(f"\nLabels of {found.model.n_documents:,} documents{more}:")
        measures_table(self._measures(), self.baseline.name).show()
        if found.linked is not None:
            print_text(linked_line(found.n_linked, found.model.n_documents))
        print_text(self.baseline.line())
        if found.model.unseen:
            named = [f"{label} ({count:,})" for label, count in found.model.unseen.items()]
            print_text(f"Labels that the model was not trained on and cannot predict: {join_names(named)}")
        if found.model.absent:
            print_text(f"Labels of the model that no document here has: {join_names(found.model.absent)}")
        self._show_each_label()
        self._show_pairs()

    def plain(self) -> dict[str, Any]:
        """Return the scores for JSON.

        Returns
        -------
        dict
            Values by key.
        """
        found = self.found
        plain = {"documents_without_label": found.n_unlabelled, **_plain_label_scores(found.best)}
        plain |= {measure.key: measure.model for measure in self._measures()}
        if found.linked is not None:
            plain |= {"documents_with_links": found.n_linked, "per_label_told_from": _FROM_LINKS}
            if "confusion" in plain:
                plain["confusion"]["told_from"] = _FROM_LINKS
        beside = {} if found.baseline is None else _plain_label_scores(found.baseline)
        return {"labels": plain | self.baseline.plain(beside)}

    def confusion_csv(self, *, safe: bool = False) -> str:
        """Return the confusion matrix as CSV: one row per true label, one column per predicted label.

        Parameters
        ----------
        safe : bool, default False
            Whether to protect labels that a spreadsheet would run as formulas.

        Returns
        -------
        str
            The table.
        """
        confusion = self.found.best.confusion
        assert confusion is not None
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        labels = [safe_cell(label) if safe else label for label in confusion.labels]
        writer.writerow(["true label", *labels])
        for label, row in zip(labels, confusion.matrix.tolist(), strict=True):
            writer.writerow([label, *row])
        return text.getvalue()

    def _measures(self) -> list[Measure]:
        found = self.found
        whole = " (all labels of a document)" if found.multilabel else ""
        return [
            Measure(
                key + end,
                name + suffix + (whole if key == "accuracy" else ""),
                getattr(scores, key),
                getattr(found.baseline, key, None),
                "higher",
            )
            for end, suffix, scores in (("", "", found.model), ("_links", " with links", found.linked))
            if scores is not None
            for key, name in _LABEL_MEASURES
        ]

    def _show_each_label(self) -> None:
        rows = sorted(self.found.best.per_label, key=lambda row: -row.n_true)
        baseline = self.found.baseline
        beside = {} if baseline is None else {row.label: format_score(row.f1) for row in baseline.per_label}
        numbers = ["documents", "precision", "recall", "F1", *(["SVM F1"] if beside else [])]
        table = Table(["label", *numbers], right=set(numbers))
        for row in rows[:_MAX_LABELS]:
            # The baseline has no row for a label that only the model predicted.
            theirs = [beside.get(row.label, "")] if beside else []
            scores = map(format_score, (row.precision, row.recall, row.f1))
            table.add(str(row.label), f"{row.n_true:,}", *scores, *theirs)
        print_text(f"\nEach label{self._predicted_from()}:")
        table.show()
        if len(rows) > _MAX_LABELS:
            print_text(f"and {len(rows) - _MAX_LABELS:,} rarer labels; --format json has all of them")

    def _show_pairs(self) -> None:
        from plait.evaluation import confused_pairs

        pairs = confused_pairs(self.found.best)
        if not pairs:
            return
        table = Table(["true label", "predicted", "documents"], right={"documents"})
        for true, predicted, count in pairs[:_MAX_PAIRS]:
            table.add(str(true), str(predicted), f"{count:,}")
        print_text(f"\nMost often confused{self._predicted_from()}:")
        table.show()

    def _predicted_from(self) -> str:
        return "" if self.found.linked is None else f", predicted from {_FROM_LINKS}"


@dataclass(frozen=True)
class LinkReport:
    """The evaluation of links, for people and for programs."""

    found: LinkEvaluation

    def show(self) -> None:
        """Print the table."""
        from plait.evaluation.links import HITS

        model, n_training = self.found.model, self.found.n_training_documents
        have = "has" if model.n_without_links == 1 else "have"
        alone = f" ({model.n_without_links:,} of them {have} no link)" if model.n_without_links else ""
        print_text(
            f"\n{model.n_links:,} links of {model.n_documents:,} new documents{alone}, ranked among "
            f"{n_training:,} training documents:"
        )
        names = ["mean link rank", "AUC", "average precision", *(f"hits@{k}" for k in HITS)]
        table = Table(["by", *names], right=set(names))
        for name, scores in {self.found.name: model, **self.found.baselines}.items():
            area = "" if scores.auc is None else format_score(scores.auc)
            hits = [f"{scores.hits[k]:.1%}" for k in HITS]
            table.add(name, format_score(scores.link_rank), area, format_score(scores.average_precision), *hits)
        table.show()
        print_text(f"Lower is better for the rank ({(n_training + 1) / 2:,.1f} at random), higher for the others.")

    def plain(self) -> dict[str, Any]:
        """Return the scores for JSON.

        Returns
        -------
        dict
            Values by key.
        """
        found = {"documents_known": self.found.n_training_documents, **asdict(self.found.model)}
        return {"links": found | {"baselines": {name: asdict(one) for name, one in self.found.baselines.items()}}}


def linked_line(n_linked: int, n_documents: int) -> str:
    """Return one line about how many of the evaluated documents have links that are followed.

    Parameters
    ----------
    n_linked : int
        Documents with links.
    n_documents : int
        Evaluated documents.

    Returns
    -------
    str
        The line.

    Examples
    --------
    >>> linked_line(17, 18)
    'With links: 17 of 18 documents have links to training documents; the others are predicted from words'
    """
    line = f"With links: {n_linked:,} of {counted(n_documents, 'document')} have links to training documents"
    return line + "; the others are predicted from words" * (n_linked < n_documents)


def _plain_label_scores(scores: LabelScores) -> dict[str, Any]:
    found = {
        "documents": scores.n_documents,
        **{key: getattr(scores, key) for key, _ in _LABEL_MEASURES},
        "per_label": [asdict(row) for row in scores.per_label],
        "unseen": scores.unseen,
        "absent": list(scores.absent),
    }
    if scores.confusion is not None:
        found["confusion"] = {"labels": list(scores.confusion.labels), "matrix": scores.confusion.matrix.tolist()}
    return found
