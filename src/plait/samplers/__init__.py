"""Samplers: how topics are drawn. One file per sampler, one conditional for all, keyed random numbers.

Read `base.py` first: it is the contract. The formula of the model is in `conditional.py` only; `random.py` has the
keyed random numbers, `kernels/` compiled code that the samplers share, `cuda/` the synchronous sampler for GPUs. The
samplers are `plain`, `aggregated`, `limit`, `sparse`, `aggregated_sparse` (both based on `lazy.py`) and `synchronous`;
`auto` is one of two of them.
"""

from __future__ import annotations

import re

from plait._utils.discovery import find_classes
from plait.errors import PlaitError
from plait.samplers.aggregated import Aggregated
from plait.samplers.aggregated_sparse import AggregatedSparse
from plait.samplers.auto import Auto
from plait.samplers.base import Sampler
from plait.samplers.limit import Limit
from plait.samplers.plain import Plain
from plait.samplers.sparse import Sparse
from plait.samplers.synchronous import Synchronous

SAMPLERS: dict[str, type[Sampler]] = {
    kind.name: kind for kind in find_classes("plait.samplers", lambda kind: issubclass(kind, Sampler))
}

__all__ = [
    "SAMPLERS",
    "Aggregated",
    "AggregatedSparse",
    "Auto",
    "Limit",
    "Plain",
    "Sampler",
    "Sparse",
    "Synchronous",
    "as_sampler",
]


def as_sampler(sampler: str | Sampler) -> Sampler:
    """Return the sampler of a name such as "plain", "sparse(5)" or "sparse(5, tokens)".

    Parameters
    ----------
    sampler : str or Sampler
        A name, with the values of the sampler's parameters in brackets if it has any; a sampler is returned unchanged.

    Returns
    -------
    Sampler
        The sampler.

    Examples
    --------
    >>> as_sampler("sparse(5)")
    Sparse(sparsity=5.0, per='words')
    >>> as_sampler(Plain())
    Plain()
    """
    if isinstance(sampler, Sampler):
        return sampler
    match = re.fullmatch(r"\s*(\w+)\s*(?:\(\s*([^()]*?)\s*\))?\s*", sampler) if isinstance(sampler, str) else None
    if match is None or match[1] not in SAMPLERS:
        names = ", ".join(SAMPLERS)
        raise PlaitError(
            f"sampler must be one of {names}, such as 'plain' or 'sparse(10)', not {sampler!r}", parameter="sampler"
        )
    kind, argument = SAMPLERS[match[1]], match[2]
    if argument is None:
        return kind()
    try:
        number, *others = (text.strip() for text in argument.split(","))
        return kind(float(number), *others)  # type: ignore[call-arg]
    except (TypeError, ValueError) as error:
        raise PlaitError(f"sampler={sampler!r}: {error}", parameter="sampler") from None
