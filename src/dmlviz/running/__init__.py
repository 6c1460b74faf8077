"""Calls of the compiled kernels on arrays: checked once, bound, run many times."""
