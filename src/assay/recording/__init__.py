"""Run a command and measure it; `record.py` holds the whole run in one function."""
