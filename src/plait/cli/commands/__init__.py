"""The commands of plait, one file per command."""
