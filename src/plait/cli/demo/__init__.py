"""The steps of `plait demo`."""
