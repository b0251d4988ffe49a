"""`plait predict`: the predicted labels or numbers of new documents, written to a table in batches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.applying import Rows, TableOutput, id_columns, print_fields, write_table
from plait.cli.io.new_links import LinkArguments, NewLinksPath, describe_usage, read_new_links
from plait.cli.options.groups import expand_groups
from plait.cli.options.models import MODELS, ModelPath, follows_links, load_model, target_of, with_article
from plait.cli.options.reading import CorpusPath, SplitOptions, TitleField, WordSource
from plait.cli.options.targets import Target
from plait.cli.show.screen import print_text
from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

    from plait.corpus import Corpus

# Between the labels of one document in a CSV file, which has no lists.
SEPARATOR = ";"


@expand_groups
def predict(
    context: typer.Context,
    model: ModelPath,
    path: CorpusPath,
    output: TableOutput,
    source: WordSource,
    split: SplitOptions,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write the score of every label, in columns score:LABEL."),
    ] = False,
    links: NewLinksPath = None,
    title_field: TitleField = None,
) -> None:
    """Write the predicted labels of documents to a table.

    Columns: id, title (if documents have titles), tokens (those that the model knows), label, score. The score is not a
    probability. If documents have
    several labels, label holds all labels with a score above the threshold of the model (a list; in CSV joined by ;),
    and --scores writes their scores. A model of numbers writes value in place of label and score. Documents are read
    and written in batches, so a corpus may be larger than memory, unless --links connects them to each other.
    """
    target = output.check(model, path, links)
    estimator: Any = load_model(model)
    kind = target_of(estimator)
    if kind is None or kind is Target.links:
        raise PlaitError(_no_predictions(model, estimator))
    estimator.n_jobs = output.jobs
    new_links, links_of = read_new_links(links, estimator, model, source)
    together = new_links is not None and new_links.among_new
    if kind is Target.values:
        if scores:
            raise PlaitError(f"{model} predicts numbers, which have no scores; leave --scores out")
        rows, what = _value_rows(estimator, links_of), "a number each"
    else:
        rows, what = _label_rows(estimator, output.suffix, scores, links_of), f"{len(estimator.classes_):,} labels"
    written = write_table(
        estimator, path, source, output, target, rows, split=split, together=together, title=title_field
    )
    print_fields(written, context.command)
    print_text(f"wrote {output.output}: {counted(written.documents, 'document')}, {what}; {written.skipped}")
    if new_links is not None:
        print_text(describe_usage(new_links))
    if written.unknown:
        print_text(
            f"{counted(written.unknown, 'document')} without a word of the model's vocabulary: "
            "predicted from the model's prior alone"
        )


def _no_predictions(path: Path, model: Any) -> str:
    if target_of(model) is None and follows_links(model):
        return f"{path} holds a model that predicts no labels; plait influence {path} shows influence"
    if target_of(model) is Target.links:
        return f"{path} holds a model of links, which predicts no labels; plait links {path} suggests links"
    names = [name for name, choice in MODELS.items() if choice.target in (Target.labels, Target.values)]
    return (
        f"{path} holds {with_article(model)}, a model of words alone, which predicts no labels; "
        f"fit one that does: plait fit --model {' or '.join(names)}"
    )


def _value_rows(model: Any, links_of: LinkArguments) -> Rows:
    def rows(batch: Corpus) -> polars.DataFrame:
        import polars

        found = polars.Series("value", model.predict_values(batch, **links_of(batch)), dtype=polars.Float64)
        return polars.DataFrame([*id_columns(batch), found])

    return rows


def _label_rows(model: Any, suffix: str, scores: bool, links_of: LinkArguments) -> Rows:
    """Return a function from a batch of documents to the rows of the table."""
    classes = model.classes_.tolist()
    joined = suffix == ".csv"
    if model.multilabel_ and joined:
        _check_separator(classes)

    def rows(batch: Corpus) -> polars.DataFrame:
        import polars

        from plait.evaluation.predictions import predict_with_scores

        found = predict_with_scores(model, batch, **links_of(batch))
        columns = id_columns(batch)
        if model.multilabel_:
            columns.append(_label_lists(found.labels, classes, joined))
        else:
            labels = [label for (label,) in found.labels]
            columns.append(polars.Series("label", labels, dtype=_type_of(classes)))
            columns.append(polars.Series("score", found.scores.max(axis=1), dtype=polars.Float64))
        if scores:
            columns += [polars.Series(f"score:{label}", found.scores[:, i]) for i, label in enumerate(classes)]
        return polars.DataFrame(columns)

    return rows


def _label_lists(labels: list[tuple[Any, ...]], classes: list[Any], joined: bool) -> polars.Series:
    import polars

    if joined:
        texts = [SEPARATOR.join(map(str, names)) for names in labels]
        return polars.Series("label", texts, dtype=polars.String)
    return polars.Series("label", list(map(list, labels)), dtype=polars.List(_type_of(classes)))


def _type_of(classes: list[Any]) -> Any:
    """Return the type of a column of labels, the same for every batch."""
    import polars

    return polars.Series(classes).dtype


def _check_separator(classes: list[Any]) -> None:
    found = next((label for label in classes if SEPARATOR in str(label)), None)
    if found is not None:
        raise PlaitError(
            f'the label "{found}" contains "{SEPARATOR}", which separates the labels of a document in CSV; '
            "write a .jsonl or .parquet file"
        )
