"""Files that commands read in batches and write."""
