"""How long a call takes: samples, turns with NumPy, a plain copy and the textbook loop, and growth with size."""
