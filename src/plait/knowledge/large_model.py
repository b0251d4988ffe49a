"""Topics learned on a large corpus as the prior of a small one.

- Words are matched by name; words that the large model does not know get the learned symmetric pseudo-count alone.
- The documents of the small corpus are folded into the large model. The pseudo-counts of topic k are φ_k of the large
  model times (N_k + N / K) / 2, where N_k of the N tokens of the documents have topic k: strength 1 weighs as much as
  the documents, however large the other corpus was.
- A small model with fewer topics keeps those with most tokens of its documents. Topics beyond those of the large model
  have the symmetric prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.knowledge.build import check_strength, choose_prior, make_model
from plait.knowledge.learning import Learned, fit_plain
from plait.models import TopicEstimator

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)


def build_from_model(
    large: TopicEstimator,
    corpus: Corpus,
    *,
    n_topics: int | None,
    strength: float | str,
    strengths: Sequence[float] | None,
    base: float | None,
    model: TopicEstimator | None,
    random_state: int,
    n_jobs: int | None,
    verbose: bool,
) -> dict[str, Any]:
    """Return the fields of a `KnowledgePrior`; the parameters are those of `KnowledgePrior.from_model`.

    Returns
    -------
    dict of str to Any
        Arguments for `KnowledgePrior`.
    """
    if getattr(large, "topic_word_", None) is None:
        raise PlaitError(f"model must be a fitted model, not {large!r}; fit it to the large corpus first")
    if large.vocabulary_ is None:
        raise PlaitError("the model has no vocabulary; fit it to a Corpus, so that words can be matched by name")
    if not isinstance(corpus, Corpus):
        raise PlaitError(f"corpus must be a Corpus, not {type(corpus).__name__}; read it with plait.read_corpus")
    check_strength(strength, strengths)
    n_large = large.topic_word_.shape[0]
    learner = make_model(model, n_large if n_topics is None else n_topics, random_state, n_jobs, verbose)
    known = set(corpus.vocabulary) & set(large.vocabulary_)
    if not known:
        raise PlaitError(
            f"the model has none of the {len(corpus.vocabulary):,} words of the corpus; use the same tokenizer, case "
            "and stemming for both"
        )
    shares = large.transform(corpus.with_vocabulary(large.vocabulary_).counts)
    kept = _largest_topics(corpus.lengths @ shares, learner.n_topics)
    position = {str(word): column for column, word in enumerate(large.vocabulary_)}
    words = [word for word in corpus.vocabulary if word in known]
    topic_word = large.topic_word_[kept][:, [position[str(word)] for word in words]]
    topic_word /= topic_word.sum(axis=1, keepdims=True)
    rows = {name: row for row, name in enumerate(corpus.ids)}

    def learn(documents: Corpus) -> Learned:
        plain = fit_plain(learner, documents)
        own = shares[[rows[name] for name in documents.ids]][:, kept]
        tokens = documents.lengths @ own
        sizes = (tokens + tokens.sum() / tokens.size) / 2
        return Learned(np.array(words, dtype=object), topic_word * sizes[:, None], float(plain.beta_), plain)

    return choose_prior(learner, corpus, learn, strength, STRENGTHS if strengths is None else strengths, base)


def _largest_topics(tokens: np.ndarray, n_topics: int) -> np.ndarray:
    """Return the topics with most tokens, in the order of the large model."""
    return np.sort(np.argsort(-tokens, kind="stable")[:n_topics])
