"""What each cell of a picture shows, whoever draws it: screen, text, memory strip, still or page."""
