"""The TopicModel that options describe: each option sets a parameter of the response or mixing that has it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import typer

from plait.cli.options.model_options import option_name
from plait.cli.options.targets import Target, ValuePerTarget

if TYPE_CHECKING:
    from plait.models import TopicEstimator


# Default c of labels beside links, chosen on Cora (docs/combining.md): with MedLDA's 16 links are predicted worse.
_LABEL_COST_BESIDE_LINKS = 1.0


def build_combined(
    targets: list[Target], parameters: dict[str, tuple[str, Any]], alpha: Any, beta: float, *, verbose: bool
) -> TopicEstimator:
    """Return a TopicModel with the targets of --use.

    Parameters
    ----------
    targets : list of Target
        What the model uses besides words.
    parameters : dict
        Option and value by the name of the parameter.
    alpha : float or array
        α if --alpha is not given.
    beta : float
        β if --beta, --prior and --seeds are not given.
    verbose : bool
        Whether the fit prints its progress.

    Returns
    -------
    TopicEstimator
        The unfitted model.
    """
    from plait.mixing import LinkedDocuments, OwnDocument
    from plait.models import TopicModel
    from plait.priors import as_prior

    own: dict[str, Any] = {"prior": as_prior(beta)}
    of_target: dict[Target, dict[str, Any]] = {target: {} for target in targets}
    known = TopicModel().get_params(deep=False)
    for parameter, (option, value) in parameters.items():
        if parameter == "alpha":
            alpha = value
        elif parameter == "beta":
            own["prior"] = as_prior(value)
        elif parameter in known:
            own[parameter] = value
        else:
            for target, one in _values_per_target(option, parameter, value, targets).items():
                of_target[target][parameter] = one
    if Target.labels in targets and Target.links in targets:
        of_target[Target.labels].setdefault("c", _LABEL_COST_BESIDE_LINKS)
    responses = [_class_of(target)(**of_target[target]) for target in targets if target is not Target.influence]
    followed = of_target.get(Target.influence)
    mixing = OwnDocument(alpha) if followed is None else LinkedDocuments(alpha, **followed)
    return TopicModel(mixing=mixing, responses=responses, **own, verbose=verbose)


def settings_of_parts(model: Any) -> dict[str, Any]:
    """Return the parameters of the responses and the mixing of a TopicModel as TARGET.PARAMETER.

    Parameters
    ----------
    model : TopicEstimator
        A model.

    Returns
    -------
    dict
        Values by name; empty for another model.
    """
    from plait.mixing import OwnDocument
    from plait.models import TopicModel
    from plait.priors import SymmetricPrior

    if type(model) is not TopicModel:
        return {}
    mixing = OwnDocument() if model.mixing is None else model.mixing
    prior = SymmetricPrior() if model.prior is None else model.prior
    parts = {
        target: one for target in Target for one in (*model.responses, mixing) if isinstance(one, _class_of(target))
    }
    found: dict[str, Any] = {"use": [target for target in Target if target in parts]}
    found |= {"alpha": getattr(mixing, "alpha", mixing), "beta": getattr(prior, "value", prior)}
    for target, one in parts.items():
        found |= {f"{target}.{name}": getattr(one, name) for name in _parameters_of(target)}
    return found


def targets_with(parameter: str) -> list[Target]:
    """Return the targets whose response or mixing has a parameter.

    Parameters
    ----------
    parameter : str
        Name of a parameter.

    Returns
    -------
    list of Target
        The targets.
    """
    return [target for target in Target if parameter in _parameters_of(target)]


def not_in_use(option: str, wanted: list[Target]) -> typer.BadParameter:
    """Return the error about an option for targets that the model does not have.

    Parameters
    ----------
    option : str
        Name of the option's field.
    wanted : list of Target
        The targets that the option is for.

    Returns
    -------
    typer.BadParameter
        The error.
    """
    return typer.BadParameter(f"{option_name(option)} is for {' or '.join(wanted)}; name it in --use, or leave it out")


def _values_per_target(option: str, parameter: str, value: Any, targets: list[Target]) -> dict[Target, Any]:
    """Return the value of an option for each target; an option without a target, or for two of them, is an error."""
    takers = [target for target in targets_with(parameter) if target in targets]
    name = option_name(option)
    if not takers:
        others = targets_with(parameter)
        raise not_in_use(option, others) if others else typer.BadParameter(f"{name} is not for --model combined")
    if isinstance(value, ValuePerTarget):
        for target in value.values:
            if target not in takers:
                raise typer.BadParameter(f"{name} is for {' and '.join(takers)} here, not for {target}")
        return dict(value.values)
    if len(takers) > 1:
        each = ",".join(f"{target}={value}" for target in takers)
        raise typer.BadParameter(f"{name} could be for {' or for '.join(takers)}; give one value each: {name} {each}")
    return {takers[0]: value}


def _class_of(target: Target) -> Any:
    """Return the class of the response or mixing for a target."""
    from plait.mixing import LinkedDocuments
    from plait.models import LabelResponse, LinkResponse, ValueResponse

    return {
        Target.labels: LabelResponse,
        Target.values: ValueResponse,
        Target.links: LinkResponse,
        Target.influence: LinkedDocuments,
    }[target]


def _parameters_of(target: Target) -> list[str]:
    """Return the parameters for a target; α belongs to the model."""
    return [field.name for field in fields(_class_of(target)) if field.name != "alpha"]
