"""Logs that people already have, turned into runs: importing is a run whose process happened earlier."""
