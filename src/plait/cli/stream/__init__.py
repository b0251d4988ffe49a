"""`plait stream` from sources to slices: places, what arrives from them, and where it is cut."""
