"""What every screen with a picture stands on: the picture, and the states that are drawn."""
