"""Where cells stand: which axes go down, across or into slices, and how large a cell is."""
