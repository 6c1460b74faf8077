"""Lessons, the ones that come with dmlviz, and what is wrong with one."""
