"""How long a call takes: samples, and turns with NumPy, a plain copy and the textbook loop."""
