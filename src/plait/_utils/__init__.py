"""Helpers without a subject of their own: atomic files, parameter checks, numbers in words."""
