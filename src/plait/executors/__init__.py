"""WHERE sweeps run: an executor maps one function over the shards; it never changes a result."""

from __future__ import annotations

from plait.executors.threads import Threads

__all__ = ["Threads"]
