"""Runs beside each other: grouped by what varies, judged by their repeats, read at an equal budget."""
