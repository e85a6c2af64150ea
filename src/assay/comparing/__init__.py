"""Comparing runs: grouped by what varies, judged by their repeats, read at an equal budget."""

#: what a comparison can be asked for, by an option of the command line or in a study
WISHES = ("by", "baseline", "axis", "to", "columns", "sort", "margin", "metric")
