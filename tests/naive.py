"""The model straight from its definition, slow and obvious: what every fast path is compared with.

A corpus is a list of documents, a document a list of words (numbers); an assignment has the same shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.special import gammaln

Documents = list[list[int]]

# What responses say: for each document pairs of pull and precision with a direction over topics.
Observations = list[list[tuple[float, float, np.ndarray]]]


def count(documents: Documents, topics: Documents, n_topics: int, n_words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n_dk (documents × topics) and n_kw (topics × words)."""
    doc_topic = np.zeros((len(documents), n_topics))
    topic_word = np.zeros((n_topics, n_words))
    for d, (words, assigned) in enumerate(zip(documents, topics, strict=True)):
        for word, topic in zip(words, assigned, strict=True):
            doc_topic[d, topic] += 1
            topic_word[topic, word] += 1
    return doc_topic, topic_word


def log_dirichlet_multinomial(counts: np.ndarray, parameters: np.ndarray) -> float:
    """Return log of Δ(counts + parameters) / Δ(parameters): eq. (5) of Bíró and Szabó (2009), one factor."""
    return float(
        gammaln(counts + parameters).sum()
        - gammaln((counts + parameters).sum())
        - gammaln(parameters).sum()
        + gammaln(parameters.sum())
    )


def linear_observations(tilt: np.ndarray, documents: Documents) -> Observations:
    """Return a factor tilt_dk for every word of document d in topic k, as observations without precision."""
    return [[(1.0, 0.0, len(words) * np.log(row))] for words, row in zip(documents, tilt, strict=True)]


def log_response(row: np.ndarray, observations: list[tuple[float, float, np.ndarray]]) -> float:
    """Return Σ pull m − precision m² / 2 of a document's topics, m being the projection of their mean."""
    mean = row / max(row.sum(), 1.0)
    return float(sum(pull * (u @ mean) - precision * (u @ mean) ** 2 / 2 for pull, precision, u in observations))


def log_joint(
    documents: Documents,
    topics: Documents,
    alpha: np.ndarray,
    beta: np.ndarray,
    observations: Observations | None = None,
) -> float:
    """Return log p(words, topics), proportions and topics' words integrated out, plus what observations say."""
    doc_topic, topic_word = count(documents, topics, *beta.shape)
    total = sum(log_dirichlet_multinomial(row, alpha) for row in doc_topic)
    total += sum(log_dirichlet_multinomial(row, prior) for row, prior in zip(topic_word, beta, strict=True))
    if observations is not None:
        total += sum(log_response(row, said) for row, said in zip(doc_topic, observations, strict=True))
    return total


def all_assignments(documents: Documents, n_topics: int) -> Iterator[Documents]:
    """Yield every way to give each word a topic."""
    lengths = [len(words) for words in documents]
    for flat in itertools.product(range(n_topics), repeat=sum(lengths)):
        pieces = iter(flat)
        yield [[next(pieces) for _ in range(length)] for length in lengths]


def posterior(
    documents: Documents, alpha: np.ndarray, beta: np.ndarray, observations: Observations | None = None
) -> dict[tuple[int, ...], float]:
    """Return the exact probability of every assignment, keyed by all topics in a row."""
    assignments = list(all_assignments(documents, alpha.size))
    logs = np.array([log_joint(documents, topics, alpha, beta, observations) for topics in assignments])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return {tuple(itertools.chain(*topics)): float(w) for topics, w in zip(assignments, weights, strict=True)}


def conditional(
    documents: Documents,
    topics: Documents,
    document: int,
    position: int,
    alpha: np.ndarray,
    beta: np.ndarray,
    observations: Observations | None = None,
) -> np.ndarray:
    """Return p(topic of one word | all other topics), by trying each topic in the joint."""
    logs = []
    for topic in range(alpha.size):
        changed = [list(row) for row in topics]
        changed[document][position] = topic
        logs.append(log_joint(documents, changed, alpha, beta, observations))
    weights = np.exp(np.array(logs) - max(logs))
    return weights / weights.sum()


