"""Labels and links of held-out documents, from topics that explain one of them or both: not in a paper.

    python experiments/relational/combined.py --seeds 0 1 2 --results combined.jsonl
    python experiments/relational/combined.py --inner --label-costs 0.5 1 2 4 8 16     how the cost of labels was chosen
    python experiments/relational/combined.py --corpora webkb --folds 1 --chains 1 --sweeps 20              a quick run

Documents are held out with all their links, so both are predicted from their words. MedLDA and RelationalTopicModel
have their own defaults, and learn from labels alone or links alone. The others are one `TopicModel` that differs only
in what its topics explain; α = 0.25, β = 0.1, and ten samples per chain are those of RelationalTopicModel, which are
better for short documents. With influence, training documents also draw tokens from documents linked in either
direction. Cells are means over folds; ± is the standard deviation over seeds.
"""

from __future__ import annotations

import argparse
from typing import Any

from common import N_FOLDS, Figures, Results, Setting, add_schedule, cells, fit_seconds, options_parser, print_table
from common import schedule as schedule_of
from contestants import link_figures
from data import CORPORA, Fold, load_fold
from threadpoolctl import threadpool_limits

import plait
from experiments.results import average
from plait import LabelResponse, LinkedDocuments, LinkResponse, OwnDocument, SymmetricPrior, TopicModel

ALPHA, BETA, N_SAMPLES = 0.25, 0.1, 10
LABEL_COST = 1.0  # chosen by --inner on cora; docs/combining.md says how
COLUMNS = ("accuracy", "link rank", "AUC", "perplexity", "training s")
# Parts of each TopicModel; "influence" is LinkedDocuments mixing.
COMBINATIONS = ("labels", "links", "labels, links", "labels, links, influence")
MODELS = ("MedLDA", "RelationalTopicModel", *COMBINATIONS)


def measure(setting: Setting) -> Figures:
    """Return the figures of a model on a fold, measured with one thread."""
    given = dict(setting)
    fold = load_fold(given.pop("corpus"), given.pop("fold"), inner=given.pop("inner"))
    with threadpool_limits(1):
        return _figures(_make_model(**given), fold)


def _make_model(*, model: str, topics: int, seed: int, **given: Any) -> Any:
    common = {"random_state": seed, "verbose": False}
    if model == "RelationalTopicModel":
        return plait.RelationalTopicModel(topics, pair_features=None, **common, **given)
    if model == "MedLDA":
        return plait.MedLDA(topics, **common, **given)
    explained, cost = model.split(", "), given.pop("label_cost", None)
    responses = [LabelResponse(c=cost)] if "labels" in explained else []
    responses += [LinkResponse()] if "links" in explained else []
    mixing = LinkedDocuments(ALPHA, direction="both") if "influence" in explained else OwnDocument(ALPHA)
    prior = SymmetricPrior(BETA)
    return TopicModel(topics, mixing=mixing, prior=prior, responses=responses, n_samples=N_SAMPLES, **common, **given)


def _figures(model: Any, fold: Fold) -> Figures:
    figures = {"training s": fit_seconds(model, fold.train)}
    if hasattr(model, "predict"):
        figures["accuracy"] = model.score(fold.test, fold.test.label_vector())
    if hasattr(model, "score_links"):
        figures |= link_figures(model.score_links(fold.test), fold)
    return figures | {"perplexity": model.perplexity(fold.test)}


def contestants(options: argparse.Namespace, topics: int) -> dict[str, Setting]:
    """Return the models by their names in the table."""
    asked = schedule_of(options)
    models: dict[str, Setting] = {
        "MedLDA": {"model": "MedLDA"},
        "RelationalTopicModel": {"model": "RelationalTopicModel"} | asked,
    }
    for combination in COMBINATIONS:
        for cost in options.label_costs if "labels" in combination else [None]:
            name = f"topics of {combination}" + ("" if cost is None else f"; c = {cost:g} of labels")
            models[name] = {"model": combination} | ({} if cost is None else {"label_cost": cost}) | asked
    asked_for = {name: setting for name, setting in models.items() if setting["model"] in options.models}
    return {name: setting | {"topics": topics} for name, setting in asked_for.items()}


def rows(corpus: str, options: argparse.Namespace) -> list[list[str]]:
    """Measure all models on a corpus."""
    named = [
        (name, setting | {"corpus": corpus, "inner": options.inner})
        for topics in options.topics
        for name, setting in contestants(options, topics).items()
    ]
    settings = [
        setting | {"seed": seed, "fold": fold}
        for _, setting in named
        for seed in options.seeds
        for fold in range(options.folds)
    ]
    figures = iter(Results(options.results).get_all(settings, measure, options.jobs))
    shown = []
    for name, setting in named:
        seeds = [average(next(figures) for _ in range(options.folds)) for _ in options.seeds]
        shown.append([name, str(setting["topics"]), *cells(seeds, COLUMNS)])
    return shown


def main() -> None:
    parser = options_parser(__doc__ or "", topics=[30])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA), help="corpora (all)")
    parser.add_argument("--seeds", type=int, nargs="+", help="several seeds, instead of --seed")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS, help="models (all)")
    parser.add_argument(
        "--label-costs", type=float, nargs="+", default=[LABEL_COST], help=f"costs c of labels ({LABEL_COST:g})"
    )
    parser.add_argument("--inner", action="store_true", help="use folds of the first fold's training documents")
    add_schedule(parser)
    options = parser.parse_args()
    options.seeds = options.seeds or [options.seed]
    for corpus in options.corpora:
        of = "the training documents of the first fold" if options.inner else "all documents"
        title = f"{corpus}: mean over the first {options.folds} of {N_FOLDS} folds of {of}"
        print_table(f"{title}, {len(options.seeds)} seed(s)", ["model", "topics", *COLUMNS], rows(corpus, options))


if __name__ == "__main__":
    main()
