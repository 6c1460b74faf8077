"""Recordings: the steps of a session as pages and pictures that need neither dmlviz nor a network to be looked at."""
