"""Linear memory: the elements around the cursor's in address order, and the run that moves with it."""

HEIGHT = 5
"""Lines of the memory strip: what moves, then each of two tensors with its run below it."""
LEAST = 3
"""Lines of it where there is no room for more: what moves, then two tensors in which the run is marked."""
