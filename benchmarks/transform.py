"""Topics of new documents: plait's fold-in against tomotopy's inference, with the same φ, on one core.

    python benchmarks/transform.py                        100 topics, all 7,505 test documents
    python benchmarks/transform.py --documents 1000       a quick run

tomotopy learns φ. Both then infer the topics of one half of the tokens of each test document, and the same code
predicts the other half. tomotopy makes 100 iterations, its default; plait makes several numbers of sweeps. Seconds are
processor time. By default tomotopy infers each document independently, as plait does; with `together`, its documents
share the counts that they change, which is faster.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import scipy.sparse as sparse
from contestants import ALPHA, BETA, documents_of_words, in_columns
from corpora import NAME, benchmark_corpus
from lda import as_fold_in, machine
from tables import print_table, say

from plait.executors import Threads


def perplexity(topic_word: np.ndarray, doc_topic: np.ndarray, held_out: sparse.csr_array) -> float:
    """Return the perplexity of held-out tokens."""
    total = 0.0
    for document in range(held_out.shape[0]):
        own = slice(held_out.indptr[document], held_out.indptr[document + 1])
        found = doc_topic[document] @ topic_word[:, held_out.indices[own]]
        total += held_out.data[own] @ np.log(np.where(held_out.data[own] > 0, found, 1.0))
    return float(np.exp(-total / held_out.data.sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=100, help="number of topics (100)")
    parser.add_argument("--sweeps", type=int, default=50, help="training sweeps (50)")
    parser.add_argument("--iterations", type=int, default=100, help="iterations of tomotopy's inference (100)")
    parser.add_argument("--corpus", default=NAME, help=f"folder of PLAIT_DATA ({NAME})")
    parser.add_argument("--documents", type=int, help="maximum number of training and of test documents (all)")
    options = parser.parse_args()
    import tomotopy

    corpus = benchmark_corpus(options.documents, options.corpus)
    say(str(corpus))
    model = tomotopy.LDAModel(k=options.topics, alpha=ALPHA, eta=BETA, seed=0)
    model.burn_in, model.optim_interval = 0, 0
    for words in documents_of_words(corpus.train):
        model.add_doc(words)
    model.train(options.sweeps, workers=1)
    learned = np.array([model.get_topic_word_dist(topic) for topic in range(options.topics)])
    topic_word = in_columns(learned, [int(word) for word in model.used_vocabs], corpus.train.shape[1])
    fold_in = as_fold_in(topic_word)
    observed, held_out = fold_in.halve(corpus.test)
    observed = observed.copy()  # the halves share their indices
    observed.eliminate_zeros()
    kept = np.flatnonzero(np.diff(observed.indptr))  # tomotopy takes no empty documents
    observed, held_out = sparse.csr_array(observed[kept]), sparse.csr_array(held_out[kept])
    tokens = float(observed.sum())

    rows, seconds_of = [], []
    for name, together in (("tomotopy", False), ("tomotopy, together", True)):
        documents = [model.make_doc(words) for words in documents_of_words(observed)]
        began = time.process_time()
        found = model.infer(documents, iterations=options.iterations, workers=1, together=together)[0]
        seconds = time.process_time() - began
        seconds_of.append(seconds)
        score = perplexity(topic_word, np.array(found), held_out)
        rows.append([name, str(options.iterations), f"{seconds:.2f}", f"{seconds_of[0] / seconds:.1f}",
                     f"{tokens * options.iterations / seconds / 1e6:.1f}", f"{score:,.0f}"])  # fmt: skip
    with Threads(1) as threads:
        fold_in.proportions(observed[:50], 1, threads)  # compiles, or loads what is compiled
        for n_sweeps in (5, 10, 20, 40):
            began = time.process_time()
            (doc_topic,) = fold_in.proportions(observed, n_sweeps, threads)
            seconds = time.process_time() - began
            # A document is visited once for its initial topics, then n_sweeps times.
            visits = tokens * (n_sweeps + 1)
            score = perplexity(topic_word, doc_topic, held_out)
            rows.append(["plait", str(n_sweeps), f"{seconds:.2f}", f"{seconds_of[0] / seconds:.1f}",
                         f"{visits / seconds / 1e6:.1f}", f"{score:,.0f}"])  # fmt: skip
    print(f"{corpus}\n{machine()}\n{len(kept):,} documents, {tokens:,.0f} observed tokens")
    columns = ["", "sweeps", "processor seconds", "× faster", "folded-in M tokens/s", "perplexity"]
    print_table(f"{options.topics} topics", columns, rows)


if __name__ == "__main__":
    main()
