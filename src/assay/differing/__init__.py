"""What differs between two runs, the most telling first."""
