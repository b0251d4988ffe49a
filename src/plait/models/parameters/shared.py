"""The parameters that all estimators have.

An estimator is a data class whose fields are its parameters: the generated constructor stores them and does nothing
else, as scikit-learn demands, and every parameter is written once, with its type and default.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

from sklearn.base import BaseEstimator

from plait.models.parameters.docs import document_parameters
from plait.models.parameters.nested import nested_parameters, replace_nested
from plait.samplers import Sampler

_Estimator = TypeVar("_Estimator", bound=type[Any])


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def declare_parameters(estimator: _Estimator) -> _Estimator:
    """Make the annotated fields of an estimator its constructor parameters, and complete its docstring.

    Parameters
    ----------
    estimator : type
        Subclass of `SharedParameters`. Fields of its bases are parameters, too.

    Returns
    -------
    type
        The same class. Instances are compared by identity and printed by scikit-learn.
    """
    dataclass(eq=False, repr=False, kw_only=True)(estimator)
    return document_parameters(estimator)


@dataclass(eq=False, repr=False, kw_only=True)
class SharedParameters(BaseEstimator):
    """Parameters of all estimators; `docs.py` documents them."""

    n_topics: int = field(default=20, kw_only=False)  # the only one that may be given by position
    sampler: str | Sampler = "plain"
    n_sweeps: int = 200
    n_samples: int = 5
    sample_every: int = 5
    tolerance: float | None = 1e-3
    learn_alpha: bool | Literal["symmetric", "late"] | None = False
    fold_in_sweeps: int = 20
    n_shards: int | None = None
    n_jobs: int | None = None
    executor: Any = None
    vocabulary: Any = None
    keep: Literal["titles", "ids", "nothing"] = "titles"
    random_state: Any = None
    verbose: bool = True

    _default_specifications: ClassVar[dict[str, Any]] = {}  # that None stands for, for nested parameters

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters; scikit-learn would inspect the constructor every time."""
        names: list[str] = super()._get_param_names()
        return names

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default True
            Include the fields of specifications, such as `mixing__p` and `responses__labels__c`.

        Returns
        -------
        dict of str to object
            Values by name.
        """
        own: dict[str, Any] = super().get_params(deep=False)
        return own | nested_parameters(self._with_defaults(own)) if deep else own

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also the fields of specifications: `set_params(responses__labels__c=4.0)`.

        Parameters
        ----------
        **params : object
            Values by name. A specification is replaced by a new one with the given fields.

        Returns
        -------
        self
            The estimator.
        """
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        for name in [name for name in params if "__" in name]:
            own, _, below = name.partition("__")
            nested[own][below] = params.pop(name)
        super().set_params(**params)
        current = self._with_defaults(super().get_params(deep=False))
        for own, changes in nested.items():
            try:
                setattr(self, own, replace_nested(current[own], changes))
            except KeyError as error:
                unknown = own if own not in current else f"{own}__{error.args[0]}"
                valid = sorted(self.get_params(deep=True))
                raise ValueError(
                    f"Invalid parameter {unknown!r} for estimator {self}. Valid parameters are: {valid!r}."
                ) from None
        return self

    def _with_defaults(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return parameters with the default specifications in place of None."""
        defaults = self._default_specifications
        return {name: defaults.get(name) if value is None else value for name, value in parameters.items()}
