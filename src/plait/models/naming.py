"""Names of topics: names that the prior gives, the rule by which a topic keeps one, and checks of given names.

A prior names a topic by the words that it expects of it: seed words, or words of articles. The documents may outweigh
a prior, so a name is kept only if the topic became what the prior says. With n_kw the topic–word counts averaged over
samples (without the prior), b the smallest pseudo-count of the prior, and q the expected words, normalised, topic k
keeps its name if both hold:

1. Σ_w q_w (n_jw + b) / (n_j + b W) is larger for j = k than for every other topic j.
2. At least one expected word is among the 30 most frequent words of topic k.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from plait._utils.text import printable
from plait._utils.wording import join_names
from plait.corpus.problems import BadValueError
from plait.corpus.values import check_text, shown
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.priors import AnyPrior, HistoryPrior, align_prior, as_prior, topic_names

_TOP_WORDS = 30  # among which a word that the prior expects must be
_MOST_CHARACTERS = 200  # of a name


class PriorNames(NamedTuple):
    """Names that topics have from the prior, "" for none, and a sentence for every name that was withdrawn."""

    names: list[str]
    problems: list[str]


def names_from_prior(
    prior: AnyPrior, vocabulary: np.ndarray | None, groups: Sequence[Sequence[Sample]], n_words: int
) -> PriorNames:
    """Return the names that the prior gives to topics which became what it says.

    Parameters
    ----------
    prior : prior
        The prior of the model.
    vocabulary : ndarray of str or None
        The words.
    groups : sequence of sequence of Sample
        Samples of the first chain of each group; the prior names the first topics of each.
    n_words : int
        Size of the vocabulary.

    Returns
    -------
    PriorNames
        One name per topic of all groups.
    """
    n_topics = groups[0][0].alpha.size
    # Names of seeds and titles of articles may come from files: control characters are written out, long ones cut.
    given = [*(printable(name).strip()[:_MOST_CHARACTERS] for name in topic_names(prior)), *[""] * n_topics][:n_topics]
    if not any(given):
        return PriorNames(given * len(groups), [])
    past: list[np.ndarray] = []
    while isinstance(prior, HistoryPrior):
        past += list(prior.past)
        prior = as_prior(prior.base)
    with warnings.catch_warnings():  # words that the vocabulary lacks were reported when the chains were made
        warnings.simplefilter("ignore")
        expected = np.asarray(align_prior(prior, vocabulary, n_topics).pseudo_counts(n_topics, n_words))
    if expected.ndim < 2:  # the prior expects nothing of the topics that it names
        return PriorNames(given * len(groups), [])
    names: list[str] = []
    problems: list[str] = []
    for samples in groups:
        counts = _mean_counts(samples, past)
        for topic, name in enumerate(given):
            problem = _find_problem(expected[topic], counts, topic, float(expected.min())) if name else ""
            problems += [f"topic {len(names)} is not named {shown(name)}: {problem}"] if problem else []
            names.append("" if problem else name)
    return PriorNames(names, problems)


def _mean_counts(samples: Sequence[Sample], past: Sequence[np.ndarray]) -> np.ndarray:
    """Return topic–word counts averaged over samples, with those of past time slices."""
    counts = np.asarray(sum(sample.word_topic.astype(np.float64) for sample in samples).T.toarray()) / len(samples)
    for one in past:
        counts[:, : one.shape[1]] += one
    return counts


def _find_problem(expected: np.ndarray, counts: np.ndarray, topic: int, base: float) -> str:
    """Return why a topic is not what the prior expects; "" if it is."""
    wanted = expected - expected.min()
    wanted = np.where(counts.any(axis=0), wanted, 0.0)
    if not wanted.any():
        return "none of the words that name it occurs in the documents"
    scores = (counts @ (wanted / wanted.sum()) + base) / (counts.sum(axis=1) + base * counts.shape[1])
    others = np.delete(scores, topic)
    if others.size and not scores[topic] > others.max():
        best = int(np.flatnonzero(scores == others.max())[-1])
        return f"the words that name it are as probable in topic {best}, or more"
    first = np.argsort(-counts[topic], kind="stable")[:_TOP_WORDS]
    if not ((wanted[first] > 0) & (counts[topic, first] > 0)).any():
        return f"none of the words that name it is among its {_TOP_WORDS} most frequent words"
    return ""


def warn_of_problems(problems: Sequence[str]) -> None:
    """Warn about names that topics did not keep.

    Parameters
    ----------
    problems : sequence of str
        Sentences of `names_from_prior`.
    """
    if problems:
        warnings.warn(
            f"{'; '.join(problems)} (a topic keeps the name of its prior only if it became what the prior says; "
            "name_topics gives it another name)",
            stacklevel=2,
        )


def check_topic_number(topic: Any, n_topics: int) -> int:
    """Return the number of a topic; raise an error if there is no such topic.

    Parameters
    ----------
    topic : object
        The number.
    n_topics : int
        Number of topics.

    Examples
    --------
    >>> check_topic_number(3, 3)
    Traceback (most recent call last):
    plait.errors.PlaitError: there is no topic 3; the model has topics 0 to 2
    """
    if isinstance(topic, bool) or not isinstance(topic, (int, np.integer)):
        raise PlaitError(f"a topic is given by its number, not by {shown(topic)}; topics() lists the numbers")
    if not 0 <= topic < n_topics:
        raise PlaitError(f"there is no topic {topic}; the model has topics 0 to {n_topics - 1}")
    return int(topic)


def check_name(name: Any, topic: int) -> str:
    """Return a name of a topic without surrounding blanks; raise an error if it cannot be one.

    Parameters
    ----------
    name : object
        The name.
    topic : int
        Number of the topic, for the message.

    Examples
    --------
    >>> check_name(" space ", 3)
    'space'
    """
    if not isinstance(name, str):
        raise PlaitError(f"the name of topic {topic} is {shown(name)}; a name is text, or None for no name")
    name = name.strip()
    if not name:
        raise PlaitError(f"the name of topic {topic} is blank; give a name, or None for no name")
    try:
        check_text(name)
    except BadValueError as error:
        raise PlaitError(f"the name of topic {topic}: {error.message}; remove it") from None
    if not name.isprintable():
        raise PlaitError(f"the name of topic {topic} has a line break or a control character: {shown(name)}; remove it")
    if len(name) > _MOST_CHARACTERS:
        raise PlaitError(
            f"the name of topic {topic} has {len(name):,} characters; give at most {_MOST_CHARACTERS}: {shown(name)}"
        )
    return name


def rename(names: Sequence[str], changes: Mapping[int, str | None]) -> list[str]:
    """Return names with some changed; a name that two topics would have is an error.

    Parameters
    ----------
    names : sequence of str
        The present names, "" for none.
    changes : mapping of int to str or None
        New names by topic; None removes a name.

    Returns
    -------
    list of str
        The new names.

    Examples
    --------
    >>> rename(["", "sea"], {0: "space", 1: None})
    ['space', '']
    """
    renamed = [
        (check_name(changes[topic], topic) if changes[topic] is not None else "") if topic in changes else name
        for topic, name in enumerate(names)
    ]
    for topic in sorted(changes):
        same = [other for other, name in enumerate(renamed) if name and name == renamed[topic]]
        if len(same) > 1:
            raise PlaitError(
                f"topics {join_names(map(str, same))} would have the same name, {shown(renamed[topic])}; names must "
                "differ: give another, or merge the topics"
            )
    return renamed


def topic_columns(names: Sequence[str], reserved: Sequence[str] = ()) -> list[str]:
    """Return one column name per topic for tables: its name, or "topic_3" for an unnamed topic 3.

    A name that cannot be a column because another column has it stands after the number.

    Parameters
    ----------
    names : sequence of str
        Names of the topics, "" for none.
    reserved : sequence of str, default ()
        Names of other columns.

    Returns
    -------
    list of str
        Distinct names.

    Examples
    --------
    >>> topic_columns(["space", "", "id"], reserved=["id"])
    ['space', 'topic_1', 'topic_2 id']
    """
    plain = [f"topic_{topic}" for topic in range(len(names))]
    taken = {*reserved, *plain}
    columns = []
    for column, name in zip(plain, names, strict=True):
        shared = name in taken or list(names).count(name) > 1
        columns.append(f"{column} {name}" if name and shared else name or column)
    return columns
