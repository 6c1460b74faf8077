"""A question that is answered step by step."""
