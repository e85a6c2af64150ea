"""Run a command under measurement. `record.py` tells the whole story."""
