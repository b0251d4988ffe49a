"""The parameter `pair_features` of models: None, "auto", or a list of features or their texts such as "votes(20)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from plait.errors import PlaitError
from plait.pair_features.base import PairFeature
from plait.pair_features.fields import DateNearness, SameField
from plait.pair_features.latent import LatentCosine, LatentLabels, LatentVotes
from plait.pair_features.likelihood import QueryLikelihood
from plait.pair_features.links import CommonNeighbours, Popularity, PreferentialAttachment
from plait.pair_features.matrices import PairMatrix
from plait.pair_features.network import KnownNetwork
from plait.pair_features.text import NeighbourCosine, RelativeCosine, TextCosine
from plait.pair_features.votes import BestVote, NeighbourVotes, SharpVotes
from plait.pair_features.words import LinkWords, RareWords

_KINDS: tuple[type[Any], ...] = (
    TextCosine, RelativeCosine, NeighbourCosine, LatentCosine, RareWords, LinkWords, QueryLikelihood, NeighbourVotes,
    SharpVotes, BestVote, LatentVotes, LatentLabels, Popularity, CommonNeighbours, PreferentialAttachment, SameField,
    DateNearness, PairMatrix,
)  # fmt: skip
FEATURES: dict[str, type[Any]] = {kind.name: kind for kind in _KINDS}
# What "auto" stands for; LatentLabels where documents have labels.
# CommonNeighbours is 0 for new documents, and helps for links between known documents.
AUTO: tuple[PairFeature, ...] = (
    TextCosine(), NeighbourCosine(1), NeighbourCosine(2), RareWords(), LinkWords(), NeighbourVotes(10),
    NeighbourVotes(20, itself=True), NeighbourVotes(50), SharpVotes(), BestVote(), Popularity(), CommonNeighbours(),
    Popularity("in"), RelativeCosine(), LatentCosine(), LatentVotes(), QueryLikelihood(), LatentLabels(),
)  # fmt: skip
_READING: dict[type[Any], type[Any]] = {
    NeighbourCosine: int, SharpVotes: int, BestVote: int, LatentCosine: int, LatentVotes: int, LatentLabels: int,
    DateNearness: float, RareWords: float,
}  # fmt: skip
_TEXT = re.compile(r"\s*([a-z_]+)\s*(?:\((.*)\))?\s*")
_HELP = "use 'auto', None, or a list of features such as TextCosine() or 'votes(20)'"


def read_features(given: Any, network: KnownNetwork | None = None) -> tuple[PairFeature, ...]:
    """Return the features that a parameter names.

    Parameters
    ----------
    given : None, str, PairFeature, or sequence of str and PairFeature
        "auto" stands for `AUTO`, None for no features.
    network : KnownNetwork or None, default None
        Training documents. "auto" leaves out what they do not have, and other features that they lack are an error.
        None: nothing is checked.

    Returns
    -------
    tuple of PairFeature
        The features, with different labels.

    Examples
    --------
    >>> read_features(["text", "votes(20)", Popularity("in")])
    (TextCosine(), NeighbourVotes(k=20, itself=False), Popularity(links='in'))
    >>> read_features(None), len(read_features("auto")) == len(AUTO)
    ((), True)
    """
    if given is None:
        return ()
    if isinstance(given, (str, PairFeature)):
        given = [given]
    if not isinstance(given, Sequence):
        raise PlaitError(f"pair_features is {given!r}; {_HELP}", parameter="pair_features")
    found: list[PairFeature] = []
    for one in given:
        if isinstance(one, type) and issubclass(one, PairFeature):
            raise PlaitError(f"pair_features has the class {one.__name__}; give {one.__name__}()")
        if _is_auto(one):
            found += AUTO if network is None else [feature for feature in AUTO if _applies(feature, network)]
        elif isinstance(one, str):
            found.append(_parse(one))
        elif isinstance(one, PairFeature):
            found.append(one)
        else:
            raise PlaitError(f"pair_features contains {one!r}; {_HELP}", parameter="pair_features")
    for feature in found:
        feature.check()
        if network is not None:
            feature.check_network(network)
    unique = {feature.label: feature for feature in found}
    if len(unique) < len(found):
        labels = [feature.label for feature in found]
        twice = next(label for label in labels if labels.count(label) > 1)
        raise PlaitError(f"pair_features has {twice} twice; name it once", parameter="pair_features")
    return tuple(found)


def fitted_features(given: Any, labels: Sequence[str]) -> tuple[PairFeature, ...]:
    """Return the features of a fitted model.

    "auto" stands for the features that it stood for when the model was fitted, which can be fewer than today.

    Parameters
    ----------
    given : object
        The parameter of the model.
    labels : sequence of str
        Labels of the features whose weights the model has.

    Examples
    --------
    >>> fitted_features("auto", ["text", "popularity"])
    (TextCosine(), Popularity(links='either'))
    >>> fitted_features([DateNearness(30), "auto"], ["dates(30)", "text"])
    (DateNearness(days=30), TextCosine())
    """
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if not any(_is_auto(one) for one in listed):
        return read_features(given)
    named = {one.label: one for one in read_features([one for one in listed if not _is_auto(one)])}
    if not set(named) <= set(labels):  # the parameter was changed after the fit
        return read_features(given)
    return tuple(named[label] if label in named else _parse(label) for label in labels)


def _is_auto(given: Any) -> bool:
    return isinstance(given, str) and given.strip() == "auto"


def _applies(feature: PairFeature, network: KnownNetwork) -> bool:
    """Return whether documents have what a feature reads."""
    try:
        feature.check_network(network)
    except PlaitError:
        return False
    return True


def _parse(text: str) -> PairFeature:
    """Return the feature of a text such as "text", "votes(20)" or "same(venue)"."""
    match = _TEXT.fullmatch(text)
    if match is None or match[1] not in FEATURES:
        raise PlaitError(
            f"there is no pair feature {text!r}; the features are auto, {', '.join(FEATURES)}",
            parameter="pair_features",
        )
    kind, argument = FEATURES[match[1]], match[2]
    if argument is None or not argument.strip():
        if kind is PairMatrix:
            raise PlaitError("the pair feature matrix needs the key of its matrix: matrix(authors)")
        made: PairFeature = kind()
        return made
    try:
        if kind is NeighbourVotes:
            voters, _, itself = (one.strip() for one in argument.partition(","))
            if itself not in ("", "itself"):
                raise ValueError(itself)
            return NeighbourVotes(int(voters), bool(itself))
        reading = _READING.get(kind, str)
        parsed: PairFeature = kind(reading(argument.strip()))
    except (TypeError, ValueError):
        raise PlaitError(f"the pair feature {text!r} cannot be read; {_HELP}", parameter="pair_features") from None
    return parsed
