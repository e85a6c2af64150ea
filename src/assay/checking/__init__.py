"""Checks of a page against its own figures: evidence, claims, and one resolver."""
