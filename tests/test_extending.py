"""One file adds a loss, response, mixing, prior, sampler or executor: it is found, registered, and a model uses it."""

from __future__ import annotations

import importlib
import sys
from textwrap import dedent

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import LDA, LabelResponse, TopicModel
from plait._utils.discovery import find_classes
from plait.engine.chain import Chain
from plait.executors import Executor, Threads, as_executor
from plait.mixing import MIXINGS, OwnDocument
from plait.priors import PRIORS, Prior, SymmetricPrior, WordPrior
from plait.responses import LOSSES, RESPONSES, Loss, Response
from plait.samplers import SAMPLERS, Plain, Sampler, as_sampler

COUNTS = np.repeat([[6, 3, 1, 0], [0, 1, 3, 6]], 8, axis=0)
CLASSES = np.repeat(["a", "b"], 8)
QUICK = {"n_topics": 2, "n_sweeps": 30, "n_samples": 4, "sample_every": 1, "random_state": 0, "verbose": False}

LOSS = """
    from dataclasses import dataclass
    from typing import ClassVar

    from plait.responses.losses.base import Loss, Pseudo


    @dataclass(frozen=True)
    class Toy(Loss):
        '''Signs as real targets with noise of standard deviation `ell`.'''

        ell: float = 1.0

        name: ClassVar[str] = "toy"

        def begin(self, targets, costs):
            return Pseudo(costs * targets / self.ell**2, costs / self.ell**2)

        def observe(self, targets, values, costs, random):
            return self.begin(targets, costs)

        def log_likelihood(self, targets, values, costs):
            return -costs * (targets - values) ** 2 / (2 * self.ell**2)
"""

RESPONSE = """
    from dataclasses import dataclass

    import numpy as np

    from plait.responses.base import ChainResponse, Response, ShardResponse
    from plait.samplers.base import Observations


    @dataclass(frozen=True)
    class Toy(Response):
        '''Long documents should hold the first topic, and others should not.'''

        strength: float = 20.0

        kind = "toy"

        def check(self):
            assert self.strength > 0

        def read(self, X, given, words, n_topics):
            lengths = np.asarray(words.counts.sum(axis=1), dtype=float).ravel()
            return np.where(lengths > np.median(lengths), 1.0, -1.0)

        def arrays(self, given):
            return [given]

        def make(self, given, *, exact, mean=None):
            return ToyChain(self.strength * given, exact)


    class ToyChain(ChainResponse):
        def __init__(self, pulls, exact):
            self._pulls, self._exact = pulls, exact

        def begin(self, n_topics, key):
            self.weights = np.eye(1, n_topics)

        def cut(self, runs):
            return [ToyShard(self._pulls[first:last], self._exact) for first, last in runs], None

        def message(self):
            return self.weights

        def draw_weights(self, sums, key, map):
            pass

        def mean_weights(self, sums, map):
            return self.weights

        def arrays(self):
            return {"weights": self.weights}

        def load(self, arrays):
            self.weights = np.array(arrays["weights"])


    class ToyShard(ShardResponse):
        def __init__(self, pulls, exact):
            self._pulls, self._exact = pulls, exact

        def statistics(self, topics, message, map):
            return (np.array([topics.counts[:, 0] @ self._pulls]),)

        def draw_auxiliaries(self, topics, message, key, map):
            return None

        def observations(self, topics, message, width, map):
            n_documents = self._pulls.size
            direction = np.zeros(width, np.float32)
            direction[: message.shape[1]] = message[0]
            rows, precision = np.zeros(n_documents, np.int32), np.full(n_documents, 1e-3)
            return Observations(np.arange(n_documents + 1), rows, self._pulls, precision, direction, self._exact)

        def arrays(self):
            return {}
"""

MIXING = """
    from dataclasses import dataclass

    import numpy as np

    from plait.mixing.own_document import OwnDocument


    @dataclass(frozen=True, eq=False)
    class Toy(OwnDocument):
        '''Each topic is expected half as often as the one before it.'''

        def alphas(self, n_topics):
            return self.alpha * 0.5 ** np.arange(n_topics)
"""

PRIOR = """
    from dataclasses import dataclass

    import numpy as np

    from plait.priors.base import Prior


    @dataclass(frozen=True)
    class Toy(Prior):
        '''Topics expect words in turn: word w belongs to topic w modulo the number of topics.'''

        value: float = 100.0

        def pseudo_counts(self, n_topics, n_words):
            own = np.arange(n_words) % n_topics == np.arange(n_topics)[:, np.newaxis]
            return np.where(own, self.value, 0.01)
"""

