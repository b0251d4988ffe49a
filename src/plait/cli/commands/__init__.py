"""The commands of plait, one a file."""
