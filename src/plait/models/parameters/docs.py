"""The paragraphs of shared parameters, filled into the docstrings of the estimators."""

from __future__ import annotations

import re
import textwrap
from dataclasses import fields
from typing import Any, TypeVar

_Estimator = TypeVar("_Estimator", bound=type[Any])

# Types and meanings; a class that needs other words documents the parameter itself.
SHARED = """
n_topics : int
    Number of topics.
alpha : float or array-like of shape (n_topics,)
    Dirichlet prior on the topic proportions of a document: one number, or one per topic.
beta : float, array-like or prior
    Dirichlet prior on topic–word distributions: one number, one per word, an array topics × words, or a prior such
    as `SeedPrior`.
cached : bool or None
    Compute the effect of the responses on a document once per sweep instead of once per token: faster, approximate.
    None does so only with the samplers that require it ("limit" and "sparse").
sampler : str or Sampler
    "plain" (exact), "aggregated", "limit", "sparse(10)", "aggregated_sparse(10)", "synchronous", "auto" (plain
    or synchronous, by the size of the corpus and the number of topics), or a sampler from
    `plait.samplers`. The fast ones are approximate; "limit" and "sparse" accept real-valued counts.
n_chains : int
    Number of chains, run one after the other from different starts. Predictions and influence are averaged over the
    samples of all chains; topics are those of the first chain. A model without responses and links runs one.
n_sweeps : int
    Maximum number of burn-in sweeps per chain.
n_samples : int
    Number of samples kept per chain after burn-in; predictions are averaged over them.
sample_every : int
    Sweeps between two samples.
tolerance : float or None
    Burn-in ends when the perplexity of 10 sweeps is not lower by this fraction than that of the 10 sweeps before.
    With 0 it always takes `n_sweeps`. None: when the last 20 sweeps lowered the perplexity by less than 1 % of what
    all sweeps since the first 20 did.
learn_alpha : bool, "symmetric" or "late"
    Fit α to the documents during burn-in: True fits one number per topic, "symmetric" one for all topics, "late" one
    for all topics in burn-in and one per topic before each sample.
learn_beta : bool
    Fit β (one number) to the documents during burn-in.
fold_in_sweeps : int
    Sweeps over a new document, per sample, when its topics are inferred.
n_shards : int or None
    Number of shards of the documents. A shard sees the changes of the others after each sweep. None: the size of
    the corpus decides; 1 is the exact chain. Unlike `n_jobs`, it changes the result.
n_jobs : int or None
    Number of threads: None for one, -1 for all cores. The result is bit-identical.
executor : "threads", "ray", "cuda", Executor or None
    Where chains run: None and "threads" use `n_jobs` threads of this process, "ray" uses `n_jobs` workers of Ray (None
    and -1: all CPUs), "cuda" uses a GPU with sampler="synchronous". An executor other than "threads" is not saved with
    the model.
vocabulary : array-like of str or None
    Words of the columns, where documents are given as a matrix without column names.
keep : {"titles", "ids", "nothing"}
    What the model and its file keep of the training documents: "titles" keeps ids, titles, dates, labels, metadata
    and the first 200 characters of the text; "ids" only ids; "nothing" is for private documents.
random_state : int, RandomState, Generator or None
    Seed of the random numbers. The same seed gives the same result; None draws one.
verbose : bool
    Show a progress bar on a terminal.
"""

_SECTION = re.compile(r"\n    Parameters\n    -+\n(?P<body>(?:    .*\n|\n)*?)(?=\n    [A-Z]\w*\n    -+\n|\Z)")


def document_parameters(estimator: _Estimator) -> _Estimator:
    """Add the paragraphs of the shared parameters to the "Parameters" section of an estimator's docstring.

    Parameters
    ----------
    estimator : type
        A data class. Its docstring documents the parameters that are its own; the others are added in their order.

    Returns
    -------
    type
        The same class.
    """
    if estimator.__doc__ is None:  # python -OO
        return estimator
    section = _SECTION.search(estimator.__doc__)
    assert section is not None, f"{estimator.__name__} has no section Parameters"
    body = section["body"]
    documented = set(re.findall(r"^    (\w+) : ", body, flags=re.MULTILINE))
    added = [_paragraph(one.name, one.default) for one in fields(estimator) if one.name not in documented]
    whole = body.rstrip("\n") + "\n" + "".join(added)
    estimator.__doc__ = estimator.__doc__[: section.start("body")] + whole + estimator.__doc__[section.end("body") :]
    return estimator


def _paragraph(name: str, default: Any) -> str:
    """Return the paragraph of a shared parameter, with its default."""
    found = re.search(rf"^{name} : (.*)\n((?:    .*\n)+)", SHARED, flags=re.MULTILINE)
    assert found is not None, f"the parameter {name} has no documentation"
    return textwrap.indent(f"{name} : {found[1]}, default {default!r}\n{found[2]}", "    ")
