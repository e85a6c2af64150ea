"""Pages made from a seed, each with a lying twin: what nobody fitted, to test what the audit understands."""
