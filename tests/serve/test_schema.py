"""The API keeps to its OpenAPI description, for any requests that schemathesis generates from it."""

from __future__ import annotations

import contextlib
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from .conftest import open_client

schemathesis = pytest.importorskip("schemathesis", reason="needs pip install schemathesis")

# PLAIT_SCHEMA_EXAMPLES=70 makes more than 1,000 requests.
_EXAMPLES = int(os.environ.get("PLAIT_SCHEMA_EXAMPLES", "8"))  # per route and kind
_HEADERS = {"Host": "localhost:8000"}


@pytest.fixture(scope="module")
def schema(model_file):
    app = open_client(model_file).app
    return schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=_HEADERS)


@pytest.mark.slow  # generated requests
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_answers_are_as_described(schema, mode):
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    # A description cannot say that there is one list of links per text, or that ids are those of documents.
    excluded, n_cases = [positive_data_acceptance], 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=_EXAMPLES,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
        def check(case):
            nonlocal n_cases
            n_cases += 1
            case.call_and_validate(headers=_HEADERS, excluded_checks=excluded)

        with contextlib.suppress(Unsatisfiable):  # a route without parameters cannot be asked wrongly
            check()
    print(f"{n_cases} {mode} cases")
    assert n_cases >= 5 * _EXAMPLES
