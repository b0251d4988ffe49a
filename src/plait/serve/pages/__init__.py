"""The pages.

`rendering.py` (templates), `figures.py` (figures as SVG), `forms.py` (fields that pages send), `browsing.py` (overview,
topics, documents, labels, search), `analysis.py` (the box for a text), `login.py` (the token).
"""