SAMPLER = """
    from dataclasses import dataclass
    from typing import ClassVar

    import numpy as np

    from plait.samplers.base import Sampler, SweepInfo
    from plait.samplers.random import generator


    @dataclass(frozen=True)
    class Toy(Sampler):
        '''Collapsed Gibbs sampling in Python.'''

        name: ClassVar[str] = "toy"
        state_form: ClassVar[str] = "tokens"

        def sweep(self, documents, state, counts, factors, key, prepared):
            n_topics, width = factors.n_topics, factors.alpha.size
            words = counts.word_topic.reshape(-1, width)
            random = generator(key, documents.first)
            rows = np.repeat(documents.words, documents.counts)
            for begin, end in zip(documents.offsets[:-1], documents.offsets[1:]):
                own = np.bincount(state[begin:end], minlength=width).astype(float)
                for token in range(begin, end):
                    word, old = rows[token], state[token]
                    for table in (own, words[word], counts.totals):
                        table[old] -= 1
                    weights = (own + factors.alpha) * (words[word] + factors.prior_value)
                    weights = (weights / (counts.totals + factors.prior_sums))[:n_topics]
                    new = random.choice(n_topics, p=weights / weights.sum())
                    for table in (own, words[word], counts.totals):
                        table[new] += 1
                    state[token] = new
            return SweepInfo(None, float(state.size))
"""

EXECUTOR = """
    from plait.executors.base import Executor


    class Toy(Executor):
        '''Calls the last shard first.'''

        def place(self, shards):
            self.shards = list(shards)

        def each(self, method, message=None):
            return [getattr(shard, method)(message) for shard in reversed(self.shards)][::-1]
"""


@pytest.fixture
def add_file(tmp_path, monkeypatch):
    """Return a function that adds a file to a package of plait, and returns the class that a registry finds there."""

    def add(package, text, accept):
        folder = tmp_path / package
        folder.mkdir()
        (folder / "toy.py").write_text(dedent(text))
        before = find_classes(package, accept)
        monkeypatch.setattr(sys.modules[package], "__path__", [*sys.modules[package].__path__, str(folder)])
        monkeypatch.delitem(sys.modules, f"{package}.toy", raising=False)
        importlib.invalidate_caches()
        (found,) = [kind for kind in find_classes(package, accept) if kind not in before]
        assert found.__module__ == f"{package}.toy"
        return found

    yield add
    for name in [name for name in sys.modules if name.startswith("plait.") and name.endswith(".toy")]:
        del sys.modules[name]


def test_a_loss(add_file, monkeypatch):
    toy = add_file("plait.responses.losses", LOSS, lambda kind: issubclass(kind, Loss))
    monkeypatch.setitem(LOSSES, toy.name, toy)
    assert LabelResponse(loss="toy", ell=0.3).make_loss() == toy(0.3)
    model = TopicModel(**QUICK, n_chains=1, responses=[LabelResponse(loss="toy", c=2.0)]).fit(COUNTS, CLASSES)
    assert model.predict(COUNTS).tolist() == CLASSES.tolist()


def test_a_response(add_file, monkeypatch):
    toy = add_file("plait.responses", RESPONSE, lambda kind: issubclass(kind, Response))
    monkeypatch.setitem(RESPONSES, toy.kind, toy)
    counts = np.tile([[2, 1, 1, 2], [6, 2, 2, 6]], (8, 1))  # words do not tell the topics of documents
    model = TopicModel(**QUICK, n_chains=1, n_shards=2, responses=[toy()]).fit(counts)
    first = model.doc_topic_[:, 0]
    assert first[1::2].mean() > first[::2].mean() + 0.4


def test_a_mixing(add_file, monkeypatch):
    toy = add_file("plait.mixing", MIXING, lambda kind: hasattr(kind, "alphas"))
    monkeypatch.setitem(MIXINGS, "Toy", toy)
    model = TopicModel(**QUICK, mixing=toy(8.0)).fit(COUNTS)
    np.testing.assert_allclose(model.alpha_, [8.0, 4.0])
    assert model.topic_share_[0] > model.topic_share_[1]


def test_a_prior(add_file, monkeypatch):
    toy = add_file("plait.priors", PRIOR, lambda kind: issubclass(kind, Prior | WordPrior))
    monkeypatch.setitem(PRIORS, "Toy", toy)
    model = LDA(**QUICK, beta=toy()).fit(COUNTS)
    assert (model.topic_word_[0] > model.topic_word_[1]).tolist() == [True, False, True, False]


def test_a_sampler(add_file, monkeypatch):
    toy = add_file("plait.samplers", SAMPLER, lambda kind: issubclass(kind, Sampler))
    monkeypatch.setitem(SAMPLERS, toy.name, toy)
    assert as_sampler("toy") == toy()
    model = LDA(**QUICK, n_shards=2, sampler="toy").fit(COUNTS)
    assert model.word_counts_.sum() == COUNTS.sum()
    topics = model.doc_topic_.argmax(axis=1)
    assert topics[:8].tolist() == [topics[0]] * 8
    assert topics[8:].tolist() == [1 - topics[0]] * 8
    assert model.perplexity(COUNTS) < 4  # below that of words drawn at random


def test_an_executor(add_file):
    toy = add_file("plait.executors", EXECUTOR, lambda kind: issubclass(kind, Executor))
    states = []
    for executor in (toy(), Threads(1)):
        assert as_executor(executor) is executor
        chain = Chain(
            sparse.csr_array(COUNTS.astype(np.int32)), 2, mixing=OwnDocument(0.3), prior=SymmetricPrior(0.1),
            sampler=Plain(), seed=0, n_shards=4,
        )  # fmt: skip
        chain.start(executor)
        infos = [chain.sweep() for _ in range(5)]
        states.append((infos, {name: array.tobytes() for name, array in chain.state().items()}))
    assert states[0] == states[1]
