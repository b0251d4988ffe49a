"""A TopicModel from options: each goes to the part that takes it, and one that two parts take says for which it is."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import typer

from plait.cli.options.model_options import option_name
from plait.cli.options.used_responses import EachOwn, Target

if TYPE_CHECKING:
    from plait.models import TopicEstimator


# What a wrong label costs where links are learnt, too: chosen on Cora (docs/combining.md). MedLDA's 16 binds topics to
# labels so much that links are told worse.
_LABEL_COST_BESIDE_LINKS = 1.0


def build_combined(
    targets: list[Target], parameters: dict[str, tuple[str, Any]], alpha: Any, beta: float, *, verbose: bool
) -> TopicEstimator:
    """Return a model of the parts that are asked for.

    Parameters
    ----------
    targets
        The parts.
    parameters
        What was given: the option and its value, by the name that the parameter has in Python.
    alpha, beta
        α and β where none were given.
    """
    from plait.mixing import LinkedDocuments, OwnDocument
    from plait.models import TopicModel
    from plait.priors import as_prior

    own: dict[str, Any] = {"prior": as_prior(beta)}
    of_part: dict[Target, dict[str, Any]] = {target: {} for target in targets}
    for parameter, (option, value) in parameters.items():
        if parameter == "alpha":
            alpha = value
        elif parameter == "beta":
            own["prior"] = as_prior(value)
        elif parameter in TopicModel._get_param_names():
            own[parameter] = value
        else:
            for target, one in _shared_out(option, parameter, value, targets).items():
                of_part[target][parameter] = one
    if Target.labels in targets and Target.links in targets:
        of_part[Target.labels].setdefault("c", _LABEL_COST_BESIDE_LINKS)
    responses = [_kind_of(target)(**of_part[target]) for target in targets if target is not Target.influence]
    follows = of_part.get(Target.influence)
    mixing = OwnDocument(alpha) if follows is None else LinkedDocuments(alpha, **follows)
    return TopicModel(mixing=mixing, responses=responses, **own, verbose=verbose)


def described_parts(model: Any) -> dict[str, Any]:
    """Return the parts of a TopicModel and their parameters, as PART.PARAMETER; nothing of another model."""
    from plait.models import TopicModel

    if type(model) is not TopicModel:  # the prior of one that is online is its past
        return {}
    parts = {Target(one.kind): one for one in model._make_responses()}
    mixing, prior = model._make_mixing(), model._make_prior()
    if isinstance(mixing, _kind_of(Target.influence)):
        parts[Target.influence] = mixing
    found: dict[str, Any] = {"use": [target for target in Target if target in parts]}
    found |= {"alpha": getattr(mixing, "alpha", mixing), "beta": getattr(prior, "value", prior)}
    for target, part in parts.items():
        found |= {f"{target}.{name}": getattr(part, name) for name in _parameters_of(target)}
    return found


def parts_with(parameter: str) -> list[Target]:
    """Return the parts that have a parameter."""
    return [target for target in Target if parameter in _parameters_of(target)]


def not_in_use(option: str, about: list[Target]) -> typer.BadParameter:
    """Return the refusal of an option that is about parts which the model does not have."""
    return typer.BadParameter(f"{option_name(option)} is for {' or '.join(about)}; name it in --use, or leave it out")


def _shared_out(option: str, parameter: str, value: Any, targets: list[Target]) -> dict[Target, Any]:
    """Return what an option says to each part; refuse one that no part takes, or that might be for two."""
    takers = [target for target in parts_with(parameter) if target in targets]
    name = option_name(option)
    if not takers:
        others = parts_with(parameter)
        raise not_in_use(option, others) if others else typer.BadParameter(f"{name} is not for --model combined")
    if isinstance(value, EachOwn):
        for target in value.values:
            if target not in takers:
                raise typer.BadParameter(f"{name} is for {' and '.join(takers)} here, not for {target}")
        return dict(value.values)
    if len(takers) > 1:
        each = ",".join(f"{target}={value}" for target in takers)
        raise typer.BadParameter(f"{name} could be for {' or for '.join(takers)}; say it of each: {name} {each}")
    return {takers[0]: value}


def _kind_of(target: Target) -> Any:
    """Return the class of a part."""
    from plait.mixing import LinkedDocuments
    from plait.models.explained import EXPLAINED

    return LinkedDocuments if target is Target.influence else EXPLAINED[target.value]


def _parameters_of(target: Target) -> list[str]:
    """Return the parameters of a part; α is the whole model's."""
    return [field.name for field in fields(_kind_of(target)) if field.name != "alpha"]
