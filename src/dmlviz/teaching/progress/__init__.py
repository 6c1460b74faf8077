"""What was answered, in the user's own file, and what lessons are called there."""
