"""Held-out coherence of topics from raw texts: plait compared with tomotopy and gensim and their usual preprocessing.

    PLAIT_DATA=... python benchmarks/coherence.py
    PLAIT_DATA=... python benchmarks/coherence.py --documents 500 --sweeps 20      a quick run

plait reads the texts with its defaults. tomotopy gets what its examples do: lower-case words of letters, English stop
words, min_df and rm_top. gensim gets `simple_preprocess`, its stop words and `filter_extremes` with their defaults. All
fit LDA with K topics and otherwise the defaults of the package. The judge of judge.py computes the NPMI of the top 10
words in held-out texts, split alike for all: without mail headers, attachments and addresses, which are no text, and in
the last column with them. There, topics of fragments and headers score high. ± is the standard error over seeds.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable

import numpy as np
from judge import Judge, raw_texts
from tables import print_table, say

import plait
from plait.metrics import topic_diversity

CORPORA = ("20news_bydate", "wikipedia_vital")
Topics = list[list[str]]


def plait_topics(texts: list[str], options: argparse.Namespace, seed: int) -> Topics:
    """Return the top words of plait's LDA with default options."""
    corpus = plait.Corpus.from_texts(texts, on_error="skip")
    model = plait.LDA(options.topics, n_sweeps=options.sweeps, random_state=seed, verbose=False).fit(corpus)
    return corpus.vocabulary[np.argsort(-model.topic_word_, axis=1)[:, :10]].tolist()


def tomotopy_topics(texts: list[str], options: argparse.Namespace, seed: int) -> Topics:
    """Return the top words of tomotopy's LDAModel."""
    import tomotopy
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    model = tomotopy.LDAModel(k=options.topics, min_df=5, rm_top=20, seed=seed)
    for text in texts:
        words = [word for word in re.findall(r"[a-z]{2,}", text.lower()) if word not in ENGLISH_STOP_WORDS]
        if words:
            model.add_doc(words)
    model.train(options.sweeps, workers=1)
    return [[word for word, _ in model.get_topic_words(topic, top_n=10)] for topic in range(model.k)]


def gensim_topics(texts: list[str], options: argparse.Namespace, seed: int) -> Topics:
    """Return the top words of gensim's LdaModel."""
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel
    from gensim.parsing.preprocessing import STOPWORDS
    from gensim.utils import simple_preprocess

    documents = [[word for word in simple_preprocess(text) if word not in STOPWORDS] for text in texts]
    dictionary = Dictionary(documents)
    dictionary.filter_extremes()
    counts = [dictionary.doc2bow(document) for document in documents]
    model = LdaModel(counts, num_topics=options.topics, id2word=dictionary, passes=5, random_state=seed)
    return [[word for word, _ in model.show_topic(topic, 10)] for topic in range(options.topics)]


CONTESTANTS: dict[str, Callable[[list[str], argparse.Namespace, int], Topics]] = {
    "plait": plait_topics,
    "tomotopy": tomotopy_topics,
    "gensim": gensim_topics,
}


def standard_error(scores: list[np.ndarray]) -> float:
    """Return the standard error of the mean over seeds of the mean over topics."""
    means = [one.mean() for one in scores]
    return float(np.std(means, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")


def main() -> None:
    """Print one table per corpus, and the topics of plait."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--documents", type=int, default=5000, help="most documents for training, and held out")
    parser.add_argument("--topics", type=int, default=30)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    for name in options.corpora:
        texts = raw_texts(name, options.documents)
        judge, raw_judge = Judge(texts.held_out), Judge(texts.held_out, clean=False)
        rows = []
        for package, fit in CONTESTANTS.items():
            start = time.perf_counter()
            runs = [fit(texts.train, options, seed) for seed in range(options.seeds)]
            seconds = (time.perf_counter() - start) / options.seeds
            scores = [judge.npmi(topics) for topics in runs]
            diversity = np.mean([topic_diversity(topics) for topics in runs])
            raw = np.mean([raw_judge.npmi(topics).mean() for topics in runs])
            means = (np.mean([np.median(one) for one in scores]), np.min(scores), diversity)
            mean = f"{np.mean(scores):.3f} ± {standard_error(scores):.3f}"
            rows.append([package, mean, *(f"{one:.3f}" for one in means), f"{seconds:,.0f} s", f"{raw:.3f}"])
            say(f"{name}: {package}: {mean}")
            if package == "plait":
                for topic in runs[0]:
                    say("  " + ", ".join(topic))
        print_table(
            f"{name}: {len(texts.train):,} texts, {len(texts.held_out):,} held-out texts, K = {options.topics}",
            ["package", "mean NPMI", "median", "lowest topic", "diversity", "time", "mean NPMI with headers"],
            rows,
        )


if __name__ == "__main__":
    main()
