"""Pages of pyLDAvis, BERTopic and tomotopy on one corpus, to compare their views with those of a report.

    PLAIT_DATA=... python benchmarks/peer_pages.py --folder pages

The corpus is 2,000 postings of 20 Newsgroups (made texts without PLAIT_DATA). A peer that is not installed is skipped;
plait is not needed, so that the peers may have an environment of their own: pip install pyldavis bertopic tomotopy.
BERTopic gets embeddings from TF-IDF and SVD, so nothing is downloaded. With playwright and Chromium, every page is
opened: requests to elsewhere are counted, and a screenshot is written beside the page.
"""

from __future__ import annotations

import argparse
import gzip
import http.server
import importlib.util
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

N_DOCUMENTS, N_TOPICS = 2_000, 20
WORDS = re.compile(r"[a-z]{3,}")
Page = tuple[str, str]  # name and address


class Texts(NamedTuple):
    """Texts with labels and dates; dates are made, as the postings have none."""

    texts: list[str]
    labels: list[str]
    dates: list[str]


def read_texts() -> Texts:
    """Return every n-th posting of the training part, or texts of two themes."""
    data = os.environ.get("PLAIT_DATA")
    if data is None:
        random = np.random.default_rng(0)
        themes = {
            "nature": ["river", "stream", "water", "fish", "boat", "bank"],
            "money": ["loan", "credit", "rate", "bank", "cash", "debt"],
        }
        labels = [("nature", "money")[row % 2] for row in range(N_DOCUMENTS)]
        texts = [" ".join(random.choice(themes[label], 40)) for label in labels]
    else:
        with gzip.open(Path(data, "20news_bydate", "documents.jsonl.gz"), "rt", encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row["split"] == "train"]
        rows = rows[:: max(1, len(rows) // N_DOCUMENTS)][:N_DOCUMENTS]
        texts, labels = (
            [row["text"].partition("\n\n")[2] or row["text"] for row in rows],
            [row["label"] for row in rows],
        )
    dates = [str(date(1993, 1, 1) + timedelta(days=30 * (row * 12 // len(texts)))) for row in range(len(texts))]
    return Texts(texts, labels, dates)


@contextmanager
def pyldavis_pages(given: Texts, folder: Path) -> Iterator[list[Page]]:
    """Yield the one page of pyLDAvis, with the topics of scikit-learn."""
    import pyLDAvis
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words="english", min_df=5)
    counts = vectorizer.fit_transform(given.texts)
    kept = np.asarray(counts.sum(axis=1)).ravel() > 0
    counts = counts[kept]
    model = LatentDirichletAllocation(N_TOPICS, max_iter=5, random_state=0).fit(counts)
    words = model.components_ / model.components_.sum(axis=1, keepdims=True)
    prepared = pyLDAvis.prepare(
        words,
        model.transform(counts),
        np.asarray(counts.sum(axis=1)).ravel(),
        vectorizer.get_feature_names_out(),
        np.asarray(counts.sum(axis=0)).ravel(),
        n_jobs=1,
    )
    pyLDAvis.save_html(prepared, str(folder / "pyldavis.html"))
    yield [("pyldavis", (folder / "pyldavis.html").as_uri())]


@contextmanager
def bertopic_pages(given: Texts, folder: Path) -> Iterator[list[Page]]:
    """Yield one page per figure of BERTopic."""
    from bertopic import BERTopic
    from bertopic.backend import BaseEmbedder
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    tfidf = TfidfVectorizer(stop_words="english", min_df=5).fit_transform(given.texts)
    embeddings = TruncatedSVD(min(50, tfidf.shape[1] - 1), random_state=0).fit_transform(tfidf)
    model = BERTopic(
        embedding_model=BaseEmbedder(),
        vectorizer_model=CountVectorizer(stop_words="english"),
        calculate_probabilities=True,
    )
    model.fit_transform(given.texts, embeddings)
    print(f"   BERTopic: {len(model.get_topic_info()) - 1} topics")
    titles = [text[:60] for text in given.texts]
    shares, _ = model.approximate_distribution(given.texts[:20])
    _, token_shares = model.approximate_distribution(given.texts[:1], calculate_tokens=True)
    tree = model.hierarchical_topics(given.texts)
    figures: dict[str, Callable[[], Any]] = {
        "topics": model.visualize_topics,
        "barchart": model.visualize_barchart,
        "hierarchy": lambda: model.visualize_hierarchy(hierarchical_topics=tree),
        "heatmap": model.visualize_heatmap,
        "term-rank": model.visualize_term_rank,
        "documents": lambda: model.visualize_documents(titles, embeddings=embeddings),
        "hierarchical-documents": lambda: model.visualize_hierarchical_documents(titles, tree, embeddings=embeddings),
        "over-time": lambda: model.visualize_topics_over_time(model.topics_over_time(given.texts, given.dates)),
        "per-class": lambda: model.visualize_topics_per_class(model.topics_per_class(given.texts, given.labels)),
        "distribution": lambda: model.visualize_distribution(shares[0], min_probability=0.0),
        "words-of-a-document": lambda: model.visualize_approximate_distribution(given.texts[0], token_shares[0]),
    }
    pages = []
    for name, draw in figures.items():
        path = folder / f"bertopic-{name}.html"
        try:
            figure = draw()
            figure.write_html(path) if hasattr(figure, "write_html") else path.write_text(figure.to_html())
        except Exception as error:  # one figure that fails in this version must not hide the others
            print(f"   BERTopic, {name}: {type(error).__name__}: {str(error)[:200]}")
            continue
        pages.append((path.stem, path.as_uri()))
    yield pages


@contextmanager
def tomotopy_pages(given: Texts, folder: Path) -> Iterator[list[Page]]:
    """Yield the pages of tomotopy's viewer while it runs."""
    import tomotopy
    from tomotopy.viewer import viewer_server

    class Handler(viewer_server.ViewerHandler):
        # Computing the hash of a model is an error in tomotopy 0.14.0 with Python 3.11.
        model_hash = "model"
        __hash__ = object.__hash__

    model = tomotopy.GDMRModel(k=N_TOPICS, degrees=[3], min_df=5, rm_top=40, seed=0)  # the model with most views
    for text, label, day in zip(*given, strict=True):
        words = WORDS.findall(text.lower())
        if words:
            model.add_doc(words, metadata=label, numeric_metadata=[float(date.fromisoformat(day).toordinal())])
    model.train(100, workers=1)
    # As `open_viewer`, which cannot be stopped.
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        settings = {
            "title": "tomotopy",
            "model": model,
            "root_path": "/",
            "template": viewer_server._prepare_template(),
            "user_config_file": None,
            "user_config": None,
            "read_only": True,
            "filter": viewer_server.DocumentFilter(model),
        }
        for name, value in settings.items():
            setattr(server, name, value)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        yield [
            (f"tomotopy-{name or 'overview'}", address + name)
            for name in ("", "document", "topic", "topic-rel", "metadata", "tdf-map")
        ]
        server.shutdown()
        thread.join()


PEERS = {"pyLDAvis": pyldavis_pages, "bertopic": bertopic_pages, "tomotopy": tomotopy_pages}


def look(pages: list[Page], folder: Path) -> None:
    """Open pages, print their size and their requests to elsewhere, and write screenshots."""
    path = os.environ.get("PLAIT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if importlib.util.find_spec("playwright") is None or path is None:
        print("   not opened: this needs playwright and Chromium")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, address in pages:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            outside: list[str] = []
            page.on("request", lambda one: outside.append(one.url) if one.url.startswith("https:") else None)  # noqa: B023
            page.goto(address, wait_until="domcontentloaded")
            page.wait_for_timeout(1500)
            page.screenshot(path=folder / f"{name}.png")
            print(f"   {name}: {len(page.content()) / 1e6:.2f} MB, {len(outside)} requests elsewhere {outside[:3]}")
            page.close()
        browser.close()


def main() -> None:
    """Make and open the pages of every peer that is installed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peers", nargs="*", choices=[*PEERS, []], metavar="PEER", help=", ".join(PEERS))
    parser.add_argument("--folder", type=Path, default=Path("peer-pages"))
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    given = read_texts()
    print(f"{len(given.texts):,} texts, {len(set(given.labels))} labels")
    for name in options.peers or PEERS:
        if importlib.util.find_spec(name) is None:
            print(f"{name}: not installed")
            continue
        start = time.perf_counter()
        with PEERS[name](given, folder) as pages:
            print(f"{name}: {len(pages)} pages in {time.perf_counter() - start:.0f} s")
            look(pages, folder)


if __name__ == "__main__":
    main()
