"""Run directories: plain files that are the whole record, with no server and no lock."""
