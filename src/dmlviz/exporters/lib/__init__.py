"""What targets share: which there are, writing to files, and text of Python, C++, JSON and Markdown."""
