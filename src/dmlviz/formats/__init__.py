"""JSON and numbers as text, exactly."""
