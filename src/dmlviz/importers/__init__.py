"""Text and files to descs: one file for each source, and in lib what they share."""
