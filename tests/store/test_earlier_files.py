"""Files of plait 0.1.0, before its engine was rebuilt: they load, answer as they did, and fits and streams go on.

tests/store/files/make.py says how the files were made, and what is asked of them.
"""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest

from tests.store.files.make import EXPECTED, FILES, answers_from, described

ANSWERS = json.loads(EXPECTED.read_text(encoding="utf-8"))


@functools.cache
def found_in(name):
    return described(answers_from(name))


def test_every_file_has_its_answers():
    assert list(ANSWERS) == list(FILES)


@pytest.mark.parametrize("name", FILES)
def test_an_earlier_file_answers_what_it_answered(name):
    found, expected = found_in(name), ANSWERS[name]
    assert list(found) == list(expected)
    for output, one in expected.items():
        assert found[output]["texts"] == one["texts"], output
        np.testing.assert_allclose(found[output]["numbers"], one["numbers"], rtol=1e-6, atol=1e-9, err_msg=output)


@pytest.mark.parametrize("name", FILES)
def test_to_the_bit(name):
    found, expected = found_in(name), ANSWERS[name]
    differing = [output for output, one in expected.items() if found[output]["digest"] != one["digest"]]
    assert not differing
