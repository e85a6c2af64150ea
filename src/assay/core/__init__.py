"""What every part stands on: numbers, names, dates."""
