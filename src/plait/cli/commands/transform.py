"""`plait transform`: the topics of new documents, written as a table batch by batch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.models import Jobs, ModelPath, load_model
from plait.cli.outputs import Force, check_output, written_whole
from plait.cli.reading import CorpusPath, WordSource, model_words, skipped_line
from plait.cli.spreading import spread
from plait.cli.tables import check_table_name, open_table

if TYPE_CHECKING:
    import numpy as np
    import polars

    from plait.cli.batches import Batches


@spread
def transform(
    model: ModelPath,
    path: CorpusPath,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Table to write: a .csv, .jsonl or .parquet file.", show_default=False),
    ],
    source: WordSource,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Write the share of each topic in each document: columns id, topic_0, topic_1 ...

    Documents are read and written in batches, so a corpus may be larger than memory. The output file appears
    when all of it is written. Bad documents are left out, counted and reported; --strict makes them errors.
    """
    from plait.cli.batches import Batches

    suffix = check_table_name(output)
    target = check_output(output, overwrite=force)
    estimator = load_model(model)
    estimator.n_jobs = jobs
    batches = Batches(path, source, model_words(estimator))
    documents, unknown = _write_all(estimator, batches, target, suffix)
    print(f"wrote {output}: {documents:,} documents, {estimator.n_topics} topics; {skipped_line(batches.skipped)}")
    if unknown:
        print(f"{unknown:,} documents have no word that the model knows; their shares are the model's prior")


def _write_all(estimator: Any, batches: Batches, target: Path, suffix: str) -> tuple[int, int]:
    """Write all documents; return how many, and how many had no word that the model knows."""
    from plait.corpus.records import RestartError

    while True:
        documents = unknown = 0
        try:
            with written_whole(target) as part, open_table(part, suffix) as write:
                for batch in batches:
                    write(_frame(batch.ids, estimator.transform(batch)))
                    documents += len(batch)
                    unknown += int((batch.lengths == 0).sum())
        except RestartError:
            continue  # better fields turned up, so what was written so far came from the wrong ones
        return documents, unknown


def _frame(ids: np.ndarray, shares: np.ndarray) -> polars.DataFrame:
    import polars

    names = [f"topic_{topic}" for topic in range(shares.shape[1])]
    topics = polars.from_numpy(shares, schema=names)
    return topics.insert_column(0, polars.Series("id", ids.tolist(), dtype=polars.String))
