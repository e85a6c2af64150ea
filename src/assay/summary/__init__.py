"""What a run comes to: flat, the same names everywhere, the unit in the name, absent rather than invented."""
