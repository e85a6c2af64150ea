"""What the evidence says of what was claimed."""
