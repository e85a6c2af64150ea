"""What differs between two runs, the most likely causes first."""
