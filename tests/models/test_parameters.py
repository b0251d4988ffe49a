"""Constructor parameters: declared once, documented, checked, and reachable inside specifications."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import plait
from plait import LabelResponse, LinkedDocuments, LinkResponse, OwnDocument, PlaitError, SymmetricPrior, TopicModel
from plait.executors import Threads
from plait.models import MODELS
from plait.models.parameters.checks import CHECKS
from tests.models.small import of_classes

QUICK = {"n_topics": 3, "n_sweeps": 5, "n_samples": 1, "fold_in_sweeps": 4, "random_state": 0, "verbose": False}


@pytest.mark.parametrize("name", MODELS)
def test_only_the_number_of_topics_may_be_given_by_position(name):
    parameters = list(inspect.signature(MODELS[name]).parameters.values())
    assert parameters[0].name == "n_topics"
    assert parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert {one.kind for one in parameters[1:]} == {inspect.Parameter.KEYWORD_ONLY}
    assert MODELS[name](7).n_topics == 7


@pytest.mark.parametrize("name", MODELS)
def test_the_docstring_has_every_parameter_with_its_type_and_default(name):
    section = MODELS[name].__doc__.split("Parameters\n    ----------\n")[1].split("\n    Attributes\n")[0]
    documented = dict(re.findall(r"^    (\w+) : (.*)$", section, flags=re.MULTILINE))
    parameters = inspect.signature(MODELS[name]).parameters
    assert sorted(documented) == sorted(parameters)
    for parameter, text in documented.items():
        default = parameters[parameter].default
        assert text.endswith((f", default {default!r}", f', default "{default}"')), parameter
    assert "As for" not in section


@pytest.mark.parametrize("name", MODELS)
def test_methods_are_documented_in_full(name):
    for method, function in inspect.getmembers(MODELS[name], inspect.isfunction):
        if not method.startswith("_") and function.__module__.startswith("plait"):
            assert not re.search(r"^ *<\w", function.__doc__, flags=re.MULTILINE), method


def test_every_check_is_of_a_parameter():
    assert set(CHECKS) <= {name for model in MODELS.values() for name in model._get_param_names()}


@pytest.mark.parametrize("name", MODELS)
def test_a_stored_parameter_is_the_one_given(name):
    given = object()
    model = MODELS[name](alpha=given) if name != "TopicModel" else MODELS[name](mixing=given)
    assert given in (getattr(model, "alpha", None), getattr(model, "mixing", None))
    assert vars(model).keys() == set(model._get_param_names())


def test_online_lda_has_no_parameters_and_methods_that_it_cannot_use():
    model = plait.OnlineLDA()
    for name in ("mixing", "prior", "n_chains", "learn_beta", "influencers", "infer_influence", "most_influential"):
        assert not hasattr(plait.OnlineLDA, name), name
    assert "links" not in inspect.signature(model.transform).parameters


# Nested parameters.


def test_fields_of_specifications_are_parameters():
    model = TopicModel(
        mixing=LinkedDocuments(p=3.0), prior=SymmetricPrior(0.2), responses=[LabelResponse(c=2.0), LinkResponse()]
    )
    found = model.get_params()
    assert (found["mixing__p"], found["prior__value"], found["responses__labels__c"]) == (3.0, 0.2, 2.0)
    assert found["responses__links"] == LinkResponse()
    assert not [name for name in model.get_params(deep=False) if "__" in name]


def test_specifications_are_replaced_and_not_changed():
    labels, mixing = LabelResponse(c=2.0), LinkedDocuments(p=3.0)
    model = TopicModel(mixing=mixing, responses=(labels, LinkResponse()))
    twin = clone(model)
    model.set_params(responses__labels__c=4.0, mixing__p=5.0, mixing__direction="in", responses__links__nu=1.0)
    assert (labels.c, mixing.p) == (2.0, 3.0)
    assert model.responses == (LabelResponse(c=4.0), LinkResponse(nu=1.0))
    assert (model.mixing.p, model.mixing.direction) == (5.0, "in")
    assert twin.get_params()["responses__labels__c"] == 2.0
    model.set_params(responses__labels=LabelResponse(nu=7.0), responses__labels__c=1.0, n_topics=4)
    assert model.responses[0] == LabelResponse(c=1.0, nu=7.0)
    assert model.n_topics == 4


def test_none_stands_for_the_default_specification():
    model = TopicModel().set_params(mixing__alpha=0.7, prior__value=0.3)
    assert isinstance(model.mixing, OwnDocument)
    assert (model.mixing.alpha, model.prior) == (0.7, SymmetricPrior(0.3))


@pytest.mark.parametrize("name", ["mixing__q", "responses__labels__d", "responses__values__nu", "n_topics__x", "no__x"])
def test_a_nested_parameter_that_is_not_there(name):
    model = TopicModel(responses=[LabelResponse()])
    with pytest.raises(ValueError, match=rf"(?s)Invalid parameter '{name.removesuffix('__x')}.*Valid parameters are"):
        model.set_params(**{name: 1})


def test_grid_search_over_the_cost_of_labels():
    counts, classes = of_classes(80, 2, own=0.1)
    model = TopicModel(responses=[LabelResponse()], n_chains=1, **QUICK)
    costs = [1e-6, 1.0, 16.0]
    search = GridSearchCV(model, {"responses__labels__c": costs}, cv=2).fit(counts, classes)
    scores = search.cv_results_["mean_test_score"]
    twins = [clone(model).set_params(responses=[LabelResponse(c=cost)]) for cost in costs]
    alone = [cross_val_score(twin, counts, classes, cv=2) for twin in twins]
    assert scores.tolist() == [own.mean() for own in alone]
    assert len(set(scores)) > 1
    assert search.best_estimator_.responses == [LabelResponse(c=costs[scores.argmax()])]
    assert model.responses == [LabelResponse()]


def test_grid_search_over_the_strength_of_the_source_prior():
    counts, _ = of_classes(24, 2)
    links = sparse.csr_array(np.eye(24, k=1))
    every = np.arange(24)
    model = TopicModel(mixing=LinkedDocuments(), n_chains=1, **QUICK)
    search = GridSearchCV(model, {"mixing__p": [0.01, 100.0]}, cv=[(every, every)], refit=False)
    search.fit(counts, links=links)
    scores = search.cv_results_["mean_test_score"]
    for p, score in zip([0.01, 100.0], scores, strict=True):
        alone = clone(model).set_params(mixing=LinkedDocuments(p=p)).fit(counts, links=links)
        assert alone.score(counts) == score
    assert scores[0] != scores[1]


# Where chains run.


class Counting(Threads):
    """An executor that counts its tasks."""

    def __init__(self):
        super().__init__(1)
        self.tasks = []

    def map(self, function, items):
        items = list(items)
        self.tasks.append(len(items))
        return super().map(function, items)


def test_an_executor_object_is_used_and_not_saved(tmp_path):
    counts, classes = of_classes(40, 2)
    executor = Counting()
    model = plait.MedLDA(executor=executor, n_chains=1, **QUICK).fit(counts, classes)
    fitted = len(executor.tasks)
    assert fitted >= QUICK["n_sweeps"]
    expected = plait.MedLDA(n_chains=1, n_jobs=2, executor="threads", **QUICK).fit(counts, classes)
    assert model.decision_function(counts).tobytes() == expected.decision_function(counts).tobytes()
    assert len(executor.tasks) > fitted
    assert plait.load(plait.save(model, tmp_path / "model.plait")).executor is None
    assert plait.load(plait.save(expected, tmp_path / "model.plait")).executor == "threads"


@pytest.mark.parametrize("executor", ["processes", 3, Threads])
def test_what_is_no_executor_is_rejected(executor):
    with pytest.raises(PlaitError, match="executor must be None, 'threads', 'ray', 'cuda' or an Executor"):
        plait.LDA(executor=executor, **QUICK).fit(np.ones((3, 4), int))
