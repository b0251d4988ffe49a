"""The JSON API.

`schemas.py` (requests and answers), `common.py` (what routes share), `reading.py` (topics, documents, labels, search),
`texts.py` (answers about texts), `naming.py` (names of topics), `status.py` (health, metrics).
"""
