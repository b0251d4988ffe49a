"""`plait predict`: the labels of new documents, or their numbers, written as a table batch by batch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.applying import Rows, TableOutput, id_column, write_answers
from plait.cli.io.new_links import LinksOf, NewLinksPath, links_for
from plait.cli.options.models import MODELS, ModelPath, follows_links, load_model, target_of, with_article
from plait.cli.options.reading import CorpusPath, WordSource
from plait.cli.options.spreading import spread
from plait.cli.options.used_responses import Target
from plait.errors import PlaitError

if TYPE_CHECKING:
    import numpy as np
    import polars

    from plait.corpus import Corpus

# Between the labels of one document in a CSV file, which has no lists.
SEPARATOR = ";"


@spread
def predict(
    model: ModelPath,
    path: CorpusPath,
    output: TableOutput,
    source: WordSource,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write the score of every label, in columns score:LABEL."),
    ] = False,
    links: NewLinksPath = None,
) -> None:
    """Write the predicted label of each document: columns id, label, score.

    The score says how clearly the label wins; it is not a probability. Where documents have several labels,
    label holds all that score above 0 (a list; in CSV joined by ;) and --scores writes what each of them
    scored. A model of numbers writes columns id, value. Documents are read and written in batches, so a
    corpus may be larger than memory, unless --links joins them to each other.
    """
    target = output.check()
    estimator: Any = load_model(model)
    kind = target_of(estimator)
    if kind is None or kind is Target.links:
        raise PlaitError(_no_predictions(model, estimator))
    estimator.n_jobs = output.jobs
    followed, links_of = links_for(links, estimator, model, source)
    together = followed is not None and followed.among_new
    if kind is Target.values:
        if scores:
            raise PlaitError(f"{model} predicts numbers, which have no scores; leave --scores out")
        rows, what = _value_rows(estimator, links_of), "a number each"
    else:
        rows, what = _label_rows(estimator, output.suffix, scores, links_of), f"{len(estimator.classes_):,} labels"
    written = write_answers(estimator, path, source, output, target, rows, together=together)
    print(f"wrote {output.output}: {counted(written.documents, 'document')}, {what}; {written.skipped}")
    if followed is not None:
        print(followed.line())
    if written.unknown:
        print(
            f"{counted(written.unknown, 'document')} without a word that the model knows: "
            "predicted from the model's prior alone"
        )


def _no_predictions(path: Path, model: Any) -> str:
    if target_of(model) is None and follows_links(model):
        return f"{path} holds a model that predicts no labels; plait influence {path} says who shapes whom"
    if target_of(model) is Target.links:
        return f"{path} holds a model of links, which predicts no labels; plait links {path} suggests links"
    names = [name for name, choice in MODELS.items() if choice.target in (Target.labels, Target.values)]
    return (
        f"{path} holds {with_article(model)}, which knows words only and cannot predict labels; "
        f"fit one that can: plait fit --model {' or '.join(names)}"
    )


def _value_rows(model: Any, links_of: LinksOf) -> Rows:
    def rows(batch: Corpus) -> polars.DataFrame:
        import polars

        found = polars.Series("value", model.predict_values(batch, **links_of(batch)), dtype=polars.Float64)
        return polars.DataFrame([id_column(batch), found])

    return rows


def _label_rows(model: Any, suffix: str, scores: bool, links_of: LinksOf) -> Rows:
    """Return a function that lays out the predictions for a batch of documents."""
    classes = model.classes_.tolist()
    joined = suffix == ".csv"
    if model.multilabel_ and joined:
        _check_separator(classes)

    def rows(batch: Corpus) -> polars.DataFrame:
        import polars

        found = label_scores(model, batch, **links_of(batch))
        columns = [id_column(batch)]
        if model.multilabel_:
            least = model._response("labels").threshold
            chosen = [[label for label, score in zip(classes, row, strict=True) if score > least] for row in found]
            columns.append(_label_lists(chosen, classes, joined))
        else:
            best = found.argmax(axis=1)
            columns.append(polars.Series("label", [classes[place] for place in best], dtype=_type_of(classes)))
            columns.append(polars.Series("score", found.max(axis=1), dtype=polars.Float64))
        if scores:
            columns += [polars.Series(f"score:{label}", found[:, place]) for place, label in enumerate(classes)]
        return polars.DataFrame(columns)

    return rows


def label_scores(model: Any, batch: Any, **links: Any) -> np.ndarray:
    """Return the score of every label for every document; two labels mirror each other."""
    import numpy as np

    scores = np.asarray(model.decision_function(batch, **links), dtype=np.float64)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _label_lists(chosen: list[list[Any]], classes: list[Any], joined: bool) -> polars.Series:
    import polars

    if joined:
        texts = [SEPARATOR.join(map(str, labels)) for labels in chosen]
        return polars.Series("label", texts, dtype=polars.String)
    return polars.Series("label", chosen, dtype=polars.List(_type_of(classes)))


def _type_of(classes: list[Any]) -> Any:
    """Return the type of a column of labels, the same for every batch."""
    import polars

    return polars.Series(classes).dtype


def _check_separator(classes: list[Any]) -> None:
    held = next((label for label in classes if SEPARATOR in str(label)), None)
    if held is not None:
        raise PlaitError(
            f'the label "{held}" holds a "{SEPARATOR}", which joins the labels of a document in CSV; '
            "write a .jsonl or .parquet file"
        )
