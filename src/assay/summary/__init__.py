"""The summary of a run: flat, the same names everywhere, the unit in the name, absent rather than invented."""
