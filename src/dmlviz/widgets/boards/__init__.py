"""The boards of questions, levels, the course and the wall."""
