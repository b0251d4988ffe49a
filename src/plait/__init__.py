"""plait: topics from everything a document collection carries: words, links, labels, history and outside knowledge.

From the bottom up: `errors` and `_utils`; `corpus` reads and holds documents, `graph` has networks of documents,
`knowledge` finds outside articles; `mixing`, `priors`, `responses`, `pair_features` and `samplers` are the parts of a
model, `executors` run its shards, `engine` is the Markov chain; `inputs` checks what estimators are given, `models` are
the estimators,
`store` saves them; `metrics`, `baselines` and `evaluation` measure them, `streaming` feeds them, `plots` draws them,
`report` shows them, `serve` answers requests about them, `datasets` has the demo corpus, `cli` is the command line.
docs/architecture.md follows one token through them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait._utils.lazy import import_on_use

if TYPE_CHECKING:
    from plait.corpus import Corpus, CorpusError, Document, KnownDocuments, TextOptions, prepare_corpus, read_corpus
    from plait.engine.memory import estimate_memory
    from plait.errors import PlaitError
    from plait.evaluation.choose import choose_n_topics
    from plait.executors import CudaExecutor, RayExecutor
    from plait.graph import StackedGraphClassifier, edge_weights
    from plait.inputs.link_matrix import Links
    from plait.inputs.vocabulary import name_words
    from plait.knowledge import KnowledgePrior
    from plait.metrics import coherence
    from plait.mixing import LinkedDocuments, OwnDocument
    from plait.models import (
        LDA,
        LabelResponse,
        LinkedLDA,
        LinkResponse,
        MedLDA,
        OnlineLDA,
        RelationalTopicModel,
        SupervisedLDA,
        TopicModel,
        ValueResponse,
    )
    from plait.priors import HistoryPrior, SeedPrior, SymmetricPrior, TablePrior
    from plait.report import write_report
    from plait.store import load, save

__version__ = "0.1.0"

# Imported when first used, so that `import plait` is quick.
_HOMES = {
    "Corpus": "plait.corpus",
    "CorpusError": "plait.corpus",
    "CudaExecutor": "plait.executors",
    "Document": "plait.corpus",
    "HistoryPrior": "plait.priors",
    "KnowledgePrior": "plait.knowledge",
    "KnownDocuments": "plait.corpus",
    "LDA": "plait.models",
    "LabelResponse": "plait.models",
    "LinkResponse": "plait.models",
    "LinkedDocuments": "plait.mixing",
    "LinkedLDA": "plait.models",
    "Links": "plait.inputs.link_matrix",
    "MedLDA": "plait.models",
    "OnlineLDA": "plait.models",
    "OwnDocument": "plait.mixing",
    "PlaitError": "plait.errors",
    "RayExecutor": "plait.executors",
    "RelationalTopicModel": "plait.models",
    "SeedPrior": "plait.priors",
    "StackedGraphClassifier": "plait.graph",
    "SupervisedLDA": "plait.models",
    "SymmetricPrior": "plait.priors",
    "TablePrior": "plait.priors",
    "TextOptions": "plait.corpus",
    "TopicModel": "plait.models",
    "ValueResponse": "plait.models",
    "choose_n_topics": "plait.evaluation.choose",
    "coherence": "plait.metrics",
    "edge_weights": "plait.graph",
    "estimate_memory": "plait.engine.memory",
    "load": "plait.store",
    "name_words": "plait.inputs.vocabulary",
    "prepare_corpus": "plait.corpus",
    "read_corpus": "plait.corpus",
    "save": "plait.store",
    "write_report": "plait.report",
}

__all__ = [
    "LDA",
    "Corpus",
    "CorpusError",
    "CudaExecutor",
    "Document",
    "HistoryPrior",
    "KnowledgePrior",
    "KnownDocuments",
    "LabelResponse",
    "LinkResponse",
    "LinkedDocuments",
    "LinkedLDA",
    "Links",
    "MedLDA",
    "OnlineLDA",
    "OwnDocument",
    "PlaitError",
    "RayExecutor",
    "RelationalTopicModel",
    "SeedPrior",
    "StackedGraphClassifier",
    "SupervisedLDA",
    "SymmetricPrior",
    "TablePrior",
    "TextOptions",
    "TopicModel",
    "ValueResponse",
    "choose_n_topics",
    "coherence",
    "edge_weights",
    "estimate_memory",
    "load",
    "name_words",
    "prepare_corpus",
    "read_corpus",
    "save",
    "write_report",
]


__getattr__ = import_on_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
