"""What `plait evaluate` measures and prints, one file per kind of answer."""
