"""How the operators run fast: Numba on flat bytes and numbers, a file for each operator, and in lib what they share."""
