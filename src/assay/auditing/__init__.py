"""Checks claims against the evidence."""
