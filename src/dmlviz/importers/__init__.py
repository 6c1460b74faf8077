"""Text and files to descs: one module or folder for each source, and in lib what they share."""
