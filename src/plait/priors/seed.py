"""The seed prior: named topics, each with seed words of a higher pseudo-count."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait._utils.topic_rows import Origins
from plait._utils.validation import check_above_zero, check_positive
from plait._utils.wording import join_names
from plait.corpus.problems import BadValueError
from plait.corpus.values import check_text
from plait.errors import PlaitError
from plait.priors.base import column_by_word
from plait.priors.symmetric import SymmetricPrior
from plait.priors.table import TablePrior


@dataclass(frozen=True)
class SeedPrior:
    """Named topics with seed words; the other topics of the model have the symmetric prior `base`.

    The named topics are the first topics of the model, in the order given. The pseudo-count of a seed word in its
    topic is `base` + `strength`. The documents can outweigh it: a seeded topic that no document is about shrinks.

    Parameters
    ----------
    seeds : mapping of str to sequence of str
        Seed words by topic name. A word may belong to several topics. A word is looked up as written, then in lower
        case. A warning lists seed words outside the vocabulary; they are ignored.
    strength : float, default 10.0
        Pseudo-count of each seed word.
    base : float, default 0.01
        Symmetric Dirichlet prior on topic–word distributions (β).

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
        # A copy of plain dicts and tuples can be stored in a file and is not changed by the caller.
        object.__setattr__(self, "seeds", _check_seeds(self.seeds))
        check_above_zero("strength, the pseudo-count of each seed word,", self.strength)
        check_positive("base", self.base)

    @property
    def topic_names(self) -> tuple[str, ...]:
        """Names of the first topics."""
        return tuple(self.seeds)

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> TablePrior:
        """Return the prior aligned with a vocabulary.

        Parameters
        ----------
        vocabulary : ndarray of str or None
            Words of the columns. None raises an error.
        n_topics : int
            Number of topics of the model, at least the number of named topics.

        Returns
        -------
        TablePrior
            Pseudo-counts topics × words.
        """
        column_of = column_by_word(self, vocabulary)
        if n_topics < len(self.seeds):
            raise PlaitError(
                f"the SeedPrior has {len(self.seeds)} topics ({join_names(self.seeds)}), but the model has "
                f"n_topics={n_topics}; set n_topics={len(self.seeds)} or more, or remove topics from the seeds"
            )
        table = np.full((n_topics, len(column_of)), float(self.base))
        missing: dict[str, None] = {}  # an ordered set
        for row, words in zip(table, self.seeds.values(), strict=False):
            found = {word: column_of.get(word, column_of.get(word.lower(), -1)) for word in words}
            missing |= {word: None for word, column in found.items() if column < 0}
            row[[column for column in set(found.values()) if column >= 0]] += self.strength
        self._warn_about_missing(missing)
        return TablePrior(table)

    def with_topics(self, origins: Origins) -> SeedPrior | SymmetricPrior:
        """Return the prior of edited topics; a merged topic has all seeds, of a split one the first part keeps them.

        Parameters
        ----------
        origins : sequence of sequence of int
            Topics that each new topic is made of.
        """
        named = list(self.seeds.items())
        seeds: dict[str, tuple[str, ...]] = {}
        left = set(range(len(named)))
        for own in origins:
            merged = [named[topic] for topic in own if topic in left]
            left -= set(own)
            if merged:
                words = dict.fromkeys(word for _, of_topic in merged for word in of_topic)
                seeds[" / ".join(name for name, _ in merged)] = tuple(words)
        return SeedPrior(seeds, self.strength, self.base) if seeds else SymmetricPrior(self.base)

    def _warn_about_missing(self, missing: Mapping[str, None]) -> None:
        """Warn about seed words outside the vocabulary; raise an error if all of them are."""
        every = {word for words in self.seeds.values() for word in words}
        if len(missing) == len(every):
            raise PlaitError(
                f"the vocabulary has none of the {len(every)} seed words ({join_names(missing)}); write them as in "
                "corpus.vocabulary (lower case, no stop words)"
            )
        if missing:
            warnings.warn(
                f"{len(missing)} of {len(every)} seed words are not in the vocabulary and are ignored: "
                f"{join_names(missing)}",
                stacklevel=2,
            )


def _check_seeds(seeds: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return seeds as plain dicts and tuples; raise an error if they are invalid."""
    if not isinstance(seeds, Mapping) or not seeds:
        raise PlaitError(f"seeds must map topic names to words, such as {{'finance': ['loan', 'bank']}}, not {seeds!r}")
    for name, words in seeds.items():
        if not isinstance(name, str) or not name.strip():
            raise PlaitError(f"seeds has a topic named {name!r}; a name must be text")
        if isinstance(words, str) or not isinstance(words, Sequence | np.ndarray) or not len(words):
            raise PlaitError(f"the seeds of topic {name!r} must be a list of words, not {words!r}")
        wrong = [word for word in words if not isinstance(word, str)]
        if wrong:
            raise PlaitError(f"the seeds of topic {name!r} contain {wrong[0]!r}; every word must be text")
        try:
            for text in (name, *words):
                check_text(text)
        except BadValueError as error:
            raise PlaitError(f"the seeds of topic {name!r}: {error.message}; remove it") from None
    return {str(name): tuple(str(word) for word in words) for name, words in seeds.items()}
