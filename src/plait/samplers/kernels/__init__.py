"""Compiled parts that the samplers share: lanes, token state, share state, sources, tilt."""
