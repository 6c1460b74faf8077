"""What mends a desc: edits that are tried, what they change, and what they lose."""
