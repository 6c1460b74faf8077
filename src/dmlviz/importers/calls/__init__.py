"""Lines of NumPy and PyTorch."""
