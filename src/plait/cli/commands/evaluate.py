"""`plait evaluate`: how well a model predicts documents and how well its topics hang together."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.models import Jobs, ModelPath, load_model
from plait.cli.reading import CorpusPath, Part, WordSource, read_for, read_line
from plait.cli.screen import Table
from plait.cli.spreading import spread

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.models import TopicEstimator


class EvaluationFormat(StrEnum):
    """How the figures are printed."""

    table = "table"
    json = "json"


@dataclass(frozen=True)
class Figure:
    """One measure of a model, its baseline where there is one, and which way is better."""

    key: str
    name: str
    model: float
    baseline: float | None
    better: str


@spread
def evaluate(
    model: ModelPath,
    path: CorpusPath,
    source: WordSource,
    part: Part,
    top: Annotated[int, typer.Option("--top", min=2, help="Words of each topic for coherence and diversity.")] = 10,
    format: Annotated[
        EvaluationFormat, typer.Option("--format", help="table for people, json for programs.")
    ] = EvaluationFormat.table,
    jobs: Jobs = 1,
) -> None:
    """Measure a model on documents, best ones that it was not fitted to.

    The baseline predicts words by their frequency in the training documents, with the model's own smoothing,
    and knows no topics.
    """
    estimator = load_model(model)
    estimator.n_jobs = jobs
    reading = read_for(estimator, path, source, part)
    # Standard output is kept for the figures, so that a program can read them.
    print(read_line(path, reading), file=sys.stderr)
    seen = _seen_before(estimator, reading.corpus)
    if seen:
        print(f"{seen:,} of the documents were fitted to: figures on them are too good", file=sys.stderr)
    figures = measure(estimator, reading.corpus, top)
    if format is EvaluationFormat.json:
        print(json.dumps(_plain(figures, reading.corpus, seen), indent=1))
    else:
        _table(figures).show()


def measure(estimator: TopicEstimator, corpus: Corpus, top: int) -> list[Figure]:
    """All figures of a model on a corpus in the columns of its vocabulary."""
    import numpy as np

    from plait.evaluation import topic_diversity

    unigram = _unigram(estimator, corpus)
    words = [topic.words for topic in estimator.topics(top)]
    return [
        Figure(
            "perplexity_completion",
            "perplexity, document completion",
            estimator.perplexity(corpus, method="completion"),
            unigram,
            "lower",
        ),
        Figure(
            "perplexity_fold_in",
            "perplexity, fold-in (flatters)",
            estimator.perplexity(corpus, method="fold_in"),
            unigram,
            "lower",
        ),
        Figure(
            "coherence_npmi",
            f"coherence NPMI, {top} words",
            float(np.mean(estimator.coherence(corpus, measure="npmi", top=top))),
            None,
            "higher",
        ),
        Figure(
            "coherence_c_v",
            f"coherence C_v, {top} words",
            float(np.mean(estimator.coherence(corpus, measure="c_v", top=top))),
            None,
            "higher",
        ),
        Figure("topic_diversity", f"topic diversity, {top} words", topic_diversity(words), None, "higher"),
    ]


def _unigram(estimator: TopicEstimator, corpus: Corpus) -> float:
    """Perplexity of a model without topics: word frequencies of the training documents, smoothed alike."""
    import numpy as np

    from plait.evaluation import unigram_perplexity

    smoothing: Any = np.mean(np.atleast_2d(estimator.beta_), axis=0)
    return unigram_perplexity(estimator.word_counts_, corpus.counts, smoothing).perplexity


def _seen_before(estimator: TopicEstimator, corpus: Corpus) -> int:
    if estimator.doc_ids_ is None:
        return 0
    return len(set(estimator.doc_ids_) & set(corpus.ids))


def _table(figures: list[Figure]) -> Table:
    table = Table(["measure", "model", "unigram baseline", "better is"], right={"model", "unigram baseline"})
    for figure in figures:
        baseline = "" if figure.baseline is None else _shown(figure.baseline)
        table.add(figure.name, _shown(figure.model), baseline, figure.better)
    return table


def _shown(value: float) -> str:
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"


def _plain(figures: list[Figure], corpus: Corpus, seen: int) -> dict[str, Any]:
    found: dict[str, Any] = {"documents": corpus.n_documents, "documents_fitted_to": seen, "tokens": corpus.n_tokens}
    for figure in figures:
        found[figure.key] = figure.model
    found["perplexity_unigram"] = next(f.baseline for f in figures if f.baseline is not None)
    return found
