"""The error about a model or corpus that lacks what an evaluation needs."""

from __future__ import annotations

from plait.errors import PlaitError


class NotEvaluableError(PlaitError):
    """The corpus or the model lacks what an evaluation needs; the message says what.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> from plait.evaluation import evaluate_links
    >>> model = LDA(2, n_sweeps=5, verbose=False).fit(Corpus.from_texts(["river stream", "bank loan"] * 5))
    >>> try:
    ...     evaluate_links(model, Corpus.from_texts(["river stream"]))
    ... except NotEvaluableError as error:
    ...     print(error)
    the corpus has no links; give some
    """
