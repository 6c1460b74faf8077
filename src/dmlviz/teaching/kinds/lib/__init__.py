"""What kinds of questions share, and which there are."""
