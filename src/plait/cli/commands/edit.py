"""`plait edit`: a model with renamed, merged, dropped or split topics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.locking import lock_for_writing
from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.reading import Reading, align_split, describe_reading, read_for_model
from plait.cli.io.recalled import recall_options
from plait.cli.options.building import options_given
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import Jobs
from plait.cli.options.models import ModelPath, load_model, targets_of
from plait.cli.options.reading import SplitOptions, WordSource, date_option, label_option, links_option
from plait.cli.options.targets import Target
from plait.cli.show.screen import print_text
from plait.cli.show.topics import listed_topics, topic_targets, topics_table

if TYPE_CHECKING:
    from plait.corpus import Corpus


def _parse_name(text: str) -> tuple[int, str | None]:
    """Return a topic and its name from a text such as "3=space"; "3=" removes the name."""
    number, equals, name = text.partition("=")
    if not equals or not number.strip().isdecimal():
        raise typer.BadParameter(f"{text!r} is not a topic and its name such as 3=space")
    return int(number), name.strip() or None


def _parse_numbers(text: str) -> list[int]:
    """Return topics from a text such as "1,2"."""
    items = text.split(",")
    if not all(item.strip().isdecimal() for item in items):
        raise typer.BadParameter(f"{text!r} is not a list of numbers of topics such as 1,2")
    return [int(item) for item in items]


def _parse_group(text: str) -> list[int]:
    """Return topics to merge from a text such as "1,2"."""
    found = _parse_numbers(text)
    if len(found) < 2:
        raise typer.BadParameter(f"--merge takes two topics or more, such as 1,2, not {text}")
    return found


def _parse_split(text: str) -> tuple[int, int]:
    """Return a topic and the number of its parts from a text such as "3:2"; "3" stands for two parts."""
    number, colon, parts = text.partition(":")
    if not number.strip().isdecimal() or (colon and not parts.strip().isdecimal()):
        raise typer.BadParameter(f"{text!r} is not a topic and the number of its parts such as 3:2")
    return int(number), int(parts) if colon else 2


@dataclass(frozen=True)
class EditOptions:
    """What becomes of the topics."""

    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NUMBER=NAME",
            help="Name a topic; 3= removes its name. Repeat for several.",
            show_default=False,
        ),
    ] = None
    merge: Annotated[
        list[str] | None,
        typer.Option(
            "--merge",
            metavar="1,2",
            help="Merge topics into one. Repeat for several groups.",
            show_default=False,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            metavar="4",
            help="Drop topics; their tokens go to other topics. Repeat for several.",
            show_default=False,
        ),
    ] = None
    split_topic: Annotated[
        list[str] | None,
        typer.Option(
            "--split-topic",
            metavar="3:2",
            help="Split a topic into parts. Repeat for several topics.",
            show_default=False,
        ),
    ] = None
    sweeps: Annotated[
        int, typer.Option("--sweeps", min=1, help="Maximum number of sweeps that settle each change, before samples.")
    ] = 50

    @property
    def needs_documents(self) -> bool:
        """Whether something besides names changes."""
        return bool(self.merge or self.drop or self.split_topic)

    def keywords(self) -> dict[str, Any]:
        """Return the edits as arguments of `apply_edits`."""
        names, parts = (
            [_parse_name(one) for one in self.name or ()],
            [_parse_split(one) for one in self.split_topic or ()],
        )
        for option, topics in (("--name", [topic for topic, _ in names]), ("--split-topic", [one for one, _ in parts])):
            if len(set(topics)) < len(topics):
                raise typer.BadParameter(f"{option} is given twice for the same topic; give it once")
        return {
            "merge": [_parse_group(one) for one in self.merge or ()],
            "drop": [topic for one in self.drop or () for topic in _parse_numbers(one)],
            "split": dict(parts),
            "names": dict(names),
        }


@dataclass(frozen=True)
class TrainingFields:
    """The fields of the documents that the model was fitted to."""

    label_field: Annotated[str | None, label_option()] = None
    date_field: Annotated[str | None, date_option()] = None
    links: Annotated[Path | None, links_option()] = None
    hold_out: Annotated[
        float | None,
        typer.Option("--hold-out", metavar="SHARE", help="The share that plait fit left out.", show_default=False),
    ] = None
    min_label_documents: Annotated[
        int | None,
        typer.Option(
            "--min-label-documents", metavar="NUMBER", help="The minimum that plait fit was given.", show_default=False
        ),
    ] = None


@expand_groups
def edit(
    context: typer.Context,
    model: ModelPath,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="NEW.plait", help="File for the edited model.", show_default=False),
    ],
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PATH]",
            help="The corpus that the model was fitted to. Not needed to name topics.",
            show_default=False,
        ),
    ] = None,
    *,
    edits: EditOptions,
    jobs: Jobs = 1,
    force: Force = False,
    source: WordSource,
    split: SplitOptions,
    training: TrainingFields,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False,
) -> None:
    """Name, merge, drop or split topics of a model and save the result as another model.

    All numbers are those that plait topics MODEL prints. Topics are merged, then dropped, then split, and named last:
    the name of a merged topic is that of its group, the name of a split one that of its first part, which keeps the
    number; other parts come last, and gaps in the numbers are closed.

    Merging, dropping and splitting need the corpus that the model was fitted to, because a model does not keep the
    tokens. It is read with the options of plait fit, which the model keeps, except --links. Of a stream, the documents
    of the last slice are used. MODEL does not change.
    """
    changes = edits.keywords()
    estimator: Any = load_model(model)
    _check_topics(changes, len(estimator.topic_names_))
    if edits.needs_documents and path is None:
        raise typer.BadParameter("--merge, --drop and --split-topic need the corpus that the model was fitted to")
    if not edits.needs_documents and path is not None:
        raise typer.BadParameter("a corpus is needed for --merge, --drop and --split-topic only; leave it out")
    place = check_output(output, overwrite=force, inputs=[model, path, training.links])
    context.with_resource(lock_for_writing(place))
    corpus, given = None, {}
    kept = getattr(estimator, "reading_options_", {})
    if path is not None:
        estimator.set_params(n_jobs=jobs, verbose=not quiet)
        named = options_given(context)
        source, split = recall_options(source, kept, named), recall_options(split, kept, named)
        training = recall_options(training, kept, named)
        corpus = _read(estimator, path, source, split, training, quiet)
        given = {"n_sweeps": edits.sweeps, **_values(estimator, corpus)}
    from plait.models.editing.sequence import apply_edits
    from plait.store import save

    edited = apply_edits(estimator, corpus, **changes, **given)
    edited.reading_options_ = kept
    save(edited, place)
    if not quiet:
        topics_table(listed_topics(edited), topic_targets(edited)).show()
        print_text(f"saved {output}: {counted(len(edited.topic_names_), 'topic')}")


def _check_topics(changes: dict[str, Any], n_topics: int) -> None:
    """Raise an error if an edit names a topic that the model does not have, before the corpus is read."""
    from plait.models.naming import check_topic_number

    groups = [*changes["merge"], changes["drop"], changes["split"], changes["names"]]
    for topic in (one for group in groups for one in group):
        check_topic_number(topic, n_topics)


def _read(
    model: Any, path: Path, source: WordSource, split: SplitOptions, training: TrainingFields, quiet: bool
) -> Corpus:
    """Return the documents that the model was fitted to; of a stream, those of its last slice."""
    whole = read_for_model(
        model,
        path,
        source,
        split=split.split_field,
        label=training.label_field,
        date=training.date_field,
        links=training.links,
    )
    reading = align_split(model, whole, split.split)
    if not quiet:  # words that the fit dropped are expected here
        print_text(describe_reading(path, Reading(reading.corpus, whole.skipped)), flush=True)
    corpus = reading.corpus
    if training.hold_out is not None:
        corpus, _ = corpus.split(training.hold_out, random_state=model.random_state)
    if training.min_label_documents is not None:
        from plait.inputs.corpus_targets import drop_rare_labels

        corpus, _ = drop_rare_labels(corpus, training.min_label_documents)
    if not hasattr(model, "slices_"):
        return corpus
    from plait.models.online.editing import select_last_slice

    return select_last_slice(model, corpus)


def _values(model: Any, corpus: Corpus) -> dict[str, Any]:
    """Return the argument with the numbers of the documents, for a model that predicts numbers."""
    if Target.values not in targets_of(model):
        return {}
    from plait.inputs.corpus_targets import values_from_labels

    return {"values": values_from_labels(corpus)}
