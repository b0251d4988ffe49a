"""What commands print.

Tables (`screen`), topics, evaluations, labels, links, influence, `groups` of
documents and `found` documents.
"""
