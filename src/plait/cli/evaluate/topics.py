"""How well a model predicts words and how well its topics hang together: what `plait evaluate` says of any model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plait.cli.show.figures import Figure, figures_table

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.models import TopicEstimator


@dataclass(frozen=True)
class TopicReport:
    """The figures of a model's topics."""

    figures: list[Figure]

    def show(self) -> None:
        """Print them."""
        figures_table(self.figures, "unigram baseline").show()

    def plain(self) -> dict[str, Any]:
        """Return them for programs."""
        found: dict[str, Any] = {figure.key: figure.model for figure in self.figures}
        found["perplexity_unigram"] = next(figure.baseline for figure in self.figures if figure.baseline is not None)
        return found


def measure_topics(estimator: Any, corpus: Corpus, top: int, links: Any = None) -> TopicReport:
    """All figures of a model on a corpus in the columns of its vocabulary.

    Parameters
    ----------
    links
        Documents × documents of the model: along which links words may also be drawn, for models that can.
    """
    import numpy as np

    from plait.metrics import topic_diversity

    unigram = _unigram(estimator, corpus)
    words = [topic.words for topic in estimator.topics(top)]
    with_links = [
        Figure(
            f"perplexity_{method}_links",
            f"perplexity, {name} with links",
            estimator.perplexity(corpus, method=method, links=links),
            unigram,
            "lower",
        )
        for method, name in (("completion", "completion"), ("fold_in", "fold-in"))
        if links is not None
    ]
    return TopicReport(
        [
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
            *with_links,
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
    )


def _unigram(estimator: TopicEstimator, corpus: Corpus) -> float:
    """Perplexity of a model without topics: word frequencies of the training documents, smoothed alike."""
    import numpy as np

    from plait.metrics import unigram_perplexity

    smoothing: Any = np.mean(np.atleast_2d(estimator.beta_), axis=0)
    return unigram_perplexity(estimator.word_counts_, corpus.counts, smoothing).perplexity
