"""Labels and links of unseen documents, from topics that explain either alone or both: not in a paper.

    python experiments/relational/combined.py
    python experiments/relational/combined.py --corpora webkb --folds 1 --chains 1 --sweeps 20              a quick look

Documents are held out with all their links, so both are told from their words. All settings but the responses are
the same: α = 4 / topics as in MedLDA, β = 0.05, all else by default.
"""

from __future__ import annotations

import argparse
from statistics import mean, stdev

from common import N_FOLDS, add_schedule, print_table, schedule
from data import CORPORA, Fold, load_fold

from plait import LabelResponse, LinkResponse, OwnDocument, SymmetricPrior, TopicModel
from plait.evaluation import score_link_ranks

RESPONSES = {
    "labels": [LabelResponse()],
    "links": [LinkResponse()],
    "labels and links": [LabelResponse(), LinkResponse()],
}


def measure(fold: Fold, responses: list, n_topics: int, options: argparse.Namespace) -> tuple[float | None, ...]:
    """Return accuracy, AUC and perplexity on the documents held out."""
    model = TopicModel(
        n_topics, responses=responses, mixing=OwnDocument(4 / n_topics), prior=SymmetricPrior(0.05), random_state=0,
        n_jobs=options.jobs, verbose=False, **schedule(options),
    ).fit(fold.train)  # fmt: skip
    accuracy = model.score(fold.test, fold.test.label_vector()) if hasattr(model, "predict") else None
    auc = score_link_ranks(model.score_links(fold.test), fold.links).auc if hasattr(model, "score_links") else None
    return accuracy, auc, model.perplexity(fold.test)


def cell(values: list[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return ""
    return f"{mean(known):.{digits}f}" + (f" ± {stdev(known):.{digits}f}" if len(known) > 1 else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, nargs="+", default=[20], help="how many (20)")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA, help="which (all)")
    parser.add_argument("--folds", type=int, choices=range(1, N_FOLDS + 1), default=N_FOLDS, help="the first of 5 (5)")
    parser.add_argument("--jobs", type=int, default=1, help="threads (1)")
    add_schedule(parser)
    options = parser.parse_args()
    for name in options.corpora:
        rows = []
        for n_topics in options.topics:
            for what, responses in RESPONSES.items():
                folds = [load_fold(name, number) for number in range(options.folds)]
                found = zip(*(measure(fold, responses, n_topics, options) for fold in folds), strict=True)
                figures = [cell(list(column), digits) for column, digits in zip(found, (3, 3, 1), strict=True)]
                rows.append([what, str(n_topics), *figures])
        title = f"{name}: mean ± standard deviation over the first {options.folds} of {N_FOLDS} folds"
        print_table(title, ["explained", "topics", "accuracy", "AUC", "perplexity"], rows)


if __name__ == "__main__":
    main()
