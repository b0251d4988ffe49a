"""Settings of all tests."""

from __future__ import annotations

import signal

import pytest

# A shell that starts the tests in the background may have them ignore Ctrl-C; tests that send it need the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests as slow that `slow_with` names by the beginnings of their parameters, or of a sampler in them."""
    for item in items:
        values = getattr(item, "callspec", None)
        beginnings = tuple(name for mark in item.iter_markers("slow_with") for name in mark.args)
        if (
            beginnings
            and values
            and any(
                str(value.get("sampler", "") if isinstance(value, dict) else value).startswith(beginnings)
                for value in values.params.values()
            )
        ):
            item.add_marker(pytest.mark.slow)
