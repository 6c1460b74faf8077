"""Peers: other libraries' ways to what an operator computes, which a kernel's time is held against."""
