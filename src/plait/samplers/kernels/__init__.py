"""Compiled code that the samplers share: vectors, states, counts, candidate sources and tilts."""
