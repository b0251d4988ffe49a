"""Small models and servers for the tests of `plait.serve`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason='the server needs pip install "plait[serve]"')
pytest.importorskip("prometheus_client", reason='the server needs pip install "plait[serve]"')
pytest.importorskip("httpx", reason="the tests of the server need httpx")

from fastapi.testclient import TestClient

import plait
from plait import Corpus, LabelResponse, LinkedDocuments, LinkResponse, TopicModel
from plait.serve.app import create_app
from plait.serve.settings import Settings

RIVERS = "the river and the stream flow under the bridge to the lake with water and fish"
LOANS = "the bank gives a loan with interest and money for the house of the customer"
SCRIPT = "<script>alert(1)</script>"


def make_corpus() -> Corpus:
    """Return twelve documents with titles, labels, dates and links."""
    texts, ids, titles, labels = [], [], [], []
    for number in range(6):
        texts += [f"{RIVERS} fish{'' if number % 2 else ' water'}", f"{LOANS} {'money' if number % 2 else 'loan'}"]
        ids += [f"r/{number}", f"b/{number}"]
        titles += [SCRIPT if number == 0 else f"River {number}", f"Loan {number}"]
        labels += ["nature", "finance"]
    links = [("r/0", "r/1"), ("r/2", "r/1"), ("b/0", "b/1"), ("b/2", "b/1"), ("r/3", "r/4"), ("b/3", "b/4")]
    dates = [f"202{number % 5}-03-01" for number in range(12)]
    return Corpus.from_texts(texts, ids=ids, titles=titles, labels=[[one] for one in labels], links=links, times=dates)


def quick(kind: type, *arguments: object, **parameters: object) -> object:
    """Return an estimator that is fitted in a moment."""
    return kind(*arguments, n_sweeps=10, n_samples=2, random_state=0, verbose=False, **parameters)


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a model with labels, links and influence."""
    responses = [LabelResponse(), LinkResponse()]
    model = quick(TopicModel, 3, n_chains=1, responses=responses, mixing=LinkedDocuments())
    return plait.save(model.fit(make_corpus()), tmp_path_factory.mktemp("serve") / "braided.plait")


@pytest.fixture(scope="session")
def plain_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of an LDA without labels and links."""
    model = quick(plait.LDA, 3).fit([RIVERS, LOANS] * 4)
    return plait.save(model, tmp_path_factory.mktemp("serve") / "plain.plait")


def open_client(path: Path, **settings: object) -> TestClient:
    """Return a client of a server of a model, which raises no errors of the server but returns 500."""
    app = create_app(Settings(path, "Rivers & loans", **settings))
    return TestClient(app, base_url="http://localhost:8000", raise_server_exceptions=False)


@pytest.fixture(scope="session")
def client(model_file: Path) -> TestClient:
    """Return a client of the model with everything."""
    return open_client(model_file)
