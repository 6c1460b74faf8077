"""Lines of NumPy or PyTorch."""
