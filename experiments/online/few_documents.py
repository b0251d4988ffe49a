"""Few documents with and without knowledge from an encyclopedia: held-out perplexity and coherence.

    PLAIT_DATA=... python experiments/online/few_documents.py                       the tables
    PLAIT_DATA=... python experiments/online/few_documents.py --prepare counts/     the corpora as matrices, for --data

100, 300 and 1,000 documents of Reuters-21578 and of 20 Newsgroups, drawn at random for each seed, train LDA with 20
topics and learned α. The symmetric prior has a learned β. "articles" is `KnowledgePrior.from_articles` with
wikipedia_vital; its strength is chosen on the training documents. "model" is `KnowledgePrior.from_model` with the
topics of an LDA of the same articles, "own model" with those of an LDA of 4,000 other documents of the same corpus.

The vocabulary is the same for all: the words of the corpus with the default text options, whether or not the training
documents have them. Perplexity (document completion) is that of 1,500 held-out documents. NPMI is that of the ten most
probable words of each topic in all documents that are not used for training. Tables have means ± standard errors over
seeds; changes are those of the same seed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import scipy.sparse as sparse
from common import Figures, Results, Setting, base_parser, folder, print_table, say

import plait
from plait import LDA, KnowledgePrior, read_corpus
from plait.corpus import Corpus
from plait.metrics import coherence

CORPORA = ("reuters21578", "20news_bydate")
SIZES = (300, 100, 1000)
N_HELD_OUT, N_LARGE, N_MOST = 1_500, 4_000, 8_000
SYMMETRIC, ARTICLES, MODEL, OWN_MODEL = "symmetric", "articles", "model", "own model"
PRIORS = (SYMMETRIC, ARTICLES, MODEL, OWN_MODEL)
SCHEDULE = {"learn_alpha": True, "n_sweeps": 200, "n_samples": 5, "sample_every": 10}


def prepare(target: Path, corpora: Sequence[str]) -> None:
    """Write the counts and words of corpora, at most 8,000 documents of each, and the articles over these words."""
    target.mkdir(parents=True, exist_ok=True)
    for name in corpora:
        corpus = read_corpus(folder(name), on_error="skip")
        articles = read_corpus(folder("wikipedia_vital"), like=corpus, on_error="skip")
        rows = np.sort(np.random.default_rng(0).permutation(len(corpus))[:N_MOST])
        sparse.save_npz(target / f"{name}.npz", sparse.csr_matrix(corpus.counts[rows]))
        aligned = articles.with_vocabulary(corpus.vocabulary).counts
        sparse.save_npz(target / f"{name}.articles.npz", sparse.csr_matrix(aligned))
        (target / f"{name}.json").write_text(json.dumps([str(word) for word in corpus.vocabulary]), encoding="utf-8")
        say(f"{name}: {len(rows):,} of {len(corpus):,} documents, {corpus.n_words:,} words")


def load(data: str, name: str) -> Corpus:
    """Return a matrix of `prepare` as a corpus; the name of articles is that of their corpus and ".articles"."""
    counts = sparse.csr_array(sparse.load_npz(Path(data, f"{name}.npz")))
    words = json.loads(Path(data, f"{name.removesuffix('.articles')}.json").read_text(encoding="utf-8"))
    ids = np.array([f"{name} {row}" for row in range(counts.shape[0])], dtype=object)
    return Corpus(counts, np.array(words, dtype=object), ids)


def split(setting: Setting) -> tuple[Corpus, Corpus, Corpus]:
    """Return training, held-out and all other documents."""
    corpus = load(setting["data"], setting["corpus"])
    order = np.random.default_rng(setting["seed"]).permutation(len(corpus))
    n_held_out = min(N_HELD_OUT, len(corpus) // 3)
    training, others = order[: setting["documents"]], order[setting["documents"] :]
    return corpus.select(training), corpus.select(others[-n_held_out:]), corpus.select(others)


def model_of(setting: Setting, **changes: Any) -> LDA:
    """Return an unfitted model."""
    parameters = SCHEDULE | {"n_sweeps": setting["sweeps"], "random_state": setting["seed"], "n_jobs": 1}
    return LDA(setting["topics"], verbose=False, **(parameters | changes))


def large_model(setting: Setting, documents: Corpus) -> LDA:
    """Return a model of a large corpus."""
    return model_of(setting, learn_beta=True, n_samples=1, n_sweeps=min(setting["sweeps"], 100)).fit(documents)


def model_of_articles(data: str, name: str, topics: int, sweeps: int) -> Any:
    """Return a model of the articles; it is fitted once and stored beside the matrices."""
    path = Path(data, f"{name}.{topics}.{sweeps}.plait")
    if not path.exists():
        setting = {"topics": topics, "sweeps": sweeps, "seed": 0}
        plait.save(large_model(setting, load(data, f"{name}.articles")), path)
    return plait.load(path)


def make_prior(setting: Setting, training: Corpus, others: Corpus) -> KnowledgePrior:
    """Return the knowledge prior of a setting."""
    given = {"n_topics": setting["topics"], "random_state": setting["seed"], "verbose": False}
    if setting["prior"] == ARTICLES:
        articles = load(setting["data"], f"{setting['corpus']}.articles")
        return KnowledgePrior.from_articles(articles, training, model=model_of(setting), **given)
    if setting["prior"] == MODEL:
        learned = model_of_articles(setting["data"], setting["corpus"], setting["topics"], setting["sweeps"])
    else:
        learned = large_model(setting, others.select(slice(0, min(N_LARGE, len(others) // 3))))
    return KnowledgePrior.from_model(learned, training, settings=model_of(setting), **given)


def measure(setting: Setting) -> Figures:
    """Return the perplexity and the coherence of one fit, and the strength of its prior."""
    training, held_out, others = split(setting)
    start, chosen = time.perf_counter(), 0.0
    if setting["prior"] == SYMMETRIC:
        model = model_of(setting, learn_beta=True).fit(training)
    else:
        prior = make_prior(setting, training, others)
        chosen = prior.strength
        model = model_of(setting, beta=prior).fit(training)
    seconds = time.perf_counter() - start
    words = training.vocabulary
    top = [[words[word] for word in row] for row in np.argsort(-model.topic_word_, axis=1, kind="stable")[:, :10]]
    return {
        "perplexity": model.perplexity(held_out),
        "npmi": float(coherence(top, others.counts, list(words)).mean()),
        "strength": chosen,
        "seconds": seconds,
    }


def spread(values: Sequence[float], form: str, scale: float = 1.0) -> str:
    """Return mean ± standard error."""
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{scale * mean(values):{form}} ± {scale * error:{form.lstrip('+')}}"


def report(options: argparse.Namespace) -> None:
    """Print one line per corpus, number of documents and prior."""
    shared = {"data": str(options.data), "topics": options.topics[0], "sweeps": options.sweeps}
    wanted = [prior for prior in PRIORS if prior in (SYMMETRIC, *options.priors)]
    stages = [[prior for prior in stage if prior in wanted] for stage in ((SYMMETRIC, ARTICLES), (OWN_MODEL, MODEL))]
    # The comparison that matters most is measured first.
    keys = [
        (seed, size, name, prior)
        for stage in stages
        for size, seed, name in product(options.sizes, options.seeds, options.corpora)
        for prior in stage
    ]
    settings = [
        shared | {"corpus": name, "documents": size, "prior": prior, "seed": seed} for seed, size, name, prior in keys
    ]
    if MODEL in wanted:
        for name in options.corpora:
            model_of_articles(shared["data"], name, shared["topics"], shared["sweeps"])
    found = dict(zip(keys, Results(options.results).get_all(settings, measure, options.jobs), strict=True))
    rows = []
    for name in options.corpora:
        for size in sorted(options.sizes):
            for prior in wanted:
                own = [found[seed, size, name, prior] for seed in options.seeds]
                plain = [found[seed, size, name, SYMMETRIC] for seed in options.seeds]
                change = [one["perplexity"] / other["perplexity"] - 1 for one, other in zip(own, plain, strict=True)]
                gain = [one["npmi"] - other["npmi"] for one, other in zip(own, plain, strict=True)]
                rows.append(
                    [
                        name,
                        f"{size:,}",
                        prior,
                        spread([one["perplexity"] for one in own], ",.0f"),
                        "" if prior == SYMMETRIC else spread(change, "+.1f", 100) + " %",
                        spread([one["npmi"] for one in own], ".3f"),
                        "" if prior == SYMMETRIC else spread(gain, "+.3f"),
                        " ".join(f"{one['strength']:g}" for one in own) if prior != SYMMETRIC else "",
                    ]
                )
    print_table(
        f"Few documents, K = {options.topics[0]}, {len(options.seeds)} seeds",
        ["corpus", "documents", "prior", "perplexity", "change", "NPMI", "change", "strengths"],
        rows,
    )


def main() -> None:
    parser = base_parser(__doc__ or "", (20,))
    parser.add_argument(
        "--corpora", nargs="+", choices=CORPORA, default=CORPORA, metavar="NAME", help="both by default"
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="training documents (300 100 1000)")
    parser.add_argument("--priors", nargs="+", choices=PRIORS, default=PRIORS, help="knowledge to compare (all)")
    parser.add_argument("--seeds", type=int, nargs="+", default=(10, 11, 12), help="seeds of documents and fits")
    parser.add_argument("--sweeps", type=int, default=200, help="maximum sweeps of burn-in (200)")
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="write the corpora as matrices, and stop")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder that --prepare wrote")
    parser.add_argument("--jobs", type=int, default=1, help="fits at the same time (1)")
    options = parser.parse_args()
    if options.prepare is not None:
        prepare(options.prepare, options.corpora)
    elif options.data is not None:
        report(options)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            options.data = Path(temporary)
            prepare(options.data, options.corpora)
            report(options)


if __name__ == "__main__":
    main()
