"""Newswire with and without Wikipedia articles as a prior: Figure 10.3 of AlSumait et al. (2010).

    python experiments/online/figure10_3.py --results figure10_3.jsonl
    python experiments/online/figure10_3.py --method vectors --strengths 2 --seeds 20 21 22
    python experiments/online/figure10_3.py --slices 2 --seeds 0 --sweeps 20 --strengths 0.01           a quick run

For each of the first nine of 30 slices of Reuters-21578, the articles whose titles the slice's stories mention are
found and learned, and their counts are the prior of the slice's topics. A figure is the perplexity of the next slice's
stories by document completion; the paper predicts whole stories, so levels cannot be compared. All models use the
vocabulary of all slices, so that they predict the same words. The minimum number of mentions and the strength of
articles are chosen in advance, by five folds of slice 0 alone, if several are given.

`--method vectors` learns the prior from word vectors of all articles instead of related articles. Models without
articles have β = 0.01, and with this method also a learned β. The change is that from β = 0.01, the better of the two.

Settings are the paper's: K = 50, α = 50 / K, β = 0.01; but there are 200 sweeps instead of 500, and several samples and
seeds are averaged: chains differ from each other by more than articles help.
"""

from __future__ import annotations

import argparse
from functools import lru_cache
from itertools import product
from statistics import mean, stdev

import numpy as np
from common import Figures, Results, Setting, base_parser, print_table
from data import load_articles, load_reuters_slices, load_reuters_texts

from plait import LDA, KnowledgePrior
from plait.corpus import Corpus
from plait.knowledge import Article
from plait.metrics import split_documents
from plait.priors import WordCountsPrior

COUNTS, VECTORS = "counts", "vectors"
STRENGTHS = {COUNTS: [0.003, 0.01, 0.03, 0.1], VECTORS: [1.0, 2.0, 4.0]}
N_SLICES, N_SHOWN, N_FOLDS = 30, 9, 5
BASE = 0.01
PAPER = "paper: lower with Wikipedia on 5 of 9 slices"
# For the topics of the articles; plait's α, because the paper does not give its own.
ARTICLE_TOPICS = {"n_sweeps": 200, "n_samples": 20, "sample_every": 5, "tolerance": 0.0}


def documents(slice_number: int, fold: int | None) -> tuple[Corpus, Corpus]:
    """Return training and held-out stories: a slice and the next one, or a fold of one slice."""
    slices = load_reuters_slices(N_SLICES)
    own = slices[slice_number][1]
    if fold is None:
        return own, slices[slice_number + 1][1]
    training, held_out = split_documents(len(own), N_FOLDS)[fold]
    return own.select(training), own.select(held_out)


@lru_cache(maxsize=4)
def knowledge(slice_number: int, fold: int | None, topics: int, mentions: int, method: str) -> KnowledgePrior:
    """Return the prior from the articles; its strength is set later."""
    training, _ = documents(slice_number, fold)
    texts = load_reuters_texts()
    return KnowledgePrior.from_articles(
        load_articles(),
        training,
        texts=[texts[name] for name in training.ids],
        n_topics=topics,
        method=method,
        strength=1.0,  # set later
        min_mentions=mentions,
        base=BASE if method == COUNTS else None,
        model=LDA(**ARTICLE_TOPICS) if method == COUNTS else LDA(alpha=50 / topics),
        random_state=0,
        verbose=False,
    )


def measure(setting: Setting) -> Figures:
    """Return the perplexity of held-out stories, without articles (strength 0) or with them."""
    training, new = documents(setting["slice"], setting.get("fold"))
    beta: float | WordCountsPrior = BASE
    if setting["strength"]:
        prior = knowledge(
            setting["slice"], setting.get("fold"), setting["topics"], setting["mentions"], setting["method"]
        )
        beta = WordCountsPrior(prior.words, prior.counts, setting["strength"], prior.base)
    model = LDA(
        setting["topics"],
        alpha=50 / setting["topics"],
        beta=beta,
        learn_beta=setting["method"] == VECTORS and not setting["strength"],
        n_sweeps=setting["sweeps"],
        n_samples=setting["samples"],
        sample_every=10,
        tolerance=0.0,
        random_state=setting["seed"],
        verbose=False,
    ).fit(training)
    if model.interrupted_:
        raise KeyboardInterrupt
    return {"perplexity": model.perplexity(new)}


def settings_of(options: argparse.Namespace, topics: int, **more: object) -> list[Setting]:
    """Return one setting per seed."""
    shared = {"method": options.method, "topics": topics, "sweeps": options.sweeps, "samples": options.samples}
    return [shared | more | {"seed": seed} for seed in options.seeds]  # more may replace the method


def perplexities(results: Results, settings: list[Setting], jobs: int) -> list[float]:
    return [figures["perplexity"] for figures in results.get_all(settings, measure, jobs)]


