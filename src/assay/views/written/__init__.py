"""Pages whose figures come from runs."""
