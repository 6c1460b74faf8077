"""What widgets are made of: inks, painted lines, commands, editors of text, and what is Textual's own."""
