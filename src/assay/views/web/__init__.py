"""What pages are made of: one style, one script for charts, templates that escape whatever a log may hold."""
