"""What people look at. Views read summaries and events; they never run anything."""
