"""Studies: a file that names a grid of runs, how often to repeat each, and where. Run directories keep all state."""
