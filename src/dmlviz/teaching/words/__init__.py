"""The table of sentences, and texts of authors."""
