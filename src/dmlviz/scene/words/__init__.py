"""What is said in words about a desc, an element or a step, and what a typed coordinate means."""
