"""The seed prior: topics that a user has names for, each with words that it should begin from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait._utils.validation import check_above_zero, check_positive
from plait.errors import PlaitError
from plait.priors.base import columns_of_words
from plait.priors.table import TablePrior

_MOST_NAMED = 10  # words in a warning


@dataclass(frozen=True)
class SeedPrior:
    """Topics with names and words to begin from; the other topics of a model are plain.

    The named topics are the first ones of the model, in the order given. A seed word has seen `strength` more of its
    topic than any other word has. What the documents say may outweigh it: a topic that nobody writes about fades.

    Parameters
    ----------
    seeds
        Words by the name of their topic. A word may stand in several topics. It is looked up as it is written, and
        then in lower case. Words that the documents do not have are named in a warning.
    strength
        How often a topic has seen each of its seed words beforehand.
    base
        How often any topic has seen any word beforehand (β of the plain model).

    Examples
    --------
    >>> from plait import LDA, Corpus, SeedPrior
    >>> corpus = Corpus.from_texts(["river stream bank", "stream river", "money loan bank", "loan money money"] * 9)
    >>> prior = SeedPrior({"finance": ["loan"], "nature": ["river", "stream"]})
    >>> model = LDA(n_topics=2, beta=prior, random_state=0, verbose=False).fit(corpus)
    >>> [(topic.name, topic.words[0]) for topic in model.topics()]
    [('finance', 'loan'), ('nature', 'river')]
    """

    seeds: Mapping[str, Sequence[str]]
    strength: float = 10.0
    base: float = 0.01

    def __post_init__(self) -> None:
        # A copy of plain dicts and tuples: a file can keep it, and nobody can change it from outside.
        object.__setattr__(self, "seeds", _checked_seeds(self.seeds))
        check_above_zero("strength, how often a topic has seen its seed words beforehand,", self.strength)
        check_positive("base", self.base)

    @property
    def topic_names(self) -> tuple[str, ...]:
        """The names of the first topics."""
        return tuple(self.seeds)

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> TablePrior:
        """Return the same as a table topics × words of a vocabulary; see `plait.priors.NamedPrior`."""
        column_of = columns_of_words(self, vocabulary)
        if n_topics < len(self.seeds):
            raise PlaitError(
                f"the SeedPrior has {len(self.seeds)} topics ({_listed(self.seeds)}), but the model has "
                f"n_topics={n_topics}; give n_topics={len(self.seeds)} or more, or leave topics out of the seeds"
            )
        table = np.full((n_topics, len(column_of)), float(self.base))
        missing: dict[str, None] = {}  # a set that keeps the order
        for row, words in zip(table, self.seeds.values(), strict=False):
            found = {word: column_of.get(word, column_of.get(word.lower(), -1)) for word in words}
            missing |= {word: None for word, column in found.items() if column < 0}
            row[[column for column in set(found.values()) if column >= 0]] += self.strength
        self._tell(missing)
        return TablePrior(table)

    def _tell(self, missing: Mapping[str, None]) -> None:
        """Warn about seed words that the documents do not have; refuse if they have none."""
        every = {word for words in self.seeds.values() for word in words}
        if len(missing) == len(every):
            raise PlaitError(
                f"the documents have none of the {len(every)} seed words ({_listed(missing)}); write them as the "
                "vocabulary of the corpus does (corpus.vocabulary: lower case, no stop words)"
            )
        if missing:
            warnings.warn(
                f"{len(missing)} of {len(every)} seed words are not in the documents and say nothing: "
                f"{_listed(missing)}",
                stacklevel=2,
            )


def _checked_seeds(seeds: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return seeds as plain dicts and tuples, or say what is wrong with them."""
    if not isinstance(seeds, Mapping) or not seeds:
        raise PlaitError(f"seeds must be words by topic such as {{'finance': ['loan', 'bank']}}, not {seeds!r}")
    for name, words in seeds.items():
        if not isinstance(name, str) or not name.strip():
            raise PlaitError(f"seeds holds a topic with the name {name!r}; a name must be text")
        if isinstance(words, str) or not isinstance(words, Sequence | np.ndarray) or not len(words):
            raise PlaitError(f"the seeds of the topic {name!r} must be a list of words, not {words!r}")
        wrong = [word for word in words if not isinstance(word, str)]
        if wrong:
            raise PlaitError(f"the seeds of the topic {name!r} hold {wrong[0]!r}; every word must be text")
    return {str(name): tuple(str(word) for word in words) for name, words in seeds.items()}


def _listed(words: Mapping[str, object]) -> str:
    names = list(words)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
