"""Figures of topics over time: streams, small multiples, words within a topic, emerging and fading topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.plots.figure import INK, OPEN, Area, Axis, Figure, Line, Panels, Points
from plait.plots.reading import check_model, topic_names

_STREAMS = 9  # one colour each; all others are grey
_CHANGES = (("a topic emerges", OPEN), ("a topic fades", INK))  # colours of points
_HOVER_WORDS = 8
_TITLE_WORDS = 4


class TimeShares(NamedTuple):
    """Shares of topics by time slice.

    Attributes
    ----------
    labels : list of str
        Slices, oldest first.
    shares : ndarray of shape (slices, topics)
        Shares; NaN for slices without tokens.
    words : list of list of str
        Words of each topic in each slice, slices × topics.
    """

    labels: list[str]
    shares: np.ndarray
    words: list[list[str]]


def time_shares(model: Any, by: Any = None) -> TimeShares:
    """Return the shares of the topics of a model by time slice.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model: `OnlineLDA`, or any other whose documents have times.
    by : {"day", "week", "month", "year"}, int or sequence of times, optional
        How to cut time, for a model without slices of its own.

    Returns
    -------
    TimeShares
        The shares.
    """
    check_model(model, what="a figure over time")
    if getattr(model, "slices_", None):
        slices = model.slices_
        words = [[" ".join(map(str, row[:_HOVER_WORDS])) for row in one.words] for one in slices]
        shares = np.array([np.asarray(one.topic_share, dtype=np.float64) for one in slices])
        return TimeShares([one.label for one in slices], shares, words)
    if by is None:
        raise PlaitError("this model has no time slices of its own: give by=, such as by='year' or by=20")
    frame = model.topics_over(by)
    n_topics = len(model.topic_word_)
    values = [np.nan if share is None else float(share) for share in frame["share"]]
    labels = [str(label) for label in list(frame["slice"])[::n_topics]]
    same = [" ".join(topic.words) for topic in model.topics(top=_HOVER_WORDS)]
    return TimeShares(labels, np.array(values, dtype=np.float64).reshape(-1, n_topics), [same] * len(labels))


def topic_streams(model: Any, by: Any = None, *, top: int = _STREAMS) -> Figure:
    """Return the largest topics over time as streams, with the words of each time for the pointer.

    Emerging and fading topics of an `OnlineLDA` are marked: a topic emerges at an open point and fades at a filled one.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model: `OnlineLDA`, or any other whose documents have times.
    by : {"day", "week", "month", "year"}, int or sequence of times, optional
        How to cut time, for a model without slices of its own.
    top : int, default 9
        Number of streams; the other topics are left out.

    Returns
    -------
    Figure
        Stacked areas.

    Examples
    --------
    >>> from plait import OnlineLDA
    >>> model = OnlineLDA(2, window=1, n_sweeps=5, random_state=0, verbose=False)
    >>> for month, word in [("May", "credit"), ("June", "fever")]:
    ...     model = model.partial_fit(["river stream water", f"{word} {word}s"] * 9, label=month)
    >>> figure = topic_streams(model)
    >>> [area.key for area in figure.marks[:2]], [label for _, label in figure.x.ticks]
    (['topic0', 'topic1'], ['May', 'June'])
    """
    check_whole("top", top, least=1)
    found = time_shares(model, by)
    shares = np.nan_to_num(found.shares)
    # The largest over all time, and those that move most, so that a short rise is seen.
    interest = shares.mean(axis=0) + shares.max(axis=0) - np.median(shares, axis=0)
    chosen = sorted(np.argsort(-interest, kind="stable")[:top].tolist(), key=lambda topic: _centre(shares[:, topic]))
    names, named = topic_names(model), [bool(model.topic_names_[topic]) for topic in chosen]
    own_slices = bool(getattr(model, "slices_", None))
    xs = tuple(float(at) for at in range(len(found.labels)))
    low = np.zeros(len(xs))
    marks: list[Any] = []
    middle: dict[int, np.ndarray] = {}
    for colour, topic in enumerate(chosen):
        high = low + shares[:, topic]
        hovers = tuple(
            f"{label}\ntopic {topic} {names[topic]}: {share:.1%}\n{found.words[at][topic]}"
            for at, (label, share) in enumerate(zip(found.labels, shares[:, topic], strict=True))
        )
        marks.append(_area(xs, low, high, colour, f"{topic} {names[topic]}", hovers, f"topic{topic}"))
        middle[topic] = (low + high) / 2
        low = high
    n_others = shares.shape[1] - len(chosen)
    rest = f" {n_others} other topics are above the streams, up to 100%." if n_others else ""
    changes = _change_points(model, found, middle)
    marks += changes
    return Figure(
        "Topics over time",
        Axis("time slice", low=0.0, high=max(1.0, xs[-1]), ticks=_time_ticks(found.labels), grid=False, thin=True),
        Axis(
            "share of tokens" if own_slices else "mean share in documents",
            low=0.0,
            high=1.04 * float(low.max()),
            percent=True,
            grid=False,
        ),
        tuple(marks),
        note="The height of a stream is the share of a topic in a time slice; the pointer shows its words"
        + (" at that time." if own_slices else ".")
        + rest
        + (" Names of topics are their words in the last slice." if own_slices and not all(named) else "")
        + (" Points mark slices where a topic emerges (open) or fades (filled)." if changes else ""),
        legend=_CHANGES if changes else (),
        aspect=0.5,
    )


def _centre(shares: np.ndarray) -> float:
    """Return the mean time of a stream, so that early streams lie below late ones."""
    return float((shares * np.arange(len(shares))).sum() / max(shares.sum(), 1e-12))


def _area(
    xs: tuple[float, ...], low: np.ndarray, high: np.ndarray, colour: int, name: str, hover: tuple[str, ...], key: str
) -> Area:
    bottom, top = (tuple(float(value) for value in values) for values in (low, high))
    if len(xs) == 1:  # one slice is drawn as a band
        return Area((0.0, 1.0), bottom * 2, top * 2, colour, name, hover * 2, key)
    return Area(xs, bottom, top, colour, name, hover, key)


def _change_points(model: Any, found: TimeShares, middle: dict[int, np.ndarray]) -> list[Points]:
    """Return points where a topic of the figure emerges or fades."""
    changes = [(*one, middle[one[1]][one[0]]) for one in topic_changes(model) if one[1] in middle]
    if not changes:
        return []
    return [
        Points(
            tuple(float(at) for at, *_ in changes),
            tuple(float(y) for *_, y in changes),
            (5.0,) * len(changes),
            tuple(OPEN if emerges else INK for _, _, emerges, _, _ in changes),
            tuple(f"{found.labels[at]}\n{text}" for at, _, _, text, _ in changes),
            ringed=(True,) * len(changes),
        )
    ]


def topic_changes(model: Any) -> list[tuple[int, int, bool, str]]:
    """Return where topics of a stream emerge or fade.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model; only streams have changes.

    Returns
    -------
    list of (int, int, bool, str)
        Number of the slice, topic, whether it emerges (else it fades), and a text.
    """
    if not getattr(model, "slices_", None) or not hasattr(model, "emerging"):
        return []
    found = []
    for number in range(1, len(model.slices_)):
        try:
            emerging, fading = model.emerging(slice=number), model.fading(slice=number)
        except PlaitError:  # with a window of 0, topics are not tracked over time
            return []
        for one in emerging:
            words = " ".join(map(str, one.words[:_HOVER_WORDS]))
            found.append((number, one.topic, True, f"topic {one.topic} emerges ({one.share:.1%}): {words}"))
        for one in fading:
            words = " ".join(map(str, one.words[:_HOVER_WORDS]))
            found.append(
                (number, one.topic, False, f"topic {one.topic} fades ({one.before:.1%} → {one.share:.1%}): {words}")
            )
    return found


def change_calendar(model: Any) -> Figure:
    """Return when topics of a stream emerge and fade: one row per topic that changes.

    Parameters
    ----------
    model : OnlineLDA
        A fitted model with tracked topics.

    Returns
    -------
    Figure
        Points by time slice.

    Examples
    --------
    >>> from plait import OnlineLDA
    >>> model = OnlineLDA(2, window=1, n_sweeps=5, random_state=0, verbose=False)
    >>> for month, word in [("May", "credit"), ("June", "fever")]:
    ...     model = model.partial_fit(["river stream water", f"{word} {word}s"] * 9, label=month)
    >>> change_calendar(model).marks[0].hover[0].splitlines()
    ['June', 'topic 0 emerges (41.3%): fever fevers']
    """
    check_model(model, "emerging", "a figure of emerging and fading topics")
    changes = topic_changes(model)
    labels = [one.label for one in model.slices_]
    topics = list(dict.fromkeys(topic for _, topic, _, _ in changes))
    names = topic_names(model)
    row = {topic: float(at) for at, topic in enumerate(topics)}
    points = Points(
        tuple(float(at) for at, *_ in changes),
        tuple(row[topic] for _, topic, _, _ in changes),
        (6.0,) * len(changes),
        tuple(1 if emerges else 0 for _, _, emerges, _ in changes),
        tuple(f"{labels[at]}\n{text}" for at, _, _, text in changes),
        keys=tuple(f"topic{topic}" for _, topic, _, _ in changes),
    )
    return Figure(
        "Emerging and fading topics" if changes else "No topic emerges or fades",
        Axis("time slice", low=-0.5, high=len(labels) - 0.5, ticks=_time_ticks(labels), thin=True),
        Axis(
            "topic",
            low=max(1, len(topics)) - 0.5,
            high=-0.5,
            ticks=tuple((row[topic], f"{topic} {names[topic]}") for topic in topics),
        ),
        (points,),
        note="A topic emerges where many of its tokens are new words, and fades where its share falls far below that "
        "of its window. The words are those of the time.",
        legend=(("emerges", 1), ("fades", 0)),
        row_height=20,
    )


def words_over_time(model: Any, topic: int, *, top: int = 7) -> Figure:
    """Return the probabilities of the words of a topic over time.

    Parameters
    ----------
    model : OnlineLDA
        A fitted model.
    topic : int
        Number of the topic.
    top : int, default 7
        Number of words: those with the highest probability in some slice.

    Returns
    -------
    Figure
        One line per word.

    Examples
    --------
    >>> from plait import OnlineLDA
    >>> model = OnlineLDA(2, window=1, n_sweeps=5, random_state=0, verbose=False)
    >>> for month, word in [("May", "credit"), ("June", "fever")]:
    ...     model = model.partial_fit(["river stream water", f"{word} {word}s"] * 9, label=month)
    >>> figure = words_over_time(model, 0, top=4)
    >>> {line.name: line.y[0] < line.y[1] for line in figure.marks}
    {'credit': False, 'credits': False, 'fever': True, 'fevers': True}
    """
    check_model(model, "words_over_time", "a figure of words over time")
    check_whole("top", top, least=1)
    points = model.words_over_time(topic, top=20)
    labels = [str(point.slice) for point in points]
    found: dict[str, np.ndarray] = {}
    for at, point in enumerate(points):
        for word, weight in zip(point.words, point.weights, strict=True):
            found.setdefault(str(word), np.zeros(len(points)))[at] = weight
    chosen = sorted(found, key=lambda word: -float(found[word].max()))[:top]
    xs = tuple(float(at) for at in range(len(points)))
    lines = tuple(
        Line(
            xs,
            tuple(float(value) for value in found[word]),
            colour,
            word,
            tuple(
                f"{label}\n{word}: {value:.1%} of the topic" for label, value in zip(labels, found[word], strict=True)
            ),
        )
        for colour, word in enumerate(chosen)
    )
    return Figure(
        f"Words of topic {topic} over time: {topic_names(model)[topic]}",
        Axis("time slice", low=0.0, high=max(1.0, xs[-1]), ticks=_time_ticks(labels), thin=True),
        Axis("probability in the topic", low=0.0, percent=True),
        lines,
        note="A word without a line in a slice is not among the 20 most probable words there.",
        aspect=0.45,
    )


def topic_trends(slices: Sequence[Any], topics: Sequence[int]) -> Panels:
    """Return the share of each topic over time, one panel per topic.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream, or those of `topic_slices`.
    topics : sequence of int
        Topics.

    Returns
    -------
    Panels
        Words are beside the time slice that they are of: the slice with the largest share, and the current one.

    Examples
    --------
    >>> from plait import OnlineLDA
    >>> model = OnlineLDA(2, window=1, n_sweeps=5, random_state=0, verbose=False)
    >>> for month, word in [("May", "credit"), ("June", "fever")]:
    ...     model = model.partial_fit(["river stream water", f"{word} {word}s"] * 9, label=month)
    >>> panels = topic_trends(model.slices_, [0, 1])
    >>> panels.figures[0].title.splitlines()
    ['0: credit credits stream water (May)', 'now: fever fevers credit credits']
    """
    labels = [one.label for one in slices]
    xs = tuple(float(at) for at in range(len(slices)))
    panels = []
    for topic in topics:
        shares = tuple(float(one.topic_share[topic]) for one in slices)
        hovers = tuple(
            f"{one.label}: {share:.1%}\n{' '.join(map(str, one.words[topic][:10]))}"
            for one, share in zip(slices, shares, strict=True)
        )
        panels.append(
            Figure(
                "\n".join(_panel_titles(slices, topic)),
                Axis("", ticks=_time_ticks(labels), thin=True),
                Axis("", low=0.0, percent=True),
                (Line(xs, shares, 0, hover=hovers, markers=len(xs) < 60),),
                aspect=0.5,
            )
        )
    return Panels("Topic shares by time slice (share of tokens)", tuple(panels), columns=min(3, max(1, len(panels))))


def _panel_titles(slices: Sequence[Any], topic: int) -> list[str]:
    """Return the lines above a panel: the words of a topic where its share is largest, and its current words."""
    shares = [float(one.topic_share[topic]) for one in slices]
    peak = int(np.nanargmax(shares))
    now = max(place for place, one in enumerate(slices) if not one.empty)
    lines = [f"{topic}: {_words(slices[peak], topic)} ({slices[peak].label})"]
    if peak != now:
        lines.append(f"now: {_words(slices[now], topic) or 'no tokens'}")
    return lines


def _words(one: Any, topic: int) -> str:
    return " ".join(map(str, one.words[topic][:_TITLE_WORDS])) if one.topic_share[topic] > 0 else ""


def _time_ticks(labels: Sequence[str]) -> tuple[tuple[float, str], ...]:
    """Return a tick per slice: its beginning. Renderers leave out ticks without room."""
    return tuple((float(at), label.partition(" to ")[0].partition(" until ")[0]) for at, label in enumerate(labels))
