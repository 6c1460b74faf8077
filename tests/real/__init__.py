"""Texts in the manner of public ones, with the right answers beside them."""
