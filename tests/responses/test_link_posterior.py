"""Links as a response: topics given weights and auxiliary variables, against every assignment listed.

Directions are made of other documents' topics and must follow them within a sweep, in either way of a link.
"""

from __future__ import annotations

import numpy as np
import pytest

from plait.errors import PlaitError
from plait.responses import Hinge, Logistic
from plait.responses.base import DocTopics
from plait.responses.linear.pairs import Network
from plait.samplers import Aggregated, AggregatedSparse, Plain
from tests.responses.definitions import (
    Labels,
    chance_of,
    held_links,
    hold,
    link_chain,
    log_labels,
    log_links,
    posterior,
)
from tests.samplers.small import shards_of

pytestmark = pytest.mark.slow

DOCUMENTS = [[0, 0, 1], [0, 2], [1, 2], [0]]
WITHOUT_REPEATS = [[0, 1, 2], [0, 1], [0, 2], [0]]
N_WORDS = 3
ALPHA = np.array([0.6, 1.1])
BETA = np.full((2, N_WORDS), 0.8)
TOPICS = DocTopics(np.array([[2, 1], [0, 2], [1, 1], [1, 0]]), np.array([3.0, 2.0, 2.0, 1.0]))
# Documents 0 and 1 link to each other, 0 is linked to from 2, 1 does not link to 2, and 3 has nothing to do with any.
NETWORK = Network(4, np.array([2, 0, 1]), np.array([0, 1, 0]), np.array([1.5, 1.0, 2.0]), True)
UNLINKED = [(1, 2)]
WEIGHTS = {
    "full": np.array([[0.9, -1.8], [1.2, 0.6]]),
    "symmetric": np.array([[1.1, -0.8], [-0.8, -0.6]]),
    "diagonal": np.diag([1.8, -1.2]),
}
LABELS = np.array([[1.0], [np.nan], [-1.0], [1.0]])


def make_links(form, loss):
    return held_links(NETWORK, UNLINKED, WEIGHTS[form], TOPICS, loss, form=form)


def make_labels():
    labels = Labels(LABELS, Hinge(1.0), costs=1.2)
    labels.begin(2, np.uint64(0))
    labels.weights = np.array([[1.0, -0.7]])
    labels.draw_auxiliaries(TOPICS, np.uint64(6))
    return hold(labels)


def frequencies(exact, responses, documents=DOCUMENTS, sampler=None, n_kept=4000, every=3):
    """Return how often each assignment was seen in a long chain that draws topics alone."""
    chain = link_chain(documents, responses, alpha=ALPHA, beta=0.8, n_words=N_WORDS, sampler=sampler, seed=4)
    seen = dict.fromkeys(exact, 0)
    for _ in range(n_kept):
        for _ in range(every):
            chain.sweep()
        seen[tuple(shards_of(chain)[0].state.topics.tolist())] += 1
    return seen


@pytest.mark.parametrize("form", WEIGHTS)
@pytest.mark.parametrize("loss", [Logistic(), Hinge(0.7)], ids=["logistic", "hinge"])
def test_topics_given_weights_and_auxiliaries_are_drawn_from_the_joint(form, loss):
    links = make_links(form, loss)
    exact = posterior(DOCUMENTS, ALPHA, BETA, lambda doc_topic: log_links(links, doc_topic))
    assert chance_of(exact, frequencies(exact, [links])) > 0.001


# They draw all occurrences of a word at once: exact where no word stands twice in a document.
@pytest.mark.parametrize("sampler", [Aggregated(), AggregatedSparse(1.0)], ids=lambda sampler: sampler.name)
def test_aggregated_samplers_are_exact_where_no_word_repeats(sampler):
    links = make_links("full", Logistic())
    exact = posterior(WITHOUT_REPEATS, ALPHA, BETA, lambda doc_topic: log_links(links, doc_topic))
    assert chance_of(exact, frequencies(exact, [links], WITHOUT_REPEATS, sampler)) > 0.001


@pytest.mark.parametrize("form", ["full", "diagonal"])
def test_topics_answer_to_labels_and_links_together(form):
    labels, links = make_labels(), make_links(form, Logistic())
    exact = posterior(DOCUMENTS, ALPHA, BETA, lambda row: log_labels(labels, row) + log_links(links, row))
    assert chance_of(exact, frequencies(exact, [labels, links])) > 0.001


@pytest.mark.parametrize("n_shards", [1, 2])
def test_a_second_response_of_links_is_refused(n_shards):
    networks = [make_links(form, Logistic()) for form in ("full", "diagonal")]
    with pytest.raises(PlaitError, match="a model can have only one response"):
        link_chain(DOCUMENTS, networks, alpha=ALPHA, n_words=N_WORDS, n_shards=n_shards).sweep()


def test_the_order_of_responses_changes_no_bit():
    states = []
    for turn in (1, -1):
        responses = [make_labels(), make_links("full", Logistic())][::turn]
        chain = link_chain(DOCUMENTS, responses, alpha=ALPHA, beta=0.8, n_words=N_WORDS, sampler=Plain(), seed=4)
        drawn = []
        for _ in range(50):
            chain.sweep()
            drawn.append(shards_of(chain)[0].state.topics.tolist())
        states.append(drawn)
    assert states[0] == states[1]
