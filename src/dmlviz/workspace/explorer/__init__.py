"""What only the explorer does: runs, the output before an edit, and all of it together."""
