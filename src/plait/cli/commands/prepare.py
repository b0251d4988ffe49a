"""`plait prepare`: a corpus read once and written to a folder that fits open without reading it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plait._utils.text import printable
from plait.cli.io.reading import Reading, describe_fields, describe_reading
from plait.cli.options.groups import expand_groups
from plait.cli.options.reading import CorpusPath, ExtraFields, WordSource
from plait.cli.options.text_options import Vocabulary
from plait.cli.show.screen import format_bytes, print_text
from plait.cli.show.text import language_line
from plait.errors import PlaitError


@expand_groups
def prepare(
    context: typer.Context,
    path: CorpusPath,
    source: WordSource,
    extras: ExtraFields,
    vocabulary: Vocabulary,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="NAME.corpus", help="Folder to write.", show_default=False),
    ],
    split_field: Annotated[
        str | None, typer.Option("--split-field", metavar="FIELD", help="Field with the split.", show_default=False)
    ] = None,
    append: Annotated[bool, typer.Option("--append", help="Add the documents to a corpus that exists.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a prepared corpus that exists.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Read all files of the result and compare digests.")] = False,
) -> None:
    """Read a corpus once, and write it to a folder that fits open without reading it.

    Documents are read one at a time, so the corpus may be larger than the memory. Every command takes the folder in
    place of the files. A fit reads it chunk by chunk and gives the same model.

    --append reads texts as those before. New words get new columns; --min-df, --max-df and --max-words are about the
    new words.
    """
    from plait.corpus import prepare_corpus
    from plait.corpus.prepared.corpus import PreparedCorpus

    if append and force:
        raise typer.BadParameter("give --append to add documents, or --force to replace the corpus, not both")
    given = source.keywords() | extras.keywords() | {"split": split_field}
    given |= _added_words(output, source, vocabulary) if append else vocabulary.keywords()
    if append:
        del given["lowercase"]
    corpus = prepare_corpus(path, output, append=append, overwrite=force, **given)
    assert isinstance(corpus, PreparedCorpus)
    if check:
        corpus.check()
    for line in describe_fields(corpus.fields, context.command):
        print_text(line)
    print_text(describe_reading(path if not append else output, Reading(corpus, corpus.skipped)))
    if corpus.text_options is not None:
        print_text(f"language: {language_line(corpus.text_options)}")
    size = sum(record.size for record in corpus.manifest.files())
    print_text(f"wrote {printable(str(output))}: {format_bytes(size)} in {len(corpus.manifest.files()):,} files")


def _added_words(output: Path, source: WordSource, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the options of appended documents: limits that were given; others are those of the corpus."""
    unset = Vocabulary()
    changed = [name for name, value in vocabulary.words().items() if value != unset.words()[name]]
    if changed or source.keep_case:
        name = changed[0].replace("_", "-") if changed else "keep-case"
        raise PlaitError(
            f"documents are appended to {output} in the way in which it was read; leave --{name} out, or prepare the "
            "corpus again"
        )
    return {name: value for name, value in vocabulary.limits().items() if value != unset.limits()[name]}
