"""How the files in this folder were made: by plait 0.1.0, before its engine was rebuilt, with

    PYTHONPATH=<that version>/src python -m tests.store.files.make

from the repository's root. The files are finished models, checkpoints of fits that were never finished, and a stream
of `plait stream`; expected.json has what that version answers from each. Later versions load them and must answer the
same (tests/store/test_earlier_files.py), so do not make the files anew: they would be no files of an earlier version.

A checkpoint is what `fit(…, checkpoint=path)` has saved last when it ends: that of a fit which was killed afterwards.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

import plait
from tests.digests.compute import digest, numbers_of, parts_of, sums_of

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected.json"
THEMES = {
    "money": ["bank", "loan", "money", "credit", "stocks", "market", "price", "shares"],
    "music": ["song", "guitar", "drum", "concert", "band", "melody", "opera", "tune"],
    "water": ["river", "stream", "lake", "fish", "boat", "rain", "flood", "shore"],
}
N_DOCUMENTS = 24
QUICK = {
    "n_topics": 3,
    "n_sweeps": 12,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 5,
    "tolerance": 0.0,
    "n_shards": 1,
    "random_state": 11,
    "verbose": False,
}
CHAINS = QUICK | {"n_chains": 2}
MOST_NUMBERS = 20  # of an output that are kept beside its digest


# Documents ----------------------------------------------------------------------------------------------------------


def text(row: int, extra: str = "") -> str:
    """A text of eight words about one theme and two about another."""
    names = sorted(THEMES)
    own, other = THEMES[names[row % 3]], THEMES[names[(row + row // 5) % 3]]
    words = [own[(row // 3 + step * step) % 8] for step in range(8)]
    return " ".join([*words, other[row % 8], other[(row + 3) % 8], extra]).strip()


def documents(first: int = 0, number: int = N_DOCUMENTS) -> plait.Corpus:
    """Documents with ids, a label each (one has none) and links to two others each; later ones have a word more."""
    rows = range(first, first + number)
    extra = f"later{first}" if first else ""
    label_of = {row: None if row % 24 == 7 else sorted(THEMES)[row % 3] for row in rows}
    steps = [(place, (place + step) % number) for place in range(number) for step in (3, 7 - place % 3)]
    return plait.Corpus.from_texts(
        [text(row, extra) for row in rows],
        ids=[f"d{row}" for row in rows],
        labels=list(label_of.values()),
        links=[(f"d{first + source}", f"d{first + target}", 1 + source % 2) for source, target in steps],
    )


def values() -> list[float]:
    """A number of each document."""
    return [float("nan") if row == 5 else 1.0 + 2 * (row % 3) + row / 50 for row in range(N_DOCUMENTS)]


def new_documents(model: Any = None) -> plait.Corpus:
    """Documents that no model has learned from, read as the texts of a model were."""
    texts = [text(row) for row in (100, 101, 102, 110)]
    options = {} if getattr(model, "text_options_", None) is None else {"like": model}
    return plait.Corpus.from_texts([*texts, "river money opera flood"], **options)


def new_links() -> sparse.csr_array:
    """Links of the new documents to the first ones."""
    return sparse.csr_array(np.eye(5, N_DOCUMENTS, k=2) + 2 * np.eye(5, N_DOCUMENTS, k=9))


def stream_lines(n_months: int) -> str:
    """Dated documents as JSON lines, eight a month."""
    lines = []
    for row in range(8 * n_months):
        month, day = divmod(row, 8)
        document = {"id": f"s{row}", "text": text(row, f"news{month}"), "date": f"2021-{month + 1:02d}-{day + 3:02d}"}
        lines.append(json.dumps(document) + "\n")
    return "".join(lines)


# Files --------------------------------------------------------------------------------------------------------------


def lda(path: Path) -> None:
    """Save a finished LDA with named topics and an α that was learned."""
    prior = plait.SeedPrior({"finance": ["loan", "credit"], "nature": ["river"]}, strength=2.0)
    plait.save(plait.LDA(**QUICK, beta=prior, learn_alpha=True).fit(documents()), path)


def medlda(path: Path) -> None:
    """Save a finished MedLDA, calibrated."""
    plait.save(plait.MedLDA(**CHAINS, c=4.0, calibrate=0.5).fit(documents()), path)


def relational(path: Path) -> None:
    """Save a finished RelationalTopicModel."""
    plait.save(plait.RelationalTopicModel(**CHAINS, weights_every=2).fit(documents()), path)


def linked(path: Path) -> None:
    """Save a finished LinkedLDA, whose shares are real numbers."""
    plait.save(plait.LinkedLDA(**CHAINS, direction="both", most_links=3, sampler="limit").fit(documents()), path)


def combined(path: Path) -> None:
    """Save a finished TopicModel with everything."""
    responses = [plait.LabelResponse(c=4.0), plait.LinkResponse(weights="diagonal"), plait.ValueResponse()]
    model = plait.TopicModel(**CHAINS, mixing=plait.LinkedDocuments(0.3), responses=responses)
    plait.save(model.fit(documents(), values=values()), path)


def online(path: Path) -> None:
    """Save an OnlineLDA after three slices."""
    model = plait.OnlineLDA(**QUICK, window=2, responses=[plait.LabelResponse(c=4.0)])
    for number in range(3):
        model.partial_fit(documents(N_DOCUMENTS * number), label=f"slice {'abc'[number]}", ahead=number > 0)
    plait.save(model, path)


def stream(path: Path) -> None:
    """Let `plait stream` learn three months of four, which are piped in; the last one waits for its end."""
    options = ["--topics", "3", "--sweeps", "10", "--samples", "2", "--sample-every", "2", "--window", "2"]
    run_stream([str(path), "-", "--by", "month", *options], stream_lines(4))


def run_stream(arguments: list[str], piped: str) -> str:
    """Run `plait stream` with lines piped in; return what it printed."""
    from typer.testing import CliRunner

    try:
        from plait.cli.app import app
    except ImportError:  # as the command line was when the files were written
        from plait.cli import app

    result = CliRunner().invoke(app, ["stream", *arguments], input=piped, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def checkpoint_lda(path: Path) -> None:
    """Leave a checkpoint of LDA, 10 sweeps of 14, the first sample not yet taken."""
    plait.LDA(**QUICK, learn_alpha=True, learn_beta=True).fit(documents(), checkpoint=path, checkpoint_every=10)


def checkpoint_medlda(path: Path) -> None:
    """Leave a checkpoint of MedLDA, 27 sweeps of 28, in the second chain after its first sample."""
    plait.MedLDA(**CHAINS, c=4.0, loss="logistic").fit(documents(), checkpoint=path, checkpoint_every=9)


def checkpoint_relational(path: Path) -> None:
    """Leave a checkpoint of RelationalTopicModel, 22 sweeps of 28, in the second chain."""
    model = plait.RelationalTopicModel(**CHAINS, weights_every=3, fresh_negatives=4)
    model.fit(documents(), checkpoint=path, checkpoint_every=11)


def checkpoint_linked_sparse(path: Path) -> None:
    """Leave a checkpoint of LinkedLDA with sparse shares, 22 sweeps of 28, in the second chain."""
    model = plait.LinkedLDA(**CHAINS, sampler="sparse(10)", direction="both")
    model.fit(documents(), checkpoint=path, checkpoint_every=11)


# Answers ------------------------------------------------------------------------------------------------------------


def answers(model: Any) -> dict[str, Any]:
    """What a model has learned, and what it says of new documents."""
    new = new_documents(model)
    names = ("topic_word_", "doc_topic_", "alpha_", "weights_", "label_weights_", "value_weights_", "link_weights_")
    found = {name: getattr(model, name) for name in (*names, "influence_", "source_topic_") if hasattr(model, name)}
    found["topics"] = [[one.name, *one.words] for one in model.topics(top=4)]
    found["history"] = [one.log_likelihood for one in model.history_]
    found["transform"] = model.transform(new)
    found["perplexity"] = model.perplexity(new)
    for name in ("decision_function", "predict", "predict_proba", "predict_values", "score_links"):
        if hasattr(model, name):
            found[name] = getattr(model, name)(new)
    if hasattr(model, "score_links"):
        suggestions = model.suggest_missing_links(["d0", "d9"], top=3)
        found["suggest_missing_links"] = [[one.id, one.score] for own in suggestions for one in own]
        found["predict_words"] = model.predict_words(new, new_links())
    if hasattr(model, "infer_influence"):
        found["influencers"] = [list(one) for one in model.influencers("d4")]
        found["infer_influence"] = model.infer_influence(new, new_links())
        found["transform with links"] = model.transform(new, links=new_links())
    return found


def finished(path: Path) -> dict[str, Any]:
    """What a finished model answers."""
    return answers(plait.load(path))


def resumed(path: Path) -> dict[str, Any]:
    """What an unfinished model answers as it is, and what it answers when its fit went on to the end."""
    model = plait.load(path)
    found: dict[str, Any] = {"sweeps made": model.n_sweeps_, "interrupted": model.interrupted_}
    found |= {f"{name}, unfinished": value for name, value in answers(model).items()}
    return found | answers(model.resume(documents())) | {"sweeps": model.n_sweeps_}


def gone_on(path: Path) -> dict[str, Any]:
    """What a stream answers, and what it answers after one slice more."""
    model = plait.load(path)
    found = {f"{name}, before": value for name, value in (answers(model) | _slices(model)).items()}
    model.partial_fit(documents(3 * N_DOCUMENTS), label="slice d", ahead=True)
    return found | answers(model) | _slices(model)


def streamed(path: Path) -> dict[str, Any]:
    """What a stream of the command line answers, and what it answers when the command has gone on for a month."""
    model = plait.load(path)
    found = {f"{name}, before": value for name, value in (answers(model) | _slices(model)).items()}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stream.plait"
        copy.write_bytes(path.read_bytes())
        said = run_stream([str(copy), "-"], stream_lines(5))
        model = plait.load(copy)
    found["said"] = [line.split(",")[0] for line in said.splitlines() if not line.startswith("  new in topic")][:2]
    return found | answers(model) | _slices(model)


def _slices(model: Any) -> dict[str, Any]:
    slices = model.slices_
    return {
        "slices": [[one.label, one.begins, one.ends, one.n_documents, one.n_new_words] for one in slices],
        "tokens": np.array([one.topic_tokens for one in slices]),
        "drift": np.array([[one.drift, one.noise, one.novelty] for one in slices]),
        "ahead": [one.perplexity for one in slices if one.perplexity is not None],
        "new words": model.new_words_,
    }


FILES: dict[str, tuple[Callable[[Path], None], Callable[[Path], dict[str, Any]]]] = {
    "lda.plait": (lda, finished),
    "medlda.plait": (medlda, finished),
    "relational.plait": (relational, finished),
    "linked.plait": (linked, finished),
    "combined.plait": (combined, finished),
    "online.plait": (online, gone_on),
    "stream.plait": (stream, streamed),
    "checkpoint_lda.plait": (checkpoint_lda, resumed),
    "checkpoint_medlda.plait": (checkpoint_medlda, resumed),
    "checkpoint_relational.plait": (checkpoint_relational, resumed),
    "checkpoint_linked_sparse.plait": (checkpoint_linked_sparse, resumed),
}


def answers_from(name: str) -> dict[str, Any]:
    """What is to be compared of a file in this folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FILES[name][1](FOLDER / name)


def described(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return of every output its digest, its texts, its sums and its first numbers."""
    digests = digest(found)
    return {name: {"digest": digests[name]["digest"], **_readable(value)} for name, value in found.items()}


def _readable(value: Any) -> dict[str, Any]:
    numbers = numbers_of(value)
    return {
        "texts": [part for part in parts_of(value) if isinstance(part, str)],
        "numbers": [float(f"{number:.10g}") for number in (*sums_of(numbers), *numbers[:MOST_NUMBERS])],
    }


def main() -> None:
    """Make all files, and write down what they answer."""
    print(f"plait is {plait.__file__}")
    expected = {}
    for name, (make, _) in FILES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make(FOLDER / name)
        expected[name] = described(answers_from(name))
        print(f"{(FOLDER / name).stat().st_size:7,} bytes  {name}  {len(expected[name])} outputs")
    lines = [
        f" {json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(output)}: {json.dumps(value)}" for output, value in outputs.items())
        + "\n }"
        for name, outputs in expected.items()
    ]
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
