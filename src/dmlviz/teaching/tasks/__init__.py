"""What an author asks about an experiment."""
