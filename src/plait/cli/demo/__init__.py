"""The steps of `plait demo`: packages as labels, imports as links, influence along imports, and the report."""
