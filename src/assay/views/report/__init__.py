"""A report to hand in: what was asked, what was found, what shows it."""
