"""What the lines of a picture show."""
