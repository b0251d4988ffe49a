"""Specifications of what topics must explain: frozen, comparable, with the defaults of the models of the same kind."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields, replace

import numpy as np
import pytest

import plait
from plait import MedLDA, PlaitError, RelationalTopicModel, SupervisedLDA, TopicModel
from plait.responses import RESPONSES, LabelResponse, LinkResponse, ValueResponse
from tests.models.small import NOT_CHOSEN

# Features of MedLDA are combined with topics after the chains; those of a LabelResponse are drawn inside.
NOT_HANDED_ON = {"labels": ("features", "feature_nu"), "values": (), "links": ()}
# A LinkResponse may be that of a stream, which has no pair features.
OTHER_DEFAULTS = {"labels": (), "values": (), "links": ("pair_features",)}
NAMED = {"labels": MedLDA, "values": SupervisedLDA, "links": RelationalTopicModel}


@pytest.mark.parametrize("kind", RESPONSES)
def test_defaults_are_those_of_the_named_model(kind):
    of_model = NAMED[kind]().get_params()
    of_model |= {name: NOT_CHOSEN[name] for name, value in of_model.items() if value == "auto" and name in NOT_CHOSEN}
    others = NOT_HANDED_ON[kind] + OTHER_DEFAULTS[kind]
    defaults = {field.name: field.default for field in fields(RESPONSES[kind]) if field.name not in others}
    assert defaults.items() <= of_model.items()


@pytest.mark.parametrize("kind", RESPONSES)
def test_a_named_model_hands_every_parameter_on(kind):
    model = NAMED[kind]()
    for field in fields(RESPONSES[kind]):
        if field.name in NOT_HANDED_ON[kind]:
            continue
        marked = NAMED[kind](**{field.name: "something else"})._response(kind)
        assert getattr(marked, field.name) == "something else"
    found = model._response(kind)
    assert found == replace(RESPONSES[kind](), **{name: getattr(found, name) for name in OTHER_DEFAULTS[kind]})


@pytest.mark.parametrize("kind", RESPONSES)
def test_a_specification_cannot_be_changed(kind):
    specification = RESPONSES[kind]()
    specification.check()
    with pytest.raises(FrozenInstanceError):
        specification.nu = 5.0


def test_specifications_of_other_parameters_are_others():
    assert LabelResponse(c=2.0) != LabelResponse()
    assert LinkResponse() != ValueResponse()
    assert LinkResponse(form="diagonal") == LinkResponse(form="diagonal")


@pytest.mark.parametrize("kind", RESPONSES)
@pytest.mark.parametrize("nu", [0, -1.0, np.inf, "wide", True])
def test_a_prior_of_weights_that_is_none_is_refused(kind, nu):
    with pytest.raises(PlaitError, match="nu, the standard deviation of the weights' prior, must be a number above 0"):
        RESPONSES[kind](nu=nu).check()


@dataclass(frozen=True)
class Own(ValueResponse):
    """A response that is no part of plait: the sizes of numbers, without their signs."""

    def read(self, X, given, words, n_topics):
        return np.abs(super().read(X, given, words, n_topics))


def test_a_response_of_ones_own_is_fitted_and_predicts_but_is_not_saved(tmp_path):
    counts = np.repeat([[5, 1, 0], [0, 1, 5]], 9, axis=0)
    model = TopicModel(2, responses=[Own()], n_sweeps=20, n_chains=1, random_state=0, verbose=False)
    model.fit(counts, values=np.repeat([-8.0, 2.0], 9))
    np.testing.assert_allclose(model.predict(counts[[0, -1]]), [8, 2], atol=1)
    with pytest.raises(PlaitError, match=r"responses\[0\] cannot be saved: .*Own objects.* plait's own samplers"):
        plait.save(model, tmp_path / "model.plait")
