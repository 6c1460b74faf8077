"""How long a call takes: samples, turns with other libraries and a plain copy."""
