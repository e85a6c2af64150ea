"""`assay serve`: a live page over a runs folder. Reads what is on disk, changes nothing but its own cache."""
