"""What the parameters of a model stand for: a mixing, a prior and responses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

from plait.engine.hyperparameters import LearnAlpha
from plait.errors import PlaitError
from plait.inputs.words import Words
from plait.mixing import Mixing, OwnDocument
from plait.models.answers.tasks import TaskLayout
from plait.models.parameters import SharedParameters, check_parameters
from plait.priors import AnyPrior, as_prior
from plait.responses import Response
from plait.samplers import as_sampler

_Response = TypeVar("_Response", bound=Response)


class LearnedPriors(NamedTuple):
    """Whether a fit learns α and β."""

    alpha: LearnAlpha
    beta: bool


class ModelSpecification(SharedParameters):
    """The mixing, prior and responses that the parameters of a model stand for.

    A named model overrides `_make_mixing`, `_make_prior` and `_make_responses`.
    """

    # Parameters of most models. A model without them overrides `_make_mixing` and `_make_prior`.
    alpha: Any
    beta: Any

    def _learned_priors(self) -> LearnedPriors:
        """Return whether a fit learns α and β."""
        return LearnedPriors(self.learn_alpha or False, getattr(self, "learn_beta", False))

    def _make_mixing(self) -> Mixing:
        """Return the mixing."""
        return OwnDocument(self.alpha)

    def _make_prior(self) -> AnyPrior:
        """Return the prior on topic–word distributions."""
        return as_prior(self.beta)

    def _make_responses(self) -> tuple[Response, ...]:
        """Return the specifications of the responses; the weights of a sample have the same order."""
        return ()

    def _task_layout(self) -> TaskLayout:
        """Return which tasks the chains of a group learn."""
        return TaskLayout(self.n_topics)

    def _response_options(self, group: int) -> dict[str, Any]:
        """Return more arguments for the responses of the chains of a group."""
        return {}

    def _n_groups(self, given: dict[str, Any]) -> int:
        """Return the number of groups of chains."""
        return 1

    @property
    def _calibrates(self) -> bool:
        """Whether a fit learns probabilities of labels from held-out scores."""
        return False

    def _choose_settings(self, words: Words, given: dict[str, Any], seed: int) -> None:
        """Choose the parameters that a new fit chooses itself; a model that has some overrides it."""

    def _check_parameters(self) -> None:
        """Raise an error for parameters that cannot work, before any work is done."""
        check_parameters(self.get_params(deep=False))
        if self._exact and self._real and hasattr(self, "cached"):
            raise PlaitError(
                f"sampler='{as_sampler(self.sampler).name}' spreads tokens over topics, so responses cannot be updated "
                "with every token: leave cached out, or use sampler='plain' or 'aggregated'",
                parameter="sampler",
            )
        mixing: Any = self._make_mixing()
        if mixing.uses_links:
            mixing.check()
        for response in self._make_responses():
            response.check()

    @property
    def _real(self) -> bool:
        """Whether counts may be real numbers."""
        return as_sampler(self.sampler).state_form == "shares"

    @property
    def _exact(self) -> bool:
        """Whether responses are updated with every token: samplers that spread tokens over topics cannot do that."""
        cached = getattr(self, "cached", None)
        return not (self._real if cached is None else cached)

    def _explains(self, kind: str) -> bool:
        """Return whether a response explains something of a kind, such as "labels"."""
        return any(response.kind == kind for response in self._make_responses())

    def _place(self, kind: str) -> int:
        """Return the index of the response of a kind among the model's responses."""
        return [response.kind for response in self._make_responses()].index(kind)

    def _response(self, kind: str) -> Any:
        """Return the specification of the response of a kind."""
        return self._make_responses()[self._place(kind)]


def response_of(
    model: Any, response: type[_Response], chosen: Mapping[str, Any] | None = None, without: Collection[str] = ()
) -> _Response:
    """Return the response whose fields are parameters of a model under the same names.

    Parameters
    ----------
    model : TopicEstimator
        The model.
    response : type
        Class of the response.
    chosen : mapping of str to object, optional
        Values in place of "auto".
    without : collection of str, default ()
        Fields that are no parameters of the model; they keep their defaults.
    """
    names = [one.name for one in fields(response) if one.name not in without]  # type: ignore[arg-type]
    values = {name: getattr(model, name) for name in names}
    for name, value in (chosen or {}).items():
        if isinstance(values[name], str) and values[name] == "auto":
            values[name] = value
    return response(**values)