def choose(results: Results, topics: int, options: argparse.Namespace) -> tuple[int, float]:
    """Return the best minimum number of mentions and strength on folds of slice 0; print the trials."""
    pairs = list(product(options.mentions, options.strengths))
    if len(pairs) == 1:
        return pairs[0]

    def by_folds(mentions: int, strength: float, method: str = options.method) -> float:
        own = {"slice": 0, "mentions": mentions, "strength": strength, "method": method}
        settings = [one for fold in range(N_FOLDS) for one in settings_of(options, topics, fold=fold, **own)]
        return float(np.exp(np.mean(np.log(perplexities(results, settings, options.jobs)))))

    plain = by_folds(0, 0.0, COUNTS)
    trials = {pair: by_folds(*pair) for pair in pairs}
    rows = [["without articles", "", f"{plain:,.1f}"]]
    rows += [[str(mentions), f"{strength:g}", f"{value:,.1f}"] for (mentions, strength), value in trials.items()]
    print_table(
        f"slice 0, {N_FOLDS} folds, geometric mean over folds and {len(options.seeds)} seeds",
        ["minimum mentions", "strength", "perplexity"],
        rows,
    )
    return min(trials, key=lambda pair: trials[pair])


def compare(results: Results, topics: int, mentions: int, strength: float, options: argparse.Namespace) -> None:
    """Print the perplexity of each next slice, without and with articles."""
    rows, n_lower, changes = [], 0, []
    for number, (days, _) in enumerate(load_reuters_slices(N_SLICES)[: options.slices]):
        # Without articles, the method decides whether β is learned.
        without, with_articles, learned = (
            perplexities(
                results, settings_of(options, topics, slice=number, mentions=m, strength=s, method=method), options.jobs
            )
            for m, s, method in (
                (0, 0.0, COUNTS),
                (mentions, strength, options.method),
                (0, 0.0, options.method),
            )
        )
        change = mean(with_articles) / mean(without) - 1
        n_lower += change < 0
        changes.append([one / other - 1 for one, other in zip(with_articles, without, strict=True)])
        prior = knowledge(number, None, topics, mentions, options.method)
        new, known = new_words(number, prior)
        first = ", ".join(article.title for article in _first(prior, 3))
        rows.append(
            [
                str(number),
                days,
                _spread(without),
                *([_spread(learned)] if options.method == VECTORS else []),
                _spread(with_articles),
                f"{change:+.1%}",
                f"{new:.1%}",
                f"{known:.1%}" if options.method == COUNTS else "",  # with vectors, all words are in the prior
                f"{len(prior.articles or ()):,}",
                first,
            ]
        )
    print_table(
        f"perplexity of the next slice, {topics} topics, {options.method}, titles in {mentions} stories or more, "
        f"strength {strength:g}; mean ± standard deviation of {len(options.seeds)} seeds",
        [
            "slice",
            "days",
            "without",
            *(["without, learned β"] if options.method == VECTORS else []),
            "with articles",
            "change",
            "new words",
            "in articles",
            "articles",
            "most mentioned",
        ],
        rows,
    )
    print(f"\nlower with articles on {n_lower} of {len(rows)} slices; {PAPER}")
    by_seed = [mean(values) for values in zip(*changes, strict=True)]
    print("mean change over slices, by seed: " + ", ".join(f"{value:+.2%}" for value in by_seed))


def new_words(slice_number: int, prior: KnowledgePrior) -> tuple[float, float]:
    """Return the share of new words in the next slice, and the share of these that occur in the articles."""
    own, following = documents(slice_number, None)
    counts = following.counts.sum(axis=0)
    new = own.counts.sum(axis=0) == 0
    in_articles = np.isin(own.vocabulary.astype(str), prior.words.astype(str))
    return counts[new].sum() / counts.sum(), counts[new & in_articles].sum() / counts[new].sum()


def _first(prior: KnowledgePrior, most: int) -> list[Article]:
    return [article for _, article in zip(range(most), prior.articles or (), strict=False)]


def _spread(values: list[float]) -> str:
    return f"{mean(values):,.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def main() -> None:
    parser = base_parser(__doc__ or "", [50])
    parser.add_argument("--slices", type=int, default=N_SHOWN, help=f"number of slices ({N_SHOWN})")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(6)), help="seeds of the models (0 to 5)")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread (1)")
    parser.add_argument("--sweeps", type=int, default=200, help="burn-in (200)")
    parser.add_argument("--samples", type=int, default=10, help="samples to average (10)")
    parser.add_argument("--method", choices=[COUNTS, VECTORS], default=COUNTS, help="what is learned (counts)")
    parser.add_argument(
        "--mentions", type=int, nargs="+", help="values of ρ to try (1 3; 2 with vectors, where it changes no figure)"
    )
    parser.add_argument(
        "--strengths",
        type=float,
        nargs="+",
        help="strengths to try (0.003 0.01 0.03 0.1; 1 2 4 with vectors)",
    )
    options = parser.parse_args()
    options.mentions = options.mentions or ([1, 3] if options.method == COUNTS else [2])
    options.strengths = options.strengths or STRENGTHS[options.method]
    results = Results(options.results)
    for topics in options.topics:
        mentions, strength = choose(results, topics, options)
        compare(results, topics, mentions, strength, options)


if __name__ == "__main__":
    main()
