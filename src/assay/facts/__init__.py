"""What is true before a run starts: the machine, the code, the settings around it."""
