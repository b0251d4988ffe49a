"""A server for a fitted model: pages and a JSON API, with the extra `plait[serve]`.

`settings.py` (what is served, access, limits), `app.py` (the application), `run.py`, `supervisor.py` and `worker.py`
(processes), `served.py` (the model: loaded, replaced, renamed), `catalogue.py` and `connections.py` (topics, documents,
labels and links as plain data), `search.py`, `texts.py` (answers about texts), `colouring.py` (words of a text with
topics), `limits.py` (sizes, times, number of requests), `security.py` (host names, origins, token, headers),
`metrics.py` (Prometheus), `errors.py`; `api/` has the routes of the API and `pages/` those of the pages, `templates/`
and `static/` their files.
"""

from __future__ import annotations

from plait.serve.settings import Limits, Settings

__all__ = ["Limits", "Settings"]
