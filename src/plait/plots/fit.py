"""Figures of a fit: perplexity by sweep, coherence of the topics, and the choice of the number of topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.figure import MUTED, Axis, Bars, Figure, Line, Panels, Points
from plait.plots.reading import check_model, numbered_names, topic_hovers

_MOST_POINTS = 200  # per line
_MOST_CHAINS = 8
_MOST_TOPICS = 80
_SCORES = {
    "log_likelihood": "held-out log-likelihood per token",
    "coherence": "NPMI coherence",
    "stability": "stability between seeds",
}


def perplexity_curve(model: Any) -> Figure:
    """Return the training perplexity by sweep, one line per chain.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model; of a stream, the sweeps are those of its last slice.

    Returns
    -------
    Figure
        Lines; the first sweeps, which are far above the others, may lie above the figure.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, n_sweeps=5, random_state=0, verbose=False).fit(["river stream bank", "money loan bank"] * 5)
    >>> (line,) = perplexity_curve(model).marks
    >>> len(line.x) == model.n_sweeps_, line.y[-1] < line.y[0]
    (True, True)
    """
    check_model(model, "history_", "a figure of perplexity")
    if not model.history_:
        raise PlaitError("the model kept no record of its sweeps, so there is no perplexity to draw")
    chains: list[list[Any]] = []
    for record in model.history_:
        if not chains or record.sweep <= chains[-1][-1].sweep:
            chains.append([])
        chains[-1].append(record)
    lines = []
    for number, records in enumerate(chains[:_MOST_CHAINS]):
        step = -(-len(records) // _MOST_POINTS)
        kept = [records[at] for at in sorted({*range(0, len(records), step), len(records) - 1})]
        hovers = tuple(f"sweep {one.sweep}\nperplexity {one.perplexity:,.1f}" for one in kept)
        xs, ys = tuple(float(one.sweep) for one in kept), tuple(float(one.perplexity) for one in kept)
        lines.append(Line(xs, ys, number, hover=hovers, thin=len(chains) > 1))
    last = float(model.history_[-1].perplexity)
    some = (
        f"the first {_MOST_CHAINS} of {len(chains)} chains" if len(chains) > _MOST_CHAINS else f"{len(chains)} chains"
    )
    return Figure(
        f"Training perplexity by sweep: {last:,.0f} after the last",
        Axis("sweep"),
        Axis("perplexity per token"),
        tuple(lines),
        note="A curve that has become flat is a fit that has settled."
        + (f" Lines are {some}." if len(chains) > 1 else ""),
        aspect=0.36,
    )


def topic_coherence(model: Any, X: Any, *, measure: Any = "npmi", top: int = 10) -> Figure:
    """Return the coherence of the topics in reference documents, the most coherent first.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    X : Corpus, list of str, data frame or matrix
        Reference documents.
    measure : {"npmi", "c_v"}, default "npmi"
        As in `coherence`.
    top : int, default 10
        Number of words per topic.

    Returns
    -------
    Figure
        One bar per topic; of many topics, the most and the least coherent ones.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, alpha=0.1, n_sweeps=5, random_state=0, verbose=False).fit(
    ...     ["river stream bank", "money loan bank"] * 5
    ... )
    >>> bars = topic_coherence(model, ["river stream", "loan money", "bank"], top=2).marks[0]
    >>> bars.keys, [round(value, 3) for value in bars.values]
    (('topic1', 'topic0'), [1.0, -1.0])
    """
    check_model(model, "coherence", "a figure of coherence")
    check_whole("top", top, least=2)
    values = np.asarray(model.coherence(X, measure=measure, top=top), dtype=np.float64)
    order = np.argsort(-values, kind="stable").tolist()
    if len(order) > _MOST_TOPICS:
        order = order[: _MOST_TOPICS // 2] + order[-_MOST_TOPICS // 2 :]
    names, hovers = numbered_names(model), topic_hovers(model)
    rows = tuple(float(row) for row in range(len(order)))
    return Figure(
        f"Coherence of the topics: {values.mean():.3f} on average",
        Axis({"npmi": "NPMI", "c_v": "C_v"}.get(measure, str(measure))),
        Axis(
            "topic",
            low=len(rows) - 0.5,
            high=-0.5,
            ticks=tuple((row, names[topic]) for row, topic in zip(rows, order, strict=True)),
            grid=False,
        ),
        (
            Bars(
                rows,
                tuple(float(values[topic]) for topic in order),
                (0,) * len(rows),
                tuple(f"coherence {values[topic]:.3f}\n{hovers[topic]}" for topic in order),
                keys=tuple(f"topic{topic}" for topic in order),
            ),
        ),
        note="The words of a coherent topic occur in the same documents."
        + (f" {len(values) - len(order)} topics between these are left out." if len(values) > len(order) else ""),
        row_height=18,
    )


def topic_choice(choice: Any) -> Panels:
    """Return likelihood, coherence and stability over seeds by number of topics.

    The recommended number is the smallest whose error bar reaches the dashed line, the likelihood of the best number.

    Parameters
    ----------
    choice : TopicChoice
        Result of `choose_n_topics`.

    Returns
    -------
    Panels
        Three figures; the recommended number is orange.

    Examples
    --------
    >>> from plait import LDA, choose_n_topics
    >>> texts = ["river stream water", "stream river", "money loan debt", "loan money money"] * 9
    >>> panels = topic_choice(choose_n_topics(texts, [1, 2], model=LDA(alpha=0.1), verbose=False))
    >>> panels.title, len(panels.figures)
    ('recommended: 2 topics (orange); highest likelihood: 2 topics', 3)
    """
    numbers = [int(row.n_topics) for row in choice.rows]
    if not numbers:
        raise PlaitError("no candidate was finished, so there is nothing to draw")
    xs = tuple(map(float, numbers))
    ticks = tuple((x, f"{number:,}") for x, number in zip(xs, numbers, strict=True))
    panels = []
    for name, label in _SCORES.items():
        values = tuple(float(getattr(row, name)) for row in choice.rows)
        likelihood = name == "log_likelihood"
        errors = tuple(float(row.standard_error) for row in choice.rows) if likelihood else ()
        hovers = tuple(
            f"{number:,} topics\n{label}: {value:.3f}" for number, value in zip(numbers, values, strict=True)
        )
        chosen = numbers.index(choice.recommended)
        known = np.isfinite(values[chosen])
        best = (Line((xs[0], xs[-1]), (max(values),) * 2, MUTED, dashed=True),) if likelihood else ()
        mark = (
            (Points((xs[chosen],), (values[chosen],), (8.0,), (1,), (f"recommended\n{hovers[chosen]}",)),)
            if known
            else ()
        )
        panels.append(
            Figure(
                label,
                Axis("number of topics", ticks=ticks, log=numbers[-1] >= 10 * numbers[0]),
                Axis(label),
                (*best, Line(xs, values, 0, hover=hovers, markers=True, errors=errors), *mark),
                aspect=0.3,
            )
        )
    title = f"recommended: {choice.recommended:,} topics (orange); highest likelihood: {choice.best:,} topics"
    return Panels(title, tuple(panels), 1, "Stability is the similarity of the topics of fits with different seeds.")
