"""The number of topics that `choose_n_topics` recommends, where the right number is known.

    python experiments/choosing/planted.py --results planted.jsonl
    python experiments/choosing/planted.py --topics 8 --seeds 2                                    a quick run

Corpora are drawn by simulation.py: 1,000 documents of 60 to 100 tokens, 2,000 words, 8, 15 or 30 sparse topics that
share frequent words ("zipf") or not ("even"). `choose_n_topics` has its defaults; one thread. A recommendation within
25 % of the planted number counts as found. The rule and the default candidates were chosen on seeds from 100.
"""

from __future__ import annotations

import time

from common import Figures, Results, Setting, base_parser, print_table
from simulation import planted_corpus

import plait

TOLERANCE = 0.25


def measure(setting: Setting) -> Figures:
    """Return the recommended number of topics, the one with the highest likelihood, and the seconds."""
    size = {"n_documents": setting["documents"]} if "documents" in setting else {}
    counts = planted_corpus(setting["topics"], setting["seed"], zipf=setting["words"] == "zipf", **size)
    start = time.perf_counter()
    choice = plait.choose_n_topics(counts, setting.get("candidates"), random_state=setting["seed"], verbose=False)
    return {"recommended": choice.recommended, "best": choice.best, "seconds": time.perf_counter() - start}


def is_found(recommended: int, planted: int) -> bool:
    """Return whether a recommendation is near enough to the planted number."""
    return abs(recommended - planted) <= TOLERANCE * planted


def main() -> None:
    """Measure and print the table."""
    parser = base_parser(__doc__, [8, 15, 30])
    parser.add_argument("--seeds", type=int, default=10, help="number of corpora per number of topics (10)")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first corpus (0)")
    parser.add_argument("--words", choices=["zipf", "even"], nargs="+", default=["zipf"], help="kinds of topics (zipf)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--documents", type=int, help="documents per corpus (1,000)")
    parser.add_argument("--candidates", type=int, nargs="+", help="candidates (those of choose_n_topics)")
    arguments = parser.parse_args()
    asked = {"documents": arguments.documents, "candidates": arguments.candidates}
    changed = {name: value for name, value in asked.items() if value is not None}
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    results = Results(arguments.results)
    for words in arguments.words:
        rows = []
        for topics in arguments.topics:
            settings = [{"topics": topics, "words": words, "seed": seed} | changed for seed in seeds]
            found = results.get_all(settings, measure, arguments.jobs)
            hits = sum(is_found(one["recommended"], topics) for one in found)
            rows.append(
                [
                    str(topics),
                    *(str(one["recommended"]) for one in found),
                    f"{hits} of {len(found)}",
                    f"{sum(one['seconds'] for one in found) / len(found):.0f}",
                ]
            )
        columns = ["planted", *(f"seed {seed}" for seed in seeds), "within 25 %", "seconds each"]
        print_table(f"Recommended number of topics, {words} topics", columns, rows)


if __name__ == "__main__":
    main()