def linked_log_joint(
    documents: Documents,
    topics: Documents,
    drawn_from: Documents,
    gamma: list[dict[int, float]],
    alpha: np.ndarray,
    beta: np.ndarray,
    observations: Observations | None = None,
) -> float:
    """Return log p(words, topics, documents drawn from): eq. (5) of Bíró and Szabó (2009), plus what observations say.

    `gamma` has for each document its candidates with their γ; `drawn_from` says from which document each word is.
    """
    own_topics, topic_word = count(documents, topics, *beta.shape)
    drawn_topics = np.zeros((len(documents), alpha.size))
    total = 0.0
    for d, candidates in enumerate(gamma):
        taken = [drawn_from[d].count(candidate) for candidate in candidates]
        total += log_dirichlet_multinomial(np.array(taken), np.array(list(candidates.values())))
        for source, topic in zip(drawn_from[d], topics[d], strict=True):
            drawn_topics[source, topic] += 1
    total += sum(log_dirichlet_multinomial(row, alpha) for row in drawn_topics)
    total += sum(log_dirichlet_multinomial(row, prior) for row, prior in zip(topic_word, beta, strict=True))
    if observations is not None:
        total += sum(log_response(row, said) for row, said in zip(own_topics, observations, strict=True))
    return total


def linked_posterior(
    documents: Documents,
    gamma: list[dict[int, float]],
    alpha: np.ndarray,
    beta: np.ndarray,
    observations: Observations | None = None,
) -> dict[tuple[tuple[int, int], ...], float]:
    """Return the exact probability of every assignment, keyed by (document drawn from, topic) of all words in a row."""
    choices = [list(itertools.product(gamma[d], range(alpha.size))) for d, words in enumerate(documents) for _ in words]
    logs = {}
    for flat in itertools.product(*choices):
        pieces = iter(flat)
        pairs = [[next(pieces) for _ in words] for words in documents]
        sources = [[source for source, _ in row] for row in pairs]
        topics = [[topic for _, topic in row] for row in pairs]
        logs[flat] = linked_log_joint(documents, topics, sources, gamma, alpha, beta, observations)
    most = max(logs.values())
    mass = sum(np.exp(value - most) for value in logs.values())
    return {flat: float(np.exp(value - most) / mass) for flat, value in logs.items()}


def frozen_transition(
    words: list[int],
    topics: list[int],
    alpha: np.ndarray,
    beta: np.ndarray,
    topic_word: np.ndarray,
    said: list[tuple[float, float, np.ndarray]] | None = None,
    *,
    cached: bool = False,
    metropolis: bool = False,
) -> dict[tuple[int, ...], float]:
    """Return the probability of every assignment of a document after one synchronous sweep.

    `topic_word` are the counts of the start of the sweep; they include the document and do not change. With
    `metropolis`, responses decide about a topic that was drawn without them.
    """
    start = np.bincount(topics, minlength=alpha.size).astype(float)
    states = {tuple(topics): 1.0}
    for position, word in enumerate(words):
        after: dict[tuple[int, ...], float] = {}
        for state, probability in states.items():
            own = state[position]
            counts = topic_word.astype(float)
            counts[own, word] -= 1
            others = np.bincount(np.delete(state, position), minlength=alpha.size).astype(float)
            chances = (others + alpha) * (counts[:, word] + beta[:, word]) / (counts + beta).sum(axis=1)
            chances /= chances.sum()
            if said is not None:
                tilt = frozen_tilt(start if cached else others, said, len(words), cached)
                chances = metropolis_step(chances, tilt, own) if metropolis else chances * np.exp(tilt)
                chances /= chances.sum()
            for topic, chance in enumerate(chances):
                new = (*state[:position], topic, *state[position + 1 :])
                after[new] = after.get(new, 0.0) + probability * chance
        states = after
    return states


def frozen_tilt(row: np.ndarray, said: list[tuple[float, float, np.ndarray]], length: int, cached: bool) -> np.ndarray:
    """Return τ of every topic, given the topics of the other tokens, or of all tokens where it is cached."""
    tilt = np.zeros(row.size)
    for pull, precision, direction in said:
        mean = direction @ row / length * ((length - 1) / length if cached else 1.0)
        tilt += direction * (pull - precision * mean) / length - precision * direction**2 / (2 * length**2)
    return tilt


def metropolis_step(proposal: np.ndarray, log_ratio: np.ndarray, own: int) -> np.ndarray:
    """Return the distribution after a proposal that is accepted with min(1, exp(log_ratio[new] − log_ratio[own]))."""
    moved = proposal * np.minimum(1.0, np.exp(log_ratio - log_ratio[own]))
    moved[own] = 0.0
    moved[own] = 1.0 - moved.sum()
    return moved
