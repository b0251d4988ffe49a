"""The child process: loads each file that it is told, calls the methods of the model, and says what happened.

Lines of JSON come in ({"path"}) and go out ({"status", "detail"}).
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import plait
from plait.models import TopicEstimator
from plait.report import write_report
from tests.fuzz.model_files import originals
from tests.store.files import make

MOST = {"n_sweeps": 12, "n_samples": 3, "sample_every": 3, "fold_in_sweeps": 20, "n_chains": 3, "n_jobs": 2}
TEXT = "river money opera flood"
MOST_CHARACTERS = 2_500  # of an error message


def main() -> None:
    """Answer lines until the input ends."""
    limit = int(float(sys.argv[1]) * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # models may print
    for line in sys.stdin:
        status, detail = examine(Path(json.loads(line)["path"]))
        print(json.dumps({"status": status, "detail": detail}), file=answers, flush=True)


def examine(path: Path) -> tuple[str, str]:
    """Return "refused", "loaded" or what went wrong, and the message."""
    try:
        model = plait.load(path)
    except plait.PlaitError as error:
        message = str(error)
        if not message.isprintable() or len(message) > MOST_CHARACTERS + len(str(path)):
            return "BAD MESSAGE", message[:500]
        return "refused", message[len(str(path)) :][:200]
    except BaseException:
        return "TRACEBACK FROM LOAD", traceback.format_exc()[-1500:]
    raised = []
    for name, call in _calls(model):
        try:
            call()
        except ValueError as error:  # also PlaitError
            raised.append(f"{name}: {str(error)[:80]}")
        except MemoryError:
            return "TOO MUCH MEMORY", name
        except BaseException:
            return "TRACEBACK FROM A METHOD", f"{name}: {traceback.format_exc()[-1500:]}"
    return "loaded", "; ".join(raised)[:300]


def _calls(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what can be asked of a model, first what does not change it."""
    if not isinstance(model, TopicEstimator):
        yield "for_vocabulary", lambda: model.for_vocabulary(make.documents().vocabulary, 3).pseudo_counts(3, 24)
        yield "repr", lambda: (repr(model), getattr(model, "report", ""), getattr(model, "topic_names", ""))
        quick = originals.QUICK
        yield "fit", lambda: plait.LDA(**quick, beta=model).fit(make.documents())
        return
    # The work that parameters ask for is long, but finite: it is made shorter.
    asked = {name: value for name, value in model.get_params(deep=False).items() if name in MOST and value is not None}
    vars(model).update({name: min(value, MOST[name]) for name, value in asked.items()})
    new = make.new_documents() if model.vocabulary_ is not None else make.documents().counts[:5]
    n_training = model.links_.shape[0] if hasattr(model, "links_") else len(model.doc_topic_)
    links = np.eye(5, n_training, k=2)  # to training documents
    yield "transform", lambda: model.transform(new)
    yield "perplexity", lambda: (model.perplexity(new), model.perplexity(new, "fold_in"))
    yield "topics", lambda: (model.topics(4), model.topics(4, "relevance"), model.typical_documents(), str(model))
    yield "coherence", lambda: model.coherence(new)
    yield "similarity", lambda: (model.topic_similarity(), repr(model.topic_hierarchy()), model._repr_html_())
    yield "similar_documents", lambda: (model.similar_documents(0), model.documents_.to_frame())
    yield "find_documents", lambda: model.find_documents(TEXT)
    yield "topics_per", lambda: model.topics_per("label")
    yield "topics_over", lambda: model.topics_over(2)
    for name in ("decision_function", "predict", "predict_proba", "predict_labels", "predict_values", "score_links"):
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(new)
    if hasattr(model, "explain"):
        yield "explain", lambda: str(model.explain(TEXT if model.vocabulary_ is not None else new[:1]))
    if hasattr(model, "suggest_links"):
        yield "suggest_links", lambda: (model.suggest_links(new), model.suggest_missing_links(top=2))
        yield "score_pairs", lambda: (model.score_pairs([(0, 1), (3, 2)]), model.topic_links(), model.weights_table())
        yield "predict_words", lambda: model.predict_words(new, links)
    if hasattr(model, "influencers"):
        yield "influencers", lambda: (model.influencers(4), model.most_influential(), model.strongest_links())
        yield "infer_influence", lambda: (model.infer_influence(new, links), model.transform(new, links=links))
    yield "report", lambda: _write_report(model)
    yield "save", lambda: _save(model)
    if isinstance(model, plait.OnlineLDA):
        yield from _stream_calls(model)
    elif model._unfinished is not None:
        yield "resume", lambda: _resume(model)


def _stream_calls(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what can be asked of a stream."""
    yield "changes", lambda: (model.emerging(), model.fading(), model.drift(0), model.trend(1))
    yield "over time", lambda: (model.words_over_time(0), model.evolution(0))
    if model._unfinished is not None:
        yield "resume", lambda: _resume(model)
    next_slice = make.documents(3 * make.N_DOCUMENTS)
    yield "partial_fit", lambda: model.partial_fit(next_slice, label="next", ahead=True, in_order=False)
    yield "transform after", lambda: model.transform(next_slice)


def _resume(model: Any) -> None:
    """Resume a fit, with the targets that its original had, whichever they were."""
    # The digest of the corpus is part of a file, too, so whoever forges a file makes it fit.
    model._check_fingerprint = lambda fit: None
    if isinstance(model, plait.OnlineLDA):
        model.resume(originals.dated(), times="month")
    elif isinstance(model, plait.TopicModel):
        model.resume(make.documents(), values=make.values() if model._explains("values") else None)
    elif isinstance(model, plait.SupervisedLDA):
        model.resume(make.documents(), make.values())
    elif isinstance(model, plait.MedLDA) and getattr(model, "multilabel_", False):
        model.resume(make.documents(), originals.SEVERAL)
    else:
        model.resume(make.documents())


def _write_report(model: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_report(model, Path(folder) / "report.html")


def _save(model: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plait.load(plait.save(model, Path(folder) / "again.plait"))


if __name__ == "__main__":
    main()
