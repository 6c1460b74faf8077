"""An experiment in words: its picture as plain text, and its steps in sentences."""
