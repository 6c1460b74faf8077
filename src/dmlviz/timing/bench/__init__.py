"""`dmlviz bench`: kernels held against other libraries.

`cells` says what is timed, `contestant` times it in a process of its own, `referee` starts the processes and calls them
in turns, `results` is what comes of it, `machine` says where. Nothing here knows a screen.
"""
