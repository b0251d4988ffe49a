"""The documents that a baseline is trained on, so that a figure of a labelled model never stands alone."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.options.reading import label_option, part_for, read_for
from plait.cli.show.targets import with_labels

if TYPE_CHECKING:
    from plait.cli.options.reading import WordSource
    from plait.corpus import Corpus

_PANEL = "Models with labels"
_SPLIT = "train"


@dataclass(frozen=True)
class TargetOptions:
    """What a model with labels is measured against: the documents' labels, and a baseline's training documents."""

    label_field: Annotated[str | None, label_option(_PANEL)] = None
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            metavar="PATH",
            help="Documents that the baseline is trained on: those the model was fitted to.",
            show_default="the same corpus: its split train, or what the model was fitted to",
            rich_help_panel=_PANEL,
        ),
    ] = None
    train_split: Annotated[
        str | None,
        typer.Option(
            "--train-split",
            metavar="NAME",
            help="Train the baseline on one split of them.",
            show_default="train; with --train, all of them",
            rich_help_panel=_PANEL,
        ),
    ] = None
    confusion: Annotated[
        Path | None,
        typer.Option(
            "--confusion",
            metavar="FILE.csv",
            help="Write how often each label was taken for which: a row a true label, a column a predicted one. "
            "Where the model follows links, as told with them.",
            show_default=False,
            rich_help_panel=_PANEL,
        ),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the confusion file if it exists.", rich_help_panel=_PANEL)
    ] = False

    def given(self) -> list[str]:
        """Return the options that were given, as people type them."""
        return [
            f"--{field.name.removesuffix('_field').replace('_', '-')}"
            for field in fields(self)
            if getattr(self, field.name) not in (None, False)
        ]


@dataclass(frozen=True)
class Training:
    """Documents with labels to train a baseline on; None, and why, where there are none.

    `fitted` of them were fitted to by the model too, and `tested` are among those that it is measured on.
    """

    corpus: Corpus | None
    problem: str = ""
    fitted: int = 0
    tested: int = 0

    def line(self, baseline: str) -> str:
        """Say in one line what the baseline was trained on, or why it was not."""
        if self.corpus is None:
            return f"No baseline could be trained: {self.problem}"
        size = len(self.corpus)
        line = f"{baseline} was trained on {size:,} documents, with the words that the model knows"
        if self.fitted < size:
            line += f"; the model was fitted to {self.fitted:,} of them"
        if self.tested:
            line += f"; {self.tested:,} of them are measured here: the baseline's figures are too good"
        return line

    def plain(self, baseline: str, figures: dict[str, Any]) -> dict[str, Any]:
        """Return the same for programs, with the figures of the baseline."""
        if self.corpus is None:
            return {"baseline": None, "no_baseline": self.problem}
        about = {
            "name": baseline,
            "trained_on": len(self.corpus),
            "trained_on_fitted_to": self.fitted,
            "trained_on_measured": self.tested,
        }
        return {"baseline": about | figures}


def training_documents(
    model: Any,
    options: TargetOptions,
    source: WordSource,
    path: Path,
    whole: Corpus,
    tested: Corpus,
    roles: dict[str, Any],
) -> Training:
    """Find the documents for the baseline, in the columns of the model's vocabulary.

    Parameters
    ----------
    model
        The model that the baseline stands beside.
    options, source, roles
        What the command line says about them; `roles` is for `read_corpus`.
    path, whole
        The corpus that the model is measured on, before one of its splits was chosen.
    tested
        The documents that the model is measured on.
    """
    split = options.train_split
    if options.train is not None:
        path, whole = options.train, read_for(model, options.train, source, **roles)
    elif split is None:
        if whole.splits is None:
            whole = _fitted_to(model, whole, tested)
            if not len(whole):
                return Training(None, f"{path} has no splits; give the training documents with --train")
        elif _SPLIT not in whole.splits:
            known = ", ".join(f'"{name}"' for name in sorted(set(whole.splits)) if name)
            return Training(
                None,
                f'{path} has no split "{_SPLIT}" (it has {known}); name one with --train-split, or give the training '
                "documents with --train",
            )
        else:
            split = _SPLIT
    corpus = with_labels(part_for(model, whole, split).corpus)
    if not len(corpus):
        return Training(None, f"no training document in {path} has a label; name their field with --label")
    ids = set(corpus.ids)
    fitted = len(ids) if model.doc_ids_ is None else len(ids & set(model.doc_ids_))
    return Training(corpus, fitted=fitted, tested=len(ids & set(tested.ids)))


def _fitted_to(model: Any, whole: Corpus, tested: Corpus) -> Corpus:
    """Return the documents that the model was fitted to, less those that it is measured on."""
    ids = set() if model.doc_ids_ is None else set(map(str, model.doc_ids_))
    ids -= set(map(str, tested.ids))
    return whole.select([row for row, name in enumerate(whole.ids) if str(name) in ids])
