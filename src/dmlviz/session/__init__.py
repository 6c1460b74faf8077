"""The document: experiments, values, notes, history; how it is read, written, edited, and kept."""
