"""Descs and values to source text for other programs: one file for each target, and in lib what they share."""
