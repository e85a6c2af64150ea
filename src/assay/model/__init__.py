"""The typed values that every part of Assay passes on: requests, events, summaries, claims, verdicts, findings.

JSON becomes one of them here and nowhere else; no other module reads a record by the name of a key.
"""
