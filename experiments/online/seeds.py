"""Strength of seed words: how well topics with seed words find the stories of their labels.

    python experiments/online/seeds.py

Not in a paper: it justifies the default of `SeedPrior.strength`. Six topics of Reuters-21578 get four seed words each;
the other topics have none. Labels are not used in training. Figures: the mean AUC with which the share of a topic ranks
the stories of its label, and the perplexity of held-out stories. The stories are those of the first of 30 time slices.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import mean

from common import base_parser, print_table
from data import cut_into_words, load_reuters_slices
from sklearn.metrics import roc_auc_score

from experiments.options import FIXED_PRIORS
from plait import LDA, SeedPrior
from plait.corpus import Corpus

SEEDS = {
    "crude": ["oil", "crude", "barrels", "opec"],
    "grain": ["wheat", "corn", "grain", "crop"],
    "interest": ["rate", "rates", "prime", "lending"],
    "money-fx": ["currency", "dollar", "yen", "exchange"],
    "ship": ["ship", "port", "vessel", "shipping"],
    "trade": ["trade", "tariffs", "exports", "deficit"],
}


@lru_cache(maxsize=1)
def seeds_as_cut() -> dict[str, list[str]]:
    """Return the seed words, stemmed like the stories."""
    cut = cut_into_words().build_analyzer()
    return {name: sorted(set(cut(" ".join(words)))) for name, words in SEEDS.items()}


def measure(corpus: Corpus, strength: float, topics: int, sweeps: int, seed: int) -> tuple[float, float]:
    """Return the mean AUC of labels by their topics, and the perplexity of a held-out fifth of the stories."""
    training, held_out = corpus.split(0.2, random_state=seed)
    prior = SeedPrior(seeds_as_cut(), strength)
    settings = FIXED_PRIORS | {"beta": prior}
    model = LDA(topics, n_sweeps=sweeps, random_state=seed, verbose=False, **settings).fit(training)
    has = {name: [name in own for own in training.labels or ()] for name in SEEDS}
    areas = [roc_auc_score(has[name], model.doc_topic_[:, topic]) for topic, name in enumerate(SEEDS)]
    return float(mean(areas)), model.perplexity(held_out)


def main() -> None:
    parser = base_parser(__doc__ or "", [30])
    parser.add_argument(
        "--strengths", type=float, nargs="+", default=[0.1, 1, 3, 10, 30, 100, 1000], help="strengths to try"
    )
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=list(range(10)), help="seeds of splits and models (0 to 9)"
    )
    parser.add_argument("--sweeps", type=int, default=100, help="maximum number of sweeps (100)")
    options = parser.parse_args()
    corpus = load_reuters_slices()[0][1]
    for topics in options.topics:
        rows = []
        for strength in options.strengths:
            figures = [measure(corpus, strength, topics, options.sweeps, seed) for seed in options.seeds]
            areas, perplexities = zip(*figures, strict=True)
            rows.append([f"{strength:g}", f"{mean(areas):.3f}", f"{mean(perplexities):,.1f}"])
        print_table(
            f"{len(corpus)} stories, {topics} topics, mean of {len(options.seeds)} seeds",
            ["strength", "AUC", "perplexity"],
            rows,
        )


if __name__ == "__main__":
    main()
