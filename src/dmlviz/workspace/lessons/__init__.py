"""A lesson that is gone through, and the map of the course."""
