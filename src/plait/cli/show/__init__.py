"""What commands print.

Tables (`screen`), topics, evaluations, labels, links, influence, `groups` of
documents, `found` documents and the reading of text (`text`).
"""
